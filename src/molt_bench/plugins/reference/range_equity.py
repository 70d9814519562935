"""How one hand does against every other: all 1,326 pairs of hole cards at once.

Holes are numbered by their cards, high > low: high * (high - 1) / 2 + low.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np

from molt_bench.poker.arrays import Flags, Floats, Ints
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import PREFLOP_WHOLE, SUIT_PATTERNS, card_arrays, preflop_table, strengths
from molt_bench.poker.evaluator import KEY_START

#: The number of pairs of hole cards.
HOLES: Final = 1326


def hole_number(hole: Hole) -> int:
    """Return the number of two hole cards, in either order.

    >>> hole_number((0, 1)), hole_number((51, 50))
    (0, 1325)
    """
    high, low = (hole[0], hole[1]) if hole[0] > hole[1] else (hole[1], hole[0])
    return high * (high - 1) // 2 + low


@cache
def hole_cards() -> Ints:
    """Return the two cards of every hole, the lower one first."""
    return np.array([(low, high) for high in range(52) for low in range(high)], np.int64)


@cache
def holes_with() -> Flags:
    """Return for every card which holes it is in."""
    found: Flags = (hole_cards()[None, :, :] == np.arange(52)[:, None, None]).any(axis=2)
    return found


@lru_cache(maxsize=1 << 11)
def edges(hole: Hole, board: Board) -> Floats:
    """Return what `hole` wins from every other hole at a showdown for 1 chip, on average over the cards to come.

    From -1 to 1; 0 for holes that hold a known card. `board` has 0, 3, 4 or 5 cards.

    >>> from molt_bench.poker.cards import cards_from_text
    >>> aces, kings = cards_from_text("AhAd"), cards_from_text("KsKc")
    >>> round(float(edges(aces, ())[hole_number(kings)]), 6)
    0.62511
    """
    known = [*hole, *board]
    live = np.array([card for card in range(52) if card not in known], np.int64)
    others = live[_pairs(len(live))]
    numbers = others[:, 1] * (others[:, 1] - 1) // 2 + others[:, 0]
    found = np.zeros(HOLES)
    found[numbers] = _edges_on_board(hole, board, live) if board else _preflop_edges(hole, others)
    found.flags.writeable = False
    return found


def _preflop_edges(hole: Hole, others: Ints) -> Floats:
    """Look up many hands in the shipped table, as `equity` does for one."""
    table, patterns = _preflop_arrays()
    a, b = max(hole), min(hole)
    c, d = others[:, 1], others[:, 0]
    ranks, other_ranks = _rank_pair(a >> 2, b >> 2), _rank_pair(c >> 2, d >> 2)
    first, second = (a & 3) << 2 | b & 3, (c & 3) << 2 | d & 3
    ahead = ranks >= other_ranks
    pattern = patterns[np.where(ahead, first << 4 | second, second << 4 | first)]
    both = np.where(ahead, _rank_pair(ranks, other_ranks), _rank_pair(other_ranks, ranks))
    won = 2 * table[len(SUIT_PATTERNS) * both + pattern] / PREFLOP_WHOLE - 1
    result: Floats = np.where(ahead, won, -won)
    return result


@cache
def _preflop_arrays() -> tuple[Ints, Ints]:
    """Return the shipped table and the suit patterns as arrays."""
    content, pattern_of = preflop_table()
    table = np.frombuffer(content, np.uint8).reshape(-1, 3).astype(np.int64)
    return table @ np.array([1, 1 << 8, 1 << 16]), np.array(pattern_of, np.int64)


def _rank_pair(high: Any, low: Any) -> Any:
    """Number the pairs with high >= low; of ints or arrays."""
    return high * (high + 1) // 2 + low


def _edges_on_board(hole: Hole, board: Board, live: Ints) -> Floats:
    """Return the mean over all run-outs for every pair of live cards."""
    own = _strengths((*board, *hole), live, _combinations(len(live), 5 - len(board)))
    # Many run-outs and holes are the same cards: each set of them is looked up once.
    sets, place, free = _drawn_and_held(len(live), 5 - len(board))
    theirs = _strengths(board, live, sets).astype(np.int16).take(place)
    mine = own.astype(np.int16)[:, None]
    won = ((mine > theirs) & free).sum(axis=0) - ((mine < theirs) & free).sum(axis=0)
    result: Floats = won / comb(len(live) - 2, 5 - len(board))
    return result


def _strengths(known: Sequence[int], live: Ints, drawn: Ints) -> Ints:
    """Return the strengths of known cards with each of many sets of live ones."""
    keys, bits = card_arrays()
    live_keys, live_bits = keys[live], bits[live]
    all_keys = np.full(len(drawn), KEY_START + keys[list(known)].sum())
    all_bits = np.full(len(drawn), bits[list(known)].sum())
    for column in drawn.T:
        all_keys += live_keys[column]
        all_bits += live_bits[column]
    return strengths(all_keys, all_bits)


@cache
def _drawn_and_held(live: int, drawn: int) -> tuple[Ints, Ints, Flags]:
    """Return how run-outs and holes combine, by the places of their cards among the live ones.

    Returns:
        The sets of all their cards; for every run-out and hole, the number of their set; whether they share no card.
    """
    sets, runouts, holes = _combinations(live, drawn + 2), _combinations(live, drawn), _pairs(live)
    powers = np.array([1 << place for place in range(live)], np.int64)
    masks = powers[sets].sum(axis=1)
    order = np.argsort(masks)
    runout_masks, hole_masks = powers[runouts].sum(axis=1)[:, None], powers[holes].sum(axis=1)[None, :]
    free = (runout_masks & hole_masks) == 0
    found = np.searchsorted(masks[order], (runout_masks | hole_masks).ravel())
    place = order[np.minimum(found, len(sets) - 1)].reshape(free.shape).astype(np.int32)
    return sets, place, free


def strengths_on(cards: Ints, boards: Ints) -> Ints:
    """Return the strengths of holes on boards, shape (rows, holes, boards); -1 for those with a board's turn or river.

    Cards have the shape (rows, holes, 2), boards (rows, boards, 5).
    """
    keys, bits = card_arrays()
    all_keys = keys[cards].sum(axis=2)[..., None] + (KEY_START + keys[boards].sum(axis=2))[:, None]
    all_bits = bits[cards].sum(axis=2)[..., None] + bits[boards].sum(axis=2)[:, None]
    legal = np.ones(all_keys.shape, np.bool_)
    for dealt in (boards[:, None, :, 3], boards[:, None, :, 4]):
        legal &= (cards[..., :1] != dealt) & (cards[..., 1:] != dealt)
    found = np.full(legal.shape, -1, np.int64)
    found[legal] = strengths(all_keys[legal], all_bits[legal])
    return found


def hole_strengths(numbers: Ints, boards: Ints) -> Ints:
    """Return the strengths of holes on boards of five, shape (holes, boards); -1 for those with its turn or river."""
    found: Ints = strengths_on(hole_cards()[numbers][None], boards[None])[0]
    return found


def _pairs(live: int) -> Ints:
    return _combinations(live, 2)


@cache
def _combinations(size: int, drawn: int) -> Ints:
    chosen = np.array(list(combinations(range(size), drawn)), np.int64).reshape(comb(size, drawn), drawn)
    # Stored column by column, the way they are read.
    return np.asfortranarray(chosen)
