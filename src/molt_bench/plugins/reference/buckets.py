"""Which bucket a hole falls into on a board, in integer arithmetic, so that every platform agrees.

Before the flop the buckets are the 169 classes of starting hands. A table has them for the flop. On the turn and on the
river a hole gets a list of whole numbers, and its bucket is the nearest of a list of centres:

- Turn: for a sample of other holes (sorted by their flop bucket, every eighth), how much of them it beats on each river
  card: on how many rivers that is below 1/8, 2/8 ... of them, and how much of each group of the sample it beats.
- River: how much it beats of each group of all holes. Groups are by flop bucket: few weak hands reach the river.

Suits are first named anew, so that deals that differ only in the names of suits share a bucket. Buckets after the flop
are numbered by strength, weakest first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import permutations
from typing import Final

import numpy as np

from molt_bench.errors import RulesError
from molt_bench.plugins.reference.range_equity import HOLES, hole_cards, hole_number, hole_strengths, holes_with
from molt_bench.plugins.reference.table import load
from molt_bench.plugins.reference.tree import Array
from molt_bench.poker import evaluator

PREFLOP_BUCKETS: Final = 169
#: On the turn every eighth hole is compared with.
TURN_STEP: Final = 8
TURN_BINS: Final = 8
#: Holes are grouped by their flop buckets: the weaker half, the next quarter, the last two eighths.
EIGHTHS: Final = 8
GROUP_STARTS: Final = (0, 4, 6, 7, 8)
GROUP_OF_EIGHTH: Final = (0, 0, 0, 0, 1, 1, 2, 3)
GROUPS: Final = 4
TURN_FEATURES: Final = TURN_BINS - 1 + GROUPS
#: What winning against all of a group counts on the turn and on the river.
TURN_SCALE: Final = 92
RIVER_SCALE: Final = 128
#: Up to this many holes are compared one by one.
FEW_HOLES: Final = 16
#: All ways to name suits anew: the new suit of each old one.
RENAMINGS: Final = tuple(permutations(range(4)))
_IMAGES: Final = tuple(tuple(card & ~3 | renaming[card & 3] for card in range(52)) for renaming in RENAMINGS)


@cache
def holes() -> Array:
    """Return the 1,326 holes by their number, shape (1326, 2), the higher card first."""
    return hole_cards()[:, ::-1]


def canonical(board: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Name suits anew so that the board is as small as can be: the flop first, then turn, then river.

    Returns the board, its flop in ascending order, and the numbers of all renamings that give it.
    """
    images = []
    for number, image in enumerate(_IMAGES):
        named = [image[card] for card in board]
        images.append(((*sorted(named[:3]), *named[3:]), number))
    best = min(images)[0]
    return best, tuple([number for named, number in images if named == best])


@cache
def renamed_holes() -> Array:
    """Return the number of every hole after every renaming, shape (24, 1326)."""
    cards = np.array(_IMAGES, np.int64)[:, holes()]
    high, low = cards.max(axis=2), cards.min(axis=2)
    found: Array = (high * (high - 1) // 2 + low).astype(np.int16)
    return found


def representatives(renamings: Sequence[int]) -> Array:
    """Return for every hole the smallest number that one of the renamings gives it."""
    found: Array = renamed_holes()[list(renamings)].min(axis=0)
    return found


@cache
def preflop_buckets() -> Array:
    """Return the class of every hole: pairs 0 to 12, then suited, then offsuit, by ranks.

    >>> [int(preflop_buckets()[hole_number(hole)]) for hole in ((1, 0), (51, 50), (4, 0), (5, 0), (51, 46))]
    [0, 12, 13, 91, 168]
    """
    high, low = holes()[:, 0] >> 2, holes()[:, 1] >> 2
    suited = (holes()[:, 0] & 3) == (holes()[:, 1] & 3)
    found = 13 + np.where(suited, 0, 78) + high * (high - 1) // 2 + low
    return np.where(high == low, high, found).astype(np.uint8)


@dataclass(frozen=True, eq=False)
class CardBuckets:
    """The buckets of all streets, from the flop's table and the centres of turn and river.

    Attributes:
        flops: The number of each canonical flop.
        flop_starts: Where its row starts in `flop_rows`, and where the last one ends.
        flop_rows: The buckets of its representatives that share no card with it, in ascending order.
        turn_centres: Shape (buckets, TURN_FEATURES).
        river_centres: Shape (buckets, GROUPS).
    """

    flops: dict[tuple[int, ...], int]
    flop_starts: Array
    flop_rows: Array
    turn_centres: Array
    river_centres: Array

    def buckets(self, board: tuple[int, ...]) -> Array:
        """Return the bucket of every hole on a board; those that share a card with it get any."""
        if not board:
            return preflop_buckets()
        if len(board) == 3:
            return self._flop(board)
        found = np.zeros(HOLES, np.int16)
        if len(board) == 5:
            possible = np.flatnonzero(~collides(board))
            found[possible] = nearest(river_features(self._flop(board[:3]), board, possible), self.river_centres)
            return found
        named, renamings = canonical(board)
        numbers = representatives(renamings)
        distinct = distinct_of(numbers, board)
        found[distinct] = nearest(turn_features(self._flop(named[:3]), named, distinct), self.turn_centres)
        return found[numbers]

    def bucket(self, hole: tuple[int, int], board: tuple[int, ...]) -> int:
        """Return the bucket of one hole, the same as `buckets` does for all."""
        if len(board) <= 3:
            return int(self.buckets(board)[hole_number(hole)])
        if {*hole} & {*board}:
            raise RulesError(f"hole {hole} and board {board} share a card")
        if len(board) == 5:
            at = np.array([hole_number(hole)])
            return int(nearest(river_features(self._flop(board[:3]), board, at), self.river_centres)[0])
        named, renamings = canonical(board)
        at = np.array([representatives(renamings)[hole_number(hole)]])
        return int(nearest(turn_features(self._flop(named[:3]), named, at), self.turn_centres)[0])

    @lru_cache(maxsize=4096)  # noqa: B019 - there is one object for each table, and it stays
    def _flop(self, flop: tuple[int, ...]) -> Array:
        named, renamings = canonical(flop)
        numbers = representatives(renamings)
        distinct = distinct_of(numbers, flop)
        at = self.flops[named]
        found = np.zeros(HOLES, np.uint8)
        found[distinct] = self.flop_rows[self.flop_starts[at] : self.flop_starts[at + 1]]
        return found[numbers]


def nearest(features: Array, centres: Array) -> Array:
    """Return for each row of features the first of the nearest centres.

    All numbers are whole and below 2**53, so these floats are exact.
    """
    exact = centres.astype(np.float64)
    distances = (exact * exact).sum(axis=1) - 2 * (features.astype(np.float64) @ exact.T)
    found: Array = distances.argmin(axis=1)
    return found


def distinct_of(numbers: Array, board: tuple[int, ...]) -> Array:
    """Return the representatives of the holes that share no card with a board, in ascending order."""
    found = np.zeros(HOLES, bool)
    found[numbers[~collides(board)]] = True
    return np.flatnonzero(found)


@lru_cache(maxsize=256)
def collides(cards: tuple[int, ...]) -> Array:
    """Return for every hole whether it holds one of the cards."""
    held = np.zeros(HOLES, bool)
    for card in cards:
        held |= holes_with()[card]
    return held


def _wins(own: Array, others: Array) -> Array:
    """Return twice the number of sorted strengths that each strength beats, plus those it ties with."""
    found: Array = others.searchsorted(own) + others.searchsorted(own, "right")
    return found


def turn_features(flop_buckets: Array, board: tuple[int, ...], numbers: Array) -> Array:
    """Return the whole numbers by which holes fall into buckets on a canonical turn, shape (holes, TURN_FEATURES)."""
    possible = np.flatnonzero(~collides(board))
    ordered = possible[np.argsort(flop_buckets[possible], kind="stable")]
    sample = ordered[TURN_STEP // 2 :: TURN_STEP]
    starts = [len(sample) * start // EIGHTHS for start in GROUP_STARTS]
    rivers = [card for card in range(52) if card not in board]
    boards = np.array([(*board, river) for river in rivers])
    theirs, own = hole_strengths(sample, boards), hole_strengths(numbers, boards)
    wins = _wins_by_group(own, theirs, starts)
    met = np.add.reduceat(theirs >= 0, starts[:-1], axis=0, dtype=np.int64).T
    shown = own >= 0
    shares = TURN_BINS * wins.sum(axis=2)[..., None] < 2 * met.sum(axis=1)[:, None] * np.arange(1, TURN_BINS)
    below = (shares & shown[..., None]).sum(axis=1)
    won = (wins * shown[..., None]).sum(axis=1)
    return np.hstack([below, TURN_SCALE * won // (2 * (shown @ met))])


def _wins_by_group(own: Array, theirs: Array, starts: list[int]) -> Array:
    """Return twice the others beaten plus those tied with, shape (holes, rivers, groups).

    Few holes are compared with all others; for many, a table has the answer for every strength.
    """
    if len(own) <= FEW_HOLES:
        mine, other = own[:, None, :], theirs[None]
        scores = ((other < mine).astype(np.int64) + (other <= mine)) * (other >= 0)
        return np.add.reduceat(scores, starts[:-1], axis=1).transpose(0, 2, 1)
    rivers, groups, size = own.shape[1], len(starts) - 1, evaluator.STRENGTHS + 1
    of_sample = np.repeat(np.arange(groups), np.diff(starts))
    cells = (np.arange(rivers) * groups + of_sample[:, None]) * size + theirs
    counts = np.bincount(cells[theirs >= 0], minlength=rivers * groups * size).astype(np.int32)
    counts = counts.reshape(rivers, groups, size)
    table = 2 * counts.cumsum(axis=2, dtype=np.int32) - counts
    found: Array = table[np.arange(rivers), :, own].astype(np.int64)
    return found


def river_features(flop_buckets: Array, board: tuple[int, ...], numbers: Array) -> Array:
    """Return the whole numbers by which holes fall into buckets on a river, shape (holes, GROUPS)."""
    possible, groups, theirs = _river_board(flop_buckets.tobytes(), board)
    own = theirs[possible.searchsorted(numbers)]
    total = RIVER_SCALE * _wins(own, np.sort(theirs)) // (2 * len(theirs))
    columns = []
    for group in range(GROUPS):
        others = np.sort(theirs[groups == group])
        columns.append(RIVER_SCALE * _wins(own, others) // (2 * len(others)) if len(others) else total)
    return np.stack(columns, axis=1)


@lru_cache(maxsize=256)
def _river_board(flop_buckets: bytes, board: tuple[int, ...]) -> tuple[Array, Array, Array]:
    """Return the holes that share no card with a board, their groups by flop bucket, and their strengths.

    All holes of a flop bucket belong to the same group, by the middle of their places in the order.
    """
    possible = np.flatnonzero(~collides(board))
    of_possible = np.frombuffer(flop_buckets, np.uint8)[possible]
    counts = np.bincount(of_possible, minlength=256)
    twice_middle = 2 * (counts.cumsum() - counts) + counts
    eighths = np.minimum(EIGHTHS * twice_middle // (2 * len(possible)), EIGHTHS - 1)
    groups = np.array(GROUP_OF_EIGHTH)[eighths]
    theirs = hole_strengths(possible, np.array([board]))[:, 0]
    return possible, groups[of_possible], theirs


@cache
def shipped() -> CardBuckets:
    """Return the buckets of the table in the package."""
    return CardBuckets(**load().cards())


@lru_cache(maxsize=4096)
def buckets(board: tuple[int, ...]) -> Array:
    """Return the bucket of every hole on a board of 0, 3, 4 or 5 cards; those that share a card with it get any."""
    return shipped().buckets(board)


@lru_cache(maxsize=4096)
def bucket(hole: tuple[int, int], board: tuple[int, ...]) -> int:
    """Return the bucket of one hole: `buckets(board)` at its number, but faster."""
    return shipped().bucket(hole, board)
