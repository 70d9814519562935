"""Exact all-in equity of one hand against another, from any board, and street by street.

With board cards, every run-out is looked up in one vectorised pass. Before the flop there are 1.7 million run-outs:
the results for every two hands are shipped as a table, which `scripts/build_preflop.py` builds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, product
from typing import Final

import numpy as np

from molt_bench.errors import RulesError
from molt_bench.kernels import compiled
from molt_bench.poker import evaluator
from molt_bench.poker.arrays import Ints
from molt_bench.poker.cards import Board, Hole

#: Preflop equities: twice the run-outs won plus those split, three bytes for each two hands, little-endian.
PREFLOP_PATH: Final = os.path.join(os.path.dirname(__file__), "preflop.bin")
#: Twice the number of boards that can follow two hands: 48 over 5.
PREFLOP_WHOLE: Final = 2 * 1_712_304
#: The ways four cards can share suits, with suits numbered in order of appearance, such as (0, 1, 0, 2).
SUIT_PATTERNS: Final = tuple(
    suits for suits in product(range(4), repeat=4) if all(suit <= len({*suits[:at]}) for at, suit in enumerate(suits))
)


def equity(first: Sequence[int], second: Sequence[int], board: Sequence[int] = ()) -> float:
    """Return the exact share of the pot that `first` wins on average against `second`, from 0 to 1; half of a split.

    Args:
        first: Two cards, as ints from 0 (2c) to 51 (As), such as `observation.cards`.
        second: Two other cards.
        board: None, or three to five cards that are open, such as `observation.board`.

    Raises RulesError if a card appears twice, or there are more or fewer cards than that.

    Examples:
        >>> from molt_bench.poker.cards import cards_from_text
        >>> round(equity(cards_from_text("AhAd"), cards_from_text("KsKc")), 6)
        0.812555
    """
    _check(first, second, board)
    if not board:
        return _preflop_equity(first, second)
    one, two = _runout_strengths(first, second, board)
    return (int((one > two).sum()) + int((one >= two).sum())) / (2 * len(one))


def street_equities(holes: tuple[Hole, Hole], board: Board) -> tuple[float, ...]:
    """Return seat 0's exact equity before the flop, on the flop, on the turn and on the river, as far as `board` goes.

    >>> from molt_bench.poker.cards import deal_from_text
    >>> [round(share, 4) for share in street_equities(*deal_from_text("AhAd KsKc 2c3d9hKh8s"))]
    [0.8126, 0.9162, 0.0455, 0.0]
    """
    first, second = holes
    if compiled is not None:
        preflop_table()  # which the kernel is given when it is loaded
        shares: tuple[float, ...] | None = compiled.street_equities(bytes((*first, *second, *board)))
        if shares is not None:
            return shares
    return tuple([_known_equity(first, second, board[:size]) for size in (0, 3, 4, 5) if size <= len(board)])


#: A deal is played in two seatings.
_known_equity = lru_cache(maxsize=1 << 16)(equity)


def _check(first: Sequence[int], second: Sequence[int], board: Sequence[int]) -> None:
    cards = (*first, *second, *board)
    if len(first) != 2 or len(second) != 2 or len(board) > 5:
        raise RulesError(f"equity needs two cards, two cards and a board of at most five, not {cards}")
    if len({*cards}) != len(cards) or not all(isinstance(card, int) and 0 <= card < 52 for card in cards):
        raise RulesError(f"equity needs different cards from 0 to 51, such as cards_from_text('AhKd'), not {cards}")


@cache
def preflop_table() -> tuple[bytes, list[int]]:
    """Return the shipped table, and the suit pattern's number for any four suits, read as a base-4 number."""
    with open(PREFLOP_PATH, "rb") as file:
        content = file.read()
    named_anew = [[suits.index(suit) for suit in suits] for suits in product(range(4), repeat=4)]
    places = {tuple(pattern.index(suit) for suit in pattern): at for at, pattern in enumerate(SUIT_PATTERNS)}
    pattern_of = [places[tuple(suits)] for suits in named_anew]
    if compiled is not None:
        compiled.set_preflop(content, bytes(pattern_of), len(SUIT_PATTERNS), PREFLOP_WHOLE)
    return content, pattern_of


def _preflop_equity(first: Sequence[int], second: Sequence[int]) -> float:
    """Look up two hands by their ranks, the higher pair of ranks first, then by how the four cards share suits.

    Deals that differ only in the names of the suits share one entry.
    """
    a, b = first if first[0] > first[1] else (first[1], first[0])
    c, d = second if second[0] > second[1] else (second[1], second[0])
    ranks, other_ranks = _pair_number(a >> 2, b >> 2), _pair_number(c >> 2, d >> 2)
    if ranks < other_ranks:
        return (PREFLOP_WHOLE - _preflop_won(c, d, a, b, _pair_number(other_ranks, ranks))) / PREFLOP_WHOLE
    return _preflop_won(a, b, c, d, _pair_number(ranks, other_ranks)) / PREFLOP_WHOLE


def _pair_number(high: int, low: int) -> int:
    """Number the pairs with high >= low: (0, 0), (1, 0), (1, 1), (2, 0) and so on."""
    return high * (high + 1) // 2 + low


def _preflop_won(a: int, b: int, c: int, d: int, ranks: int) -> int:
    content, pattern_of = preflop_table()
    pattern = pattern_of[(a & 3) << 6 | (b & 3) << 4 | (c & 3) << 2 | d & 3]
    at = 3 * (len(SUIT_PATTERNS) * ranks + pattern)
    return int.from_bytes(content[at : at + 3], "little")


@cache
def _tables() -> tuple[Ints, Ints]:
    """Return the evaluator's row offsets and seven-card strengths as arrays."""
    # Two bytes for a strength, so that the table stays in the processor's cache.
    return np.array(evaluator.SEVEN_OFFSETS, np.int64), np.array(evaluator.SEVEN, np.int16)


@cache
def flush_table() -> Ints:
    """Return the strengths of cards of one suit, by their ranks as bits; 0 for fewer than five cards."""
    return np.array(evaluator.FLUSH, np.int16)


@cache
def card_arrays() -> tuple[Ints, Ints]:
    """Return each card's key and bit, for `strengths`."""
    bits = [1 << (13 * (card & 3) + (card >> 2)) for card in range(52)]
    return np.array(evaluator.CARD_KEYS, np.int64), np.array(bits, np.int64)


def strengths(keys: Ints, bits: Ints) -> Ints:
    """Return the strengths of many seven-card hands.

    Args:
        keys: For each hand, `evaluator.KEY_START` plus the keys of its cards.
        bits: For each hand, the sum of the bits of its cards.
    """
    found = rank_strengths(keys >> 16)
    suited = np.flatnonzero(keys & evaluator.FLUSH_BITS)
    if len(suited):
        found[suited] = flush_strengths(keys[suited], bits[suited])
    return found


def rank_strengths(keys: Ints) -> Ints:
    """Return the strengths of seven cards without a flush, by the sums of the keys of their ranks.

    Five of a rank, which callers leave out, are not in the tables: hence "clip", which is also faster.
    """
    offsets, seven = _tables()
    return seven.take(keys + offsets.take(keys >> evaluator.ROW_BITS, mode="clip"), mode="clip")


def flush_strengths(keys: Ints, bits: Ints) -> Ints:
    """Return the strengths of seven cards with a flush; the arguments are those of `strengths`."""
    flags = keys & evaluator.FLUSH_BITS
    suits = (flags > 0x8).astype(keys.dtype) + (flags > 0x80) + (flags > 0x800)
    return flush_table().take((bits >> 13 * suits) & 0x1FFF)


def _runout_strengths(first: Sequence[int], second: Sequence[int], board: Sequence[int]) -> tuple[Ints, Ints]:
    """Return both hands' strengths on every run-out."""
    keys, bits = card_arrays()
    dead = {*first, *second, *board}
    live = [card for card in range(52) if card not in dead]
    open_cards = list(board)
    drawn = _combinations(len(live), 5 - len(board))
    shared_keys = np.full(len(drawn), evaluator.KEY_START + keys[open_cards].sum())
    shared_bits = np.full(len(drawn), bits[open_cards].sum())
    live_keys, live_bits = keys[live], bits[live]
    for column in drawn.T:
        shared_keys += live_keys[column]
        shared_bits += live_bits[column]
    one, two = (
        strengths(shared_keys + keys[hole].sum(), shared_bits + bits[hole].sum())
        for hole in (list(first), list(second))
    )
    return one, two


@cache
def _combinations(size: int, drawn: int) -> Ints:
    chosen = list(combinations(range(size), drawn))
    # Stored column by column, the way they are read.
    return np.asfortranarray(np.array(chosen, np.int64).reshape(len(chosen), drawn))
