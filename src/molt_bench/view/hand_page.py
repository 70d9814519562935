"""The page of a hand: one deal as it was played in both seatings, with what the agents said."""

from contextlib import suppress
from typing import Any

import msgspec

from molt_bench.errors import AgentFailed, ConfigError
from molt_bench.llm.reply import read_reply
from molt_bench.llm.types import Exchange
from molt_bench.luck.cards import hand_terms
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand
from molt_bench.poker.mix import Mix
from molt_bench.poker.notation import hand_from_text
from molt_bench.records import Fault, GameRecord
from molt_bench.runs.journal_lines import Game
from molt_bench.seeds import Seed
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_reader import Span, seating_of
from molt_bench.view.steps import diverges_at, steps_of


def hand_page(
    run: OpenRun, match: int, seed_index: int, number: int, *, prompts: bool = True, sections: bool = True
) -> dict[str, Any]:
    """Return one hand of a seed pair in both seatings, or raise ConfigError if there is no such hand.

    Seed pairs are counted from 0, matches and hands from 1. Prompts of models take up most of the space, grades of
    decisions most of the time.
    """
    seed, games = _games(run, match, seed_index)
    with run.reading(games):
        sides = [
            _side(run, game, number, prompts=prompts, sections=sections)
            for game in games
            if number <= len(game.record.hand_texts)
        ]
    if number < 1 or not sides:
        raise ConfigError("hand", number, "a hand of this game")
    rules = run.config.game
    a, b = run.pairs[match]
    own_decks = run.own_decks(match, seed)
    return {
        "match": match,
        "seedIndex": seed_index,
        "seed": str(seed),
        "hand": number,
        "bigBlind": rules.big_blind,
        "smallBlind": rules.small_blind,
        "ante": rules.ante,
        "a": a,
        "b": b,
        "previous": _neighbour(run, match, seed_index, number, -1),
        "next": _neighbour(run, match, seed_index, number, 1),
        "ownDecks": own_decks,
        "parted": diverges_at(*[side["steps"] for side in sides]) if len(sides) == 2 and not own_decks else None,
        "cost": rounded(sum([side["luck"]["raw"] for side in sides])),
        "sides": sides,
    }


def _games(run: OpenRun, match: int, seed_index: int) -> tuple[Seed, list[Game]]:
    if match not in run.pairs:
        raise ConfigError("match", match, f"one of the {len(run.pairs)} matches of this run")
    seeds = run.seeds_of(match)
    if not 0 <= seed_index < len(seeds):
        raise ConfigError("seed", seed_index, f"0 to {len(seeds) - 1}")
    return seeds[seed_index], run.sides(match, seeds[seed_index])


def _hands(run: OpenRun, match: int, seed_index: int) -> int:
    """Return how many hands a seed pair has."""
    _, games = _games(run, match, seed_index)
    return max((len(game.record.hand_texts) for game in games), default=0)


def _neighbour(run: OpenRun, match: int, seed_index: int, number: int, step: int) -> dict[str, int] | None:
    """Return the previous or next hand, across seed pairs and matches."""
    if 1 <= number + step <= _hands(run, match, seed_index):
        return {"match": match, "seed": seed_index, "hand": number + step}
    while match in run.pairs:
        seed_index += step
        if not 0 <= seed_index < len(run.seeds_of(match)):
            match += step
            if match not in run.pairs:
                return None
            seed_index = 0 if step > 0 else len(run.seeds_of(match)) - 1
        hands = _hands(run, match, seed_index)
        if hands:
            return {"match": match, "seed": seed_index, "hand": 1 if step > 0 else hands}
    return None


def _side(run: OpenRun, game: Game, number: int, *, prompts: bool, sections: bool) -> dict[str, Any]:
    record = game.record
    parsed = hand_from_text(record.hand_texts[number - 1])
    hand, swapped = parsed.hand, bool(seating_of(record))
    seats = game.participants[::-1] if swapped else game.participants
    names = {each["id"]: each["displayName"] or each["id"] for each in run.participants}
    won, sign = hand_terms(hand), -1 if swapped else 1
    unit = sign / run.config.game.big_blind
    faults = [fault for fault in record.faults if fault.hand_number == number]
    return {
        "seating": record.seating,
        "seats": list(seats),
        "players": [1, 0] if swapped else [0, 1],
        "button": hand.button,
        "startingStacks": list(hand.starting_stacks),
        "counts": number > record.spec.warmup_hands and not record.both_failed,
        "cards": [[CARD_TEXT[card] for card in hole] for hole in hand.holes],
        "board": [CARD_TEXT[card] for card in hand.board],
        "undealt": _undealt(record, number, hand),
        "net": list(hand.payoffs),
        "luck": {
            "raw": rounded(hand.payoffs[0] * unit),
            "allIn": rounded(won.all_in * unit),
            "adjusted": rounded(won.adjusted * unit),
        },
        "notation": record.hand_texts[number - 1],
        "steps": steps_of(hand, (names[seats[0]], names[seats[1]]), forced=parsed.forced),
        "decisions": _decisions(run, game, number, hand, seats, faults, prompts=prompts),
        "faults": [_fault(fault, seats, swapped=swapped) for fault in faults],
        **{each.name: each.hand(parsed, record.spec.max_actions) if sections else None for each in run.sections},
    }


def _undealt(record: GameRecord, number: int, hand: Hand) -> list[str]:
    """Return the cards of the board that would have come, from the deck of the hand; none if the record differs."""
    holes, board = Shoe(record.spec.decks).deal(number)
    if holes != hand.holes or board[: len(hand.board)] != tuple(hand.board):
        return []
    return [CARD_TEXT[card] for card in board[len(hand.board) :]]


def _fault(fault: Fault, seats: tuple[str, ...], *, swapped: bool) -> dict[str, Any]:
    seat = 1 - fault.player if swapped else fault.player
    return {
        "seat": seat,
        "agent": seats[seat],
        "kind": fault.kind,
        "message": fault.said,
        "attempt": fault.attempt,
        "forcedFold": fault.forced_fold,
    }


def _decisions(
    run: OpenRun,
    game: Game,
    number: int,
    hand: Hand,
    seats: tuple[str, ...],
    faults: list[Fault],
    *,
    prompts: bool,
) -> list[dict[str, Any]]:
    record = game.record
    asked: dict[int, list[tuple[Exchange, Span]]] = {}
    for exchange, span in run.exchanges.get((game.match, record.seed, record.seating, number), ()):
        asked.setdefault(exchange.decision, []).append((exchange, span))
    placed: dict[int, list[Fault]] = {}
    for fault in faults:
        if fault.decision is not None and fault.attempt:
            placed.setdefault(fault.decision, []).append(fault)
    return [
        {
            "seat": done.seat,
            "agent": seats[done.seat],
            "faults": [
                {"kind": fault.kind, "message": fault.message, "attempt": fault.attempt} for fault in placed.get(at, ())
            ],
            "exchange": _exchange(run, asked[at], placed.get(at, []), prompts=prompts) if at in asked else None,
        }
        for at, done in enumerate(hand.log)
    ]


def _exchange(
    run: OpenRun,
    tries: list[tuple[Exchange, Span]],
    faults: list[Fault],
    *,
    prompts: bool,
) -> dict[str, Any]:
    """Return all attempts of a model at a decision, and what they cost together; None where a price is not known."""
    ordered = sorted(tries, key=lambda each: (each[0].attempt, each[1]))
    exchanges = [exchange for exchange, _ in ordered]
    usd = [exchange.cost_usd for exchange in exchanges]
    tokens = [msgspec.to_builtins(exchange.tokens) for exchange in exchanges]
    last = exchanges[-1]
    return {
        "model": last.model,
        "system": run.skills.get(last.participant) if prompts else None,
        "tokens": {kind: sum([each[kind] for each in tokens]) for kind in tokens[0]},
        "latencyS": rounded(sum([exchange.latency_s for exchange in exchanges])),
        "usd": None if None in usd else rounded(sum([each for each in usd if each is not None])),
        "attempts": [_attempt(run, exchange, span, faults, prompts=prompts) for exchange, span in ordered],
    }


def _attempt(run: OpenRun, exchange: Exchange, span: Span, faults: list[Fault], *, prompts: bool) -> dict[str, Any]:
    found = run.exchange_at(span)
    text = found.text if found is not None else ""
    asked = "\n\n".join(each.text for each in found.asked) if found is not None else ""
    reasoning = strategy = None
    settings = run.config.models().get(exchange.participant)
    if exchange.outcome == "reply" and settings is not None:
        with suppress(AgentFailed):
            states = settings.reply == "strategy"
            reply = read_reply(text, exchange.finish, strategy=states)
            reasoning = reply.reasoning
            if isinstance(reply.answer, Mix):
                strategy = [{**msgspec.to_builtins(entry), "percent": weight} for entry, weight in reply.answer.entries]
    wrong = next((fault for fault in faults if fault.attempt == exchange.attempt), None)
    return {
        "attempt": exchange.attempt,
        "outcome": exchange.outcome,
        "finish": exchange.finish,
        "error": None if wrong is None else {"kind": wrong.kind, "message": wrong.message},
        "promptHash": exchange.prompt_hash,
        "prompt": asked or None if prompts else None,
        "reasoning": reasoning,
        "strategy": strategy,
        "trace": found.thoughts or None if found is not None else None,
        "reply": text,
        "tokens": msgspec.to_builtins(exchange.tokens),
        "latencyS": rounded(exchange.latency_s),
        "usd": rounded(exchange.cost_usd),
    }
