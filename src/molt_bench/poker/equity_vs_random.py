"""How often a hand beats one that could be anything: what players bet, call and fold by."""

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from typing import Final, TypeAlias

import numpy as np

from molt_bench.kernels import compiled
from molt_bench.poker.arrays import Ints
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import card_arrays, flush_strengths, rank_strengths
from molt_bench.poker.evaluator import FLUSH_BITS, KEY_START
from molt_bench.poker.memo import Memo
from molt_bench.poker.starting_hands import RANKED_HANDS, starting_hand
from molt_bench.seeds import derive

#: Other hands and run-outs that a hand is compared with.
_SAMPLES: Final = 256
#: Boards that are computed together: the arrays of more would not stay in the processor's cache.
_TOGETHER: Final = 16
#: Two hands and a board of three to five cards.
Hands: TypeAlias = tuple[tuple[Hole, Hole], Board]
#: Cards that are live on the flop.
_MOST_LIVE: Final = 52 - 4 - 3


def equities_vs_random(holes: tuple[Hole, Hole], board: Board) -> tuple[float, float]:
    """Return for each hand how often it beats a third one, from 0 to 1; a tie counts half.

    Before the flop: the share of starting hands that are worse. On a board: by a fixed sample of other hands and
    run-outs, the same for both hands and in both seatings.

    >>> from molt_bench.poker.cards import deal_from_text
    >>> [round(each, 2) for each in equities_vs_random(deal_from_text("AhAd 3s2c KsKc9h")[0], ())]
    [1.0, 0.0]
    """
    if not board:
        worse = _starting_equities()
        return worse[holes[0]], worse[holes[1]]
    return _SAMPLED.of((holes, board))


def forget_equities_vs_random() -> None:
    """Clear the cache, for benchmarks; that of the kernel is small."""
    _SAMPLED.clear()


def _sampled(hands: Sequence[Hands]) -> list[tuple[float, float]]:
    """Return the equities of hands on boards of the same or of different sizes."""
    if compiled is not None:
        won = [compiled.sampled_wins(*holes, board, _sample_bytes(len(board))) for holes, board in hands]
        if None not in won:
            return [(one / (2 * _SAMPLES), two / (2 * _SAMPLES)) for one, two in won]
    found: dict[Hands, tuple[float, float]] = {}
    for size in {len(board) for _, board in hands}:
        alike = [each for each in hands if len(each[1]) == size]
        for start in range(0, len(alike), _TOGETHER):
            part = alike[start : start + _TOGETHER]
            found.update(zip(part, _sampled_alike(part, size), strict=True))
    return [found[each] for each in hands]


def _sampled_alike(hands: Sequence[Hands], size: int) -> list[tuple[float, float]]:
    """Return the equities of hands on boards of one size."""
    keys, bits = card_arrays()
    known = np.array([(*first, *second, *board) for (first, second), board in hands], np.int64)
    alive = np.ones((len(hands), 52), bool)
    alive[np.arange(len(hands))[:, None], known] = False
    live = np.nonzero(alive)[1].reshape(len(hands), 48 - size)
    drawn = _samples(48 - size, 7 - size)
    runouts, others = drawn[:, 2:].T, drawn[:, :2].T
    of_known, of_live = keys[known], keys[live]
    shared = KEY_START + of_known[:, 4:].sum(axis=1)[:, None]
    for column in runouts:
        shared = shared + of_live[:, column]
    found = np.empty((3, len(hands), _SAMPLES), np.int64)
    found[0] = shared + of_known[:, :2].sum(axis=1)[:, None]
    found[1] = shared + of_known[:, 2:4].sum(axis=1)[:, None]
    found[2] = shared + of_live[:, others[0]] + of_live[:, others[1]]
    values = rank_strengths(found >> 16)
    suited = np.unravel_index(np.flatnonzero((found & FLUSH_BITS) != 0), found.shape)
    who, at, sample = suited
    of_known, of_live = bits[known], bits[live]
    third = of_live[at, others[0][sample]] + of_live[at, others[1][sample]]
    own = np.where(who == 2, third, np.where(who, of_known[at, 2] + of_known[at, 3], of_known[at, 0] + of_known[at, 1]))
    own += of_known[:, 4:].sum(axis=1)[at]
    for column in runouts:
        own += of_live[at, column[sample]]
    values[suited] = flush_strengths(found[suited], own)
    won = (values[:2] > values[2]).sum(axis=2) + (values[:2] >= values[2]).sum(axis=2)
    first, second = won.tolist()
    return [(one / (2 * _SAMPLES), two / (2 * _SAMPLES)) for one, two in zip(first, second, strict=True)]


@cache
def _samples(live: int, drawn: int) -> Ints:
    """Return which of the live cards are drawn in each sample: the other hand first, then the run-out."""
    return np.array(_drawn(live, drawn), np.int64)


@cache
def _sample_bytes(size: int) -> bytes:
    """Return the samples for a board of so many cards, one after another, for the compiled kernel."""
    return bytes([card for drawn in _drawn(48 - size, 7 - size) for card in drawn])


def _drawn(live: int, drawn: int) -> list[list[int]]:
    return [[card for card in order if card < live][:drawn] for order in _orders()]


@cache
def _orders() -> list[list[int]]:
    """Return the order of all live cards in each sample; with more cards known, the last ones are missing."""
    return [sorted(range(_MOST_LIVE), key=lambda card: derive(n, f"sample {card}")) for n in range(_SAMPLES)]


@cache
def kernel_tables() -> tuple[bytes, ...]:
    """Return what the compiled kernels need: the share of worse starting hands by two cards, and samples by street."""
    worse = np.zeros((52, 52))
    for hole, share in _starting_equities().items():
        worse[hole] = share
    return worse.tobytes(), *[_sample_bytes(size) for size in (3, 4, 5)]


@cache
def _starting_equities() -> dict[Hole, float]:
    """Return for any hole cards the share of starting hands that are worse, half of their own kind included."""
    found, better = {}, 0.0
    for name in RANKED_HANDS:
        ways = 6 if len(name) == 2 else 4 if name[2] == "s" else 12
        found[name] = 1 - (better + ways / 2) / 1326
        better += ways
    return {hole: found[starting_hand(hole)] for hole in permutations(range(52), 2)}


#: Needed again: a deal is played in two seatings, and a board is decided on several times.
_SAMPLED: Final = Memo(_sampled, 1 << 16)
