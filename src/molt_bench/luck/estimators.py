"""The two estimators of what a player won: `raw`, the chips, and `adjusted`, the chips without luck.

`adjusted` is all-in EV minus terms of mean 0: of the cards (`molt_bench.luck.cards`), and of draws from stated mixes
(`molt_bench.luck.dice`). So both have the same expectation, whoever plays. Over the two games of a seed the term of the
hole cards cancels out, since each player gets both hands; it helps single games.
"""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Final

import msgspec

from molt_bench.errors import RulesError
from molt_bench.luck.cards import hand_terms
from molt_bench.luck.dice import Folds, draw_luck
from molt_bench.poker.hand import Hand
from molt_bench.poker.mix import Mix, mixes_from_text
from molt_bench.poker.observation import PlayedHand
from molt_bench.poker.street_equity import prepare_equities
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


def game_estimates(record: GameRecord, hands: Sequence[PlayedHand] = ()) -> Estimates:
    """Return what was won in the hands of a game that count.

    A hand with a forced fold counts as played. A game in which both players failed is a draw, as in its record. `hands`
    are those of the game as they were just played; none to rebuild them from their texts.
    """
    if record.both_failed:
        return Estimates(0, 0.0, 0.0)
    spec, found = record.spec, _hands(record, hands)
    prepare_equities((hand.holes, hand.board) for hand, _ in found)
    sign = 1 if record.seating == "AB" else -1
    raw = sign * sum([hand.payoffs[0] for hand, _ in found[spec.warmup_hands :]])
    if raw != record.net[0]:
        raise RulesError("the hands of a game do not add up to its result")
    folds, without_cards, draws = Folds(), list[float](), list[float]()
    for number, (hand, mixes) in enumerate(found, start=1):
        if number > spec.warmup_hands:
            terms = hand_terms(hand)
            without_cards.append(terms.all_in - terms.cards)
            if mixes:
                draws.append(draw_luck(hand, mixes, terms.equities, folds, max_actions=spec.max_actions))
        folds.add(hand)
    cards = fsum(without_cards)
    return Estimates(raw, sign * cards, sign * (cards - fsum(draws)))


def _hands(record: GameRecord, played: Sequence[PlayedHand]) -> list[tuple[Hand, Mapping[int, Mix]]]:
    """Return the hands of a game, each with its mixes."""
    if played:
        return [(each.hand, each.mixes) for each in played]
    hands = [each.hand for each in record.replay()]
    return [*zip(hands, map(mixes_from_text, record.mixes or [""] * len(hands)), strict=True)]


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
