"""The two estimators of what a player won: `raw`, the chips, and `adjusted`, the chips without luck.

`adjusted` is all-in EV minus terms of mean 0: of the cards (`molt_bench.luck.cards`), and of draws from stated mixes
(`molt_bench.luck.dice`). So both have the same expectation for all agents. Over the two games of a seed the term of the
hole cards cancels out, since each player gets both hands; it helps single games.
"""

from collections.abc import Callable
from functools import cache
from math import fsum
from typing import Final

import msgspec

from molt_bench.errors import RulesError
from molt_bench.kernels import compiled
from molt_bench.luck.cards import hand_terms
from molt_bench.luck.dice import Folds, draw_luck
from molt_bench.luck.weights import AS_BYTES
from molt_bench.poker.equity import preflop_table
from molt_bench.poker.equity_vs_random import kernel_tables
from molt_bench.poker.mix import mixes_from_text
from molt_bench.records import GameRecord, Margins, MatchResult

#: Digits of a thousandth of a big blind that are kept of a margin. Everything is decided from the rounded value, so it
#: is the same on every machine.
_DIGITS: Final = 3


class Estimates(msgspec.Struct, frozen=True, gc=False):
    """What player A won in a game, in chips; player B won the negative.

    Attributes:
        raw: As dealt.
        without_cards: With run-outs replaced by their means, and without the luck of the cards.
        adjusted: Also without the luck of the draws from stated mixes.
    """

    raw: int
    without_cards: float
    adjusted: float


def game_estimates(record: GameRecord) -> Estimates:
    """Return what was won in the hands of a game that count, from their texts, as they were played.

    A hand with a forced fold counts as played. A game in which both players failed is a draw, as in its record.
    """
    if record.both_failed:
        return Estimates(0, 0.0, 0.0)
    hands = hands_luck(record)
    if len(hands) != record.hands:
        raise RulesError("the hands of a game are not in its record")
    sign = 1 if record.seating == "AB" else -1
    cards = fsum([without_cards for without_cards, _ in hands])
    return Estimates(record.net[0], sign * cards, sign * (cards - fsum([draws for _, draws in hands])))


def hands_luck(record: GameRecord) -> list[tuple[float, float]]:
    """Return for every hand that counts what seat 0 won without the luck of the cards, and the luck of the draws."""
    warmup = record.spec.warmup_hands
    if compiled is not None:
        found: list[tuple[float, float]] | None
        mixes = record.mixes or ("",) * len(record.hand_texts)
        found = compiled.game_luck(record.hand_texts, mixes, _tables())
        if found is not None:
            return found[warmup:]
    return _hands_luck(record)[warmup:]


@cache
def _tables() -> bytes:
    """Return what the compiled kernel needs, which takes the table of equities before the flop by itself."""
    preflop_table()
    return AS_BYTES + kernel_tables()


def _hands_luck(record: GameRecord) -> list[tuple[float, float]]:
    """Do the same in Python, for all hands."""
    hands = [each.hand for each in record.replay()]
    folds, found = Folds(), list[tuple[float, float]]()
    for hand, line in zip(hands, record.mixes or [""] * len(hands), strict=True):
        terms, mixes = hand_terms(hand), mixes_from_text(line)
        draws = draw_luck(hand, mixes, terms.equities, folds, max_actions=record.spec.max_actions)
        found.append((terms.adjusted, draws))
        folds.add(hand)
    return found


def margins_of(
    result: MatchResult, *, big_blind: int, estimated: Callable[[GameRecord], Estimates] = game_estimates
) -> Margins:
    """Return what player A won in each seed pair, in thousandths of a big blind per hand of the spec.

    `estimated` returns what player A won in a game, where that may be known already.
    """
    raw, adjusted = [], []
    for seed in result.seed_results:
        games = [estimated(game) for game in seed.games]
        unit = big_blind * seed.nominal_hands / 1000
        raw.append(round(sum([each.raw for each in games]) / unit, _DIGITS))
        adjusted.append(round(fsum([each.adjusted for each in games]) / unit, _DIGITS))
    return {"raw": tuple(raw), "adjusted": tuple(adjusted)}
