"""What messages of the protocol were made from, read from plain JSON, and answers as such: hosts load nothing else."""

from collections.abc import Mapping, Sequence
from typing import Any

from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.hand_rules import HandRules
from molt_bench.poker.mix import Mix, RaiseRange
from molt_bench.poker.observation import HandResult, Observation


def observation_of(message: Mapping[str, Any]) -> Observation:
    """Return what a decision's message was made from: the inverse of `protocol.decision`."""
    raising: Mapping[str, Any] = next((each for each in message["legal"] if each["kind"] == "raiseTo"), {})
    return Observation(
        **_of_both(message),
        street=message["street"],
        pot=message["pot"],
        stacks=tuple(message["stacks"]),
        bets=tuple(message["bets"]),
        to_call=message["toCall"],
        min_raise_to=raising.get("min", 0),
        max_raise_to=raising.get("max", 0),
        rules=HandRules(message["smallBlind"], message["bigBlind"], message["ante"], message["raiseCap"]),
        previous_error=message["previousError"],
    )


def outcome_of(message: Mapping[str, Any]) -> HandResult:
    """Return what a result's message was made from: the inverse of `protocol.result`."""
    other = message["opponentCards"]
    opponent_cards = None if other is None else _cards(other)
    return HandResult(**_of_both(message), opponent_cards=opponent_cards, net=tuple(message["net"]))


def _of_both(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a decision and a result have in common."""
    return {
        "seat": message["seat"],
        "button": message["button"],
        "hand_number": message["handNumber"],
        "cards": _cards(message["cards"]),
        "board": _cards(message["board"]),
        "log": tuple([LoggedAction(**done) for done in message["log"]]),
        "starting_stacks": tuple(message["startingStacks"]),
    }


def _cards(texts: Sequence[str]) -> Any:
    return cards_from_text("".join(texts))


def fields_of(answer: Action | RaiseRange | Mix) -> dict[str, Any]:
    """Return the fields that name an action or a mix: the inverse of `answers.answer_of`."""
    if isinstance(answer, Mix):
        return {"mix": [{**fields_of(entry), "weight": weight} for entry, weight in answer.entries]}
    if isinstance(answer, RaiseRange):
        return {"kind": "raiseTo", "low": answer.low, "high": answer.high}
    return {"kind": answer.kind} | ({"amount": answer.amount} if answer.kind == "raiseTo" else {})
