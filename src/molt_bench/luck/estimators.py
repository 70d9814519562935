"""The two estimators of what a player won: `raw`, the chips, and `adjusted`, the chips without luck.

`adjusted` is all-in EV minus terms of mean 0 (`molt_bench.luck.cards`), so both have the same expectation, whoever
plays. Over the two games of a seed the term of the hole cards cancels out, since each player gets both hands; it helps
single games.
"""

from collections.abc import Callable, Sequence
from math import fsum
from typing import Final

import msgspec

from molt_bench.errors import RulesError
from molt_bench.luck.cards import hand_terms, prepare_terms
from molt_bench.poker.observation import PlayedHand
from molt_bench.records import GameRecord, Margins, MatchResult

#: Digits of a thousandth of a big blind that are kept of a margin. Everything is decided from the rounded value, so it
#: is the same on every machine.
_DIGITS: Final = 3


class Estimates(msgspec.Struct, frozen=True, gc=False):
    """What player A won in a game, in chips, by each estimator; player B won the negative."""

    raw: int
    adjusted: float


def game_estimates(record: GameRecord, hands: Sequence[PlayedHand] = ()) -> Estimates:
    """Return what was won in the hands of a game that count.

    A hand with a forced fold counts as played. A game in which both players failed is a draw, as in its record. `hands`
    are those of the game as they were just played; none to rebuild them from their texts.
    """
    if record.both_failed:
        return Estimates(0, 0.0)
    played = [each.hand for each in hands or record.replay()][record.spec.warmup_hands :]
    prepare_terms(played)
    sign = 1 if record.seating == "AB" else -1
    raw = sign * sum([hand.payoffs[0] for hand in played])
    if raw != record.net[0]:
        raise RulesError("the hands of a game do not add up to its result")
    return Estimates(raw, sign * fsum([hand_terms(hand).adjusted for hand in played]))


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
