"""How often a hand beats one that could be anything: what players bet, call and fold by."""

from functools import cache, lru_cache
from itertools import chain, permutations
from typing import Final

import numpy as np

from molt_bench.poker.arrays import Ints
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import card_arrays, strengths
from molt_bench.poker.evaluator import KEY_START
from molt_bench.poker.starting_hands import RANKED_HANDS, starting_hand
from molt_bench.seeds import derive

#: Other hands and run-outs that a hand is compared with.
_SAMPLES: Final = 256
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
    return _sampled(holes, board)


#: Needed again: a deal is played in two seatings, and a board is decided on several times.
@lru_cache(maxsize=1 << 16)
def _sampled(holes: tuple[Hole, Hole], board: Board) -> tuple[float, float]:
    keys, bits = card_arrays()
    known = [*holes[0], *holes[1], *board]
    live = np.array([card for card in range(52) if card not in known], np.int64)
    drawn = live[_samples(len(live), 7 - len(board))]
    other, runout, shared = drawn[:, :2], drawn[:, 2:], list(board)
    board_keys = KEY_START + keys[shared].sum() + keys[runout].sum(axis=1)
    board_bits = bits[shared].sum() + bits[runout].sum(axis=1)
    third = strengths(board_keys + keys[other].sum(axis=1), board_bits + bits[other].sum(axis=1))
    found = [strengths(board_keys + keys[own].sum(), board_bits + bits[own].sum()) for own in map(list, holes)]
    first, second = (int((own > third).sum()) + int((own >= third).sum()) for own in found)
    return first / (2 * _SAMPLES), second / (2 * _SAMPLES)


@cache
def _samples(live: int, drawn: int) -> Ints:
    """Return which of the live cards are drawn in each sample: the other hand first, then the run-out."""
    return np.array(_drawn(live, drawn), np.int64)


def _drawn(live: int, drawn: int) -> list[list[int]]:
    return [[card for card in order if card < live][:drawn] for order in _orders()]


@cache
def _orders() -> list[list[int]]:
    """Return the order of all live cards in each sample; with more cards known, the last ones are missing."""
    return [sorted(range(_MOST_LIVE), key=lambda card: derive(n, f"sample {card}")) for n in range(_SAMPLES)]


def kernel_tables() -> bytes:
    """Return what the compiled kernel needs: by two cards, the share of worse starting hands; the samples by street."""
    worse = np.zeros((52, 52))
    for hole, share in _starting_equities().items():
        worse[hole] = share
    samples = [bytes(chain(*_drawn(48 - size, 7 - size))) for size in (3, 4, 5)]
    return b"".join((worse.tobytes(), *samples))


@cache
def _starting_equities() -> dict[Hole, float]:
    """Return for any hole cards the share of starting hands that are worse, half of their own kind included."""
    found, better = {}, 0.0
    for name in RANKED_HANDS:
        ways = 6 if len(name) == 2 else 4 if name[2] == "s" else 12
        found[name] = 1 - (better + ways / 2) / 1326
        better += ways
    return {hole: found[starting_hand(hole)] for hole in permutations(range(52), 2)}
