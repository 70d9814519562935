"""Build the table of equities before the flop: `python scripts/build_preflop.py`, two or three minutes.

Writes `src/molt_bench/poker/preflop.bin`: for every two hands twice the run-outs that the first wins and once those
that are split, of 1,712,304, in three bytes, little-endian. Hands are named by their ranks, (high, low), and these by
`high * (high + 1) / 2 + low`, 0 to 90. The hand with the higher number comes first. So the place of two hands is
`15 * (first * (first + 1) / 2 + second) + pattern`, where `pattern` is the number of the way in which their four cards
share suits, in the order of `SUIT_PATTERNS`. A place where a card would stand twice holds 0.

There are 1.7 million run-outs, but only 6,175 multisets of five ranks: each is compared once, weighted by the number of
ways to suit it, and boards on which a hand has a flush, which take three or more cards of one suit, are then corrected.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np

from molt_bench.poker import evaluator
from molt_bench.poker.arrays import Ints
from molt_bench.poker.equity import PREFLOP_PATH, PREFLOP_WHOLE, SUIT_PATTERNS, flush_table, rank_strengths

Cards = tuple[int, ...]


class Showdowns(NamedTuple):
    """How many run-outs the first hand wins, splits and loses."""

    wins: int
    ties: int
    losses: int


SUIT_ORDERS = list(permutations(range(4)))


@cache
def drawn_places(size: int, drawn: int) -> Ints:
    """Return all ways to draw so many of `size` cards."""
    return np.array(list(combinations(range(size), drawn)), np.int64).reshape(-1, drawn)


@cache
def multisets(size: int) -> tuple[Ints, Ints]:
    """Return all multisets of `size` ranks with at most four of each: the count of each rank, and the key."""
    drawn = combinations_with_replacement(range(13), size)
    counts = np.array([[ranks.count(rank) for rank in range(13)] for ranks in drawn], np.int64)
    counts = counts[counts.max(axis=1) <= 4]
    return counts, counts @ np.array(evaluator.RANK_KEYS, np.int64)


def ways_of(live: Ints, counts: Ints) -> Ints:
    """Return in how many ways the live cards of each rank give each multiset."""
    choices = np.array([[comb(size, drawn) for drawn in range(5)] for size in range(5)], np.int64)
    found: Ints = choices[live, counts].prod(axis=1)
    return found


def showdowns(first: Cards, second: Cards) -> Showdowns:
    """Count how all run-outs end."""
    hole_keys = [sum(evaluator.RANK_KEYS[card >> 2] for card in hole) for hole in (first, second)]
    live = np.ones((13, 4), np.int64)
    for card in (*first, *second):
        live[card >> 2, card & 3] = 0
    counts, keys = multisets(5)
    weights = ways_of(live.sum(axis=1), counts)
    one, two = (rank_strengths(keys + hole) for hole in hole_keys)
    balance = np.array([(weights * (one > two)).sum(), (weights * (one < two)).sum()])
    for suit in range(4):
        balance += flush_correction((first, second), hole_keys, live, suit)
    wins, losses = int(balance[0]), int(balance[1])
    return Showdowns(wins, int(weights.sum()) - wins - losses, losses)


def flush_correction(
    holes: tuple[tuple[int, ...], tuple[int, ...]], hole_keys: list[int], live: Ints, suit: int
) -> Ints:
    """Return how boards on which a hand has a flush in `suit` change wins and losses."""
    flush = flush_table()
    own_bits = [sum(1 << (card >> 2) for card in hole if card & 3 == suit) for hole in holes]
    most = max(bits.bit_count() for bits in own_bits)
    others = live.sum(axis=1) - live[:, suit]
    change = np.zeros(2, np.int64)
    for of_suit in range(5 - most, 6):
        suited = np.flatnonzero(live[:, suit])[drawn_places(int(live[:, suit].sum()), of_suit)]
        board_bits = (1 << suited).sum(axis=1)[:, None]
        suited_keys = np.array(evaluator.RANK_KEYS, np.int64)[suited].sum(axis=1)[:, None]
        counts, keys = multisets(5 - of_suit)
        weights = ways_of(others, counts)[None, :]
        by_ranks = [rank_strengths(suited_keys + keys[None, :] + hole) for hole in hole_keys]
        # flush[...] is 0 where the suit has fewer than five cards, and above every other strength elsewhere.
        one, two = (np.maximum(ranks, flush[board_bits | bits]) for ranks, bits in zip(by_ranks, own_bits, strict=True))
        change[0] += (weights * ((one > two).astype(np.int64) - (by_ranks[0] > by_ranks[1]))).sum()
        change[1] += (weights * ((one < two).astype(np.int64) - (by_ranks[0] < by_ranks[1]))).sum()
    return change


def canonical(first: Cards, second: Cards) -> tuple[Cards, Cards]:
    """Return the one matchup that stands for all that differ only in the names of the suits."""
    named = [
        tuple(tuple(sorted(card & ~3 | order[card & 3] for card in hole)) for hole in (first, second))
        for order in SUIT_ORDERS
    ]
    one, two = min(named)
    return one, two


def places() -> Iterator[Cards]:
    """Yield the four cards of every place of the table, in its order."""
    pairs = [(high, low) for high in range(13) for low in range(high + 1)]
    for at, ranks in enumerate(pairs):
        for other_ranks in pairs[: at + 1]:
            for suits in SUIT_PATTERNS:
                yield tuple(4 * rank + suit for rank, suit in zip((*ranks, *other_ranks), suits, strict=True))


def score(cards: Cards, known: dict[tuple[Cards, Cards], int]) -> int:
    """Return what belongs to a place; `known` is what was counted so far."""
    if len({*cards}) < 4:
        return 0
    first, second = canonical(cards[:2], cards[2:])
    if (first, second) not in known:
        counts = showdowns(first, second)
        known[first, second] = 2 * counts.wins + counts.ties
        # The same two hands, seen from the other side, need no count of their own.
        known[canonical(second, first)] = PREFLOP_WHOLE - known[first, second]
    return known[first, second]


def build() -> bytes:
    """Return the file's content."""
    known: dict[tuple[Cards, Cards], int] = {}
    return b"".join(score(cards, known).to_bytes(3, "little") for cards in places())


if __name__ == "__main__":
    Path(PREFLOP_PATH).write_bytes(build())
    print(f"{PREFLOP_PATH}: {Path(PREFLOP_PATH).stat().st_size:,} bytes")
