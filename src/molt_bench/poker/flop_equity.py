"""Exact equity on many flops at once, in total and by turn card.

Two cards to come have 990 combinations, but only 91 pairs of ranks: each is compared once, weighted by the cards that
are left of its ranks. Boards on which a hand has a flush are then corrected, suit by suit: those with two, one or no
more cards of a suit of which the flop and a hand have three, four or five.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from molt_bench.errors import RulesError
from molt_bench.poker import evaluator
from molt_bench.poker.arrays import Array
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import flush_table, rank_strengths

#: Two hands and a flop.
FlopDeal: TypeAlias = tuple[Hole, Hole, Board]

#: Flops that are computed together: the arrays of more would not stay in the processor's cache.
_TOGETHER: Final = 128


class _Constants(NamedTuple):
    """Arrays that do not depend on the cards.

    Attributes:
        rank_keys: The key of each rank.
        pair_keys: The key of each pair of ranks.
        pair_of: The number of the pair of any two ranks.
        suited: The pairs of two different ranks, by number.
        suited_bits: Their ranks as bits.
        first: The lower rank of each.
        second: The higher rank of each.
        ranks_of: For each of them, 1 at its two ranks.
    """

    rank_keys: Array
    pair_keys: Array
    pair_of: Array
    suited: Array
    suited_bits: Array
    first: Array
    second: Array
    ranks_of: Array


@cache
def _constants() -> _Constants:
    pairs = list(combinations_with_replacement(range(13), 2))
    number = {pair: at for at, pair in enumerate(pairs)}
    pair_of = np.array([[number[min(one, two), max(one, two)] for two in range(13)] for one in range(13)], np.int64)
    keys = np.array(evaluator.RANK_KEYS, np.int64)
    first, second = np.array(list(combinations(range(13), 2)), np.int64).T
    ranks_of = np.zeros((len(first), 13), np.float32)
    ranks_of[np.arange(len(first)), first] = ranks_of[np.arange(len(first)), second] = 1
    return _Constants(
        rank_keys=keys,
        pair_keys=keys[np.array(pairs, np.int64)].sum(axis=1),
        pair_of=pair_of,
        suited=pair_of[first, second],
        suited_bits=(1 << first) | (1 << second),
        first=first,
        second=second,
        ranks_of=ranks_of,
    )


def flop_scores_of(deals: Sequence[FlopDeal]) -> list[tuple[int, bytes]]:
    """Score the run-outs of many flops.

    Returns:
        For each deal, twice the run-outs that the first hand wins plus those split, of all 990; and the same of the 44
        run-outs with each card as the turn, indexed by card (0 for dead cards).

    Raises:
        RulesError: A deal does not have seven different cards.
    """
    found: list[tuple[int, bytes]] = []
    for start in range(0, len(deals), _TOGETHER):
        found += _scores(deals[start : start + _TOGETHER])
    return found


def _scores(deals: Sequence[FlopDeal]) -> list[tuple[int, bytes]]:
    fixed = _constants()
    rows = [(*first, *second, *flop) for first, second, flop in deals]
    wrong = next((row for row in rows if len({*row}) != 7 or len(row) != 7), None)
    if wrong is not None:
        raise RulesError(f"a flop has three cards, and two hands have four others, not {wrong}")
    cards = np.array(rows, np.int64)
    ranks, suits = cards >> 2, cards & 3
    at = np.arange(len(deals))
    live = np.ones((len(deals), 4, 13), np.float32)
    live[at[:, None], suits, ranks] = 0
    left = live.sum(axis=1)
    keys = fixed.rank_keys[ranks]
    on_flop = keys[:, 4:].sum(axis=1)
    strengths = [_by_ranks(on_flop + keys[:, own].sum(axis=1)) for own in (slice(0, 2), slice(2, 4))]
    scores = _compared(*strengths)
    by_rank = _over_ranks(scores, left)
    by_turn = np.repeat(by_rank[:, None, :], 4, axis=1)
    # For every suit, the ranks that each hand has of it together with the flop, as bits, and how many there are.
    of_suit = suits[:, :, None] == np.arange(4)
    bits = of_suit * (1 << ranks)[:, :, None]
    board_bits, board_counts = bits[:, 4:].sum(axis=1), of_suit[:, 4:].sum(axis=1)
    hand_bits = [board_bits + bits[:, own].sum(axis=1) for own in (slice(0, 2), slice(2, 4))]
    counts = board_counts + np.maximum(of_suit[:, :2].sum(axis=1), of_suit[:, 2:4].sum(axis=1))
    deal, suit = np.nonzero(counts >= 3)
    if len(deal):
        suited, others = _flush_changes(
            [each[deal] for each in strengths],
            scores[deal],
            [each[deal, suit] for each in hand_bits],
            counts[deal, suit],
            (live[deal, suit], left[deal] - live[deal, suit]),
        )
        by_turn[deal, suit] += suited
        # Only one suit of a deal can have four cards, so that no deal is named twice.
        near = np.flatnonzero(counts[deal, suit] >= 4)
        for other in range(4):
            elsewhere = near[suit[near] != other]
            by_turn[deal[elsewhere], other] += others[elsewhere]
    by_turn *= live
    total = by_turn.sum(axis=(1, 2)).astype(np.int64) // 2
    turns = by_turn.transpose(0, 2, 1).astype(np.uint8).reshape(len(deals), 52)
    return [(int(whole), row.tobytes()) for whole, row in zip(total.tolist(), turns, strict=True)]


def _by_ranks(known: Array) -> Array:
    """Return the strengths of five known cards with every pair of ranks, without a flush."""
    return rank_strengths(known[:, None] + _constants().pair_keys)


def _compared(one: Array, two: Array) -> Array:
    """Return 2 where the first is stronger, 1 for a tie, and 0 elsewhere."""
    return (one > two).astype(np.float32) + (one >= two)


def _over_ranks(by_pair: Array, left: Array) -> Array:
    """Return, for a turn card of each rank, the sum over all river cards, of which so many are left of each rank."""
    square = by_pair.take(_constants().pair_of, axis=1)
    found: Array = np.matmul(square, left[:, :, None])[:, :, 0] - square.diagonal(axis1=1, axis2=2)
    return found


def _flush_changes(
    strengths: Sequence[Array], scores: Array, bits: Sequence[Array], counts: Array, left: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Return how flushes of a suit change the scores by rank of the turn card: of that suit, and of any other.

    Args:
        strengths: Both hands' strengths without flushes, by pair of ranks.
        scores: Their comparison.
        bits: For both hands, the ranks that they have of the suit together with the flop.
        counts: How many the hand with more of them has, three or more.
        left: Live cards of the suit by rank, 0 or 1; and of all others.
    """
    fixed, flush = _constants(), flush_table()
    own, rest = left
    one, two = (
        np.maximum(each.take(fixed.suited, axis=1), flush.take(known[:, None] | fixed.suited_bits))
        for each, known in zip(strengths, bits, strict=True)
    )
    change = (_compared(one, two) - scores.take(fixed.suited, axis=1)) * own[:, fixed.first] * own[:, fixed.second]
    suited = change @ fixed.ranks_of
    others = np.zeros_like(suited)
    near = np.flatnonzero(counts >= 4)
    if len(near):
        one, two = (
            np.maximum(
                each[near].take(fixed.pair_of, axis=1),
                flush.take(known[near, None] | 1 << np.arange(13))[:, :, None],
            )
            for each, known in zip(strengths, bits, strict=True)
        )
        change = _compared(one, two) - scores[near].take(fixed.pair_of, axis=1)
        suited[near] += np.matmul(change, rest[near][:, :, None])[:, :, 0]
        others[near] += np.matmul(own[near][:, None, :], change)[:, 0, :]
    made = np.flatnonzero(counts >= 5)
    if len(made):
        one, two = (
            np.maximum(each[made], flush.take(known[made])[:, None])
            for each, known in zip(strengths, bits, strict=True)
        )
        others[made] += _over_ranks(_compared(one, two) - scores[made], rest[made])
    return suited, others
