"""The page of a hand: one deal as it was played in both seatings, with what the agents said."""

from typing import Any

import msgspec

from molt_bench.errors import ConfigError
from molt_bench.plugins.view import rounded
from molt_bench.plugins.view.open_run import OpenRun, own_decks
from molt_bench.plugins.view.sections import Sections
from molt_bench.plugins.view.steps import diverges_at, steps_of
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand
from molt_bench.records import Fault, GameRecord
from molt_bench.report.rows import DealtHand, hands_of, row
from molt_bench.runs.run import Game, Said


def hand_page(
    run: OpenRun, match: int, seed_index: int, number: int, *, said: list[Said] | None = None, sections: bool = True
) -> dict[str, Any]:
    """Return one hand of a seed pair in both seatings, or raise ConfigError if there is no such hand.

    Seed pairs are counted from 0, matches and hands from 1. `said` has what models said in these games, where that is
    known; grades of decisions take most of the time.
    """
    a, b = run.pair(match)
    games = run.shown(match, seed_index)
    own = [game for game in games if 1 <= number <= len(game.record.hand_texts)]
    if not own:
        raise ConfigError("hand", f"{match}/{seed_index}/{number}", "match, seed pair and number of a hand of this run")
    shown = Sections(run) if sections else None
    sides = [_side(run, game, number, said, shown) for game in own]
    rules, apart = run.run.config.game, own_decks(games)
    return {
        "match": match,
        "seedIndex": seed_index,
        "seed": str(games[0].record.seed),
        "hand": number,
        "bigBlind": rules.big_blind,
        "smallBlind": rules.small_blind,
        "a": a,
        "b": b,
        "previous": _neighbour(run, match, seed_index, number, -1),
        "next": _neighbour(run, match, seed_index, number, 1),
        "ownDecks": apart,
        "parted": diverges_at(*[side["steps"] for side in sides]) if len(sides) == 2 and not apart else None,
        "cost": rounded(sum(side["luck"]["raw"] for side in sides)),
        "sides": sides,
    }


def _neighbour(run: OpenRun, match: int, seed_index: int, number: int, step: int) -> dict[str, int] | None:
    """Return the previous or next hand, across seed pairs and matches."""
    places = run.shown_pairs
    at, number = places.index((match, seed_index)), number + step
    if not 1 <= number <= _hands(run, at):
        at += step
        if not 0 <= at < len(places):
            return None
        number = 1 if step > 0 else _hands(run, at)
    match, seed_index = places[at]
    return {"match": match, "seed": seed_index, "hand": number}


def _hands(run: OpenRun, at: int) -> int:
    """Return how many hands a seed pair has."""
    return max(len(game.record.hand_texts) for game in run.shown(*run.shown_pairs[at]))


def _side(run: OpenRun, game: Game, number: int, said: list[Said] | None, sections: Sections | None) -> dict[str, Any]:
    """Return a hand in one seating."""
    record = game.record
    dealt = next(each for each in hands_of(game) if each.number == number)
    hand, seats = dealt.hand, dealt.names
    won, big_blind = row(dealt), hand.rules.big_blind
    if said is None:
        said = [*run.run.said(game.label)]
    own = [each for each in said if each.exchange.game == game.label and each.exchange.hand == number]
    graded = {} if sections is None else sections.hand(dealt, record.spec.max_actions)
    return {
        "seating": record.seating,
        "seats": list(seats),
        "players": list(dealt.turned((0, 1))),
        "button": hand.button,
        "startingStacks": list(hand.starting_stacks),
        "counts": dealt.counts,
        "cards": [[CARD_TEXT[card] for card in hole] for hole in hand.holes],
        "board": [CARD_TEXT[card] for card in hand.board],
        "undealt": undealt(record, number, hand),
        "net": list(hand.payoffs),
        "luck": {
            "raw": rounded(won["net_a"] / big_blind),
            "allIn": rounded(won["all_in_ev_a"] / big_blind),
            "adjusted": rounded(won["luck_adjusted_a"] / big_blind),
        },
        "notation": dealt.text,
        "steps": steps_of(hand, (run.names[seats[0]], run.names[seats[1]]), forced=dealt.forced),
        "decisions": [
            _decision(dealt, at, [each for each in own if each.exchange.decision == at]) for at in range(len(hand.log))
        ],
        "faults": [_fault(dealt, fault) for fault in dealt.faults],
        **graded,
    }


def undealt(record: GameRecord, number: int, hand: Hand) -> list[str]:
    """Return the cards of the board that would have come, from the deck of the hand; none if the record differs."""
    holes, board = Shoe(record.spec.decks).deal(number)
    if holes != hand.holes or board[: len(hand.board)] != tuple(hand.board):
        return []
    return [CARD_TEXT[card] for card in board[len(hand.board) :]]


def _fault(dealt: DealtHand, fault: Fault) -> dict[str, Any]:
    seat = dealt.turned((0, 1))[fault.player]
    return {
        "seat": seat,
        "agent": dealt.names[seat],
        "kind": fault.kind,
        "message": fault.said,
        "attempt": fault.attempt,
        "forcedFold": fault.forced_fold,
    }


def _decision(dealt: DealtHand, at: int, tries: list[Said]) -> dict[str, Any]:
    """Return one decision: who made it, the faults before it, and what a model was asked and said."""
    faults = [fault for fault in dealt.faults if fault.decision == at and fault.attempt]
    seat = dealt.hand.log[at].seat
    return {
        "seat": seat,
        "agent": dealt.names[seat],
        "faults": [{"kind": fault.kind, "message": fault.message, "attempt": fault.attempt} for fault in faults],
        "exchange": _exchange(tries, faults) if tries else None,
    }


def _exchange(tries: list[Said], faults: list[Fault]) -> dict[str, Any]:
    """Return all attempts of a model at a decision, and what they cost together; None where a price is not known."""
    ordered = sorted(tries, key=lambda each: each.exchange.attempt)
    exchanges = [each.exchange for each in ordered]
    usd = [each.cost_usd for each in exchanges]
    tokens = [msgspec.to_builtins(each.tokens) for each in exchanges]
    return {
        "model": exchanges[-1].model,
        "system": ordered[-1].system,
        "tokens": {kind: sum(each[kind] for each in tokens) for kind in tokens[0]},
        "latencyS": rounded(sum(each.latency_s for each in exchanges)),
        "usd": None if None in usd else rounded(sum(each or 0 for each in usd)),
        "attempts": [_attempt(each, faults) for each in ordered],
    }


def _attempt(said: Said, faults: list[Fault]) -> dict[str, Any]:
    exchange = said.exchange
    wrong = next((fault for fault in faults if fault.attempt == exchange.attempt), None)
    return {
        "attempt": exchange.attempt,
        "outcome": exchange.outcome,
        "finish": exchange.finish,
        "error": None if wrong is None else {"kind": wrong.kind, "message": wrong.message},
        "promptHash": exchange.prompt_hash,
        "prompt": "\n\n".join(each.text for each in exchange.asked) or None,
        "reasoning": said.reasoning,
        "strategy": None
        if said.mix is None
        else [{**msgspec.to_builtins(entry), "percent": weight} for entry, weight in said.mix.entries],
        "trace": exchange.thoughts or None,
        "reply": exchange.text,
        "tokens": msgspec.to_builtins(exchange.tokens),
        "latencyS": rounded(exchange.latency_s),
        "usd": rounded(exchange.cost_usd),
    }
