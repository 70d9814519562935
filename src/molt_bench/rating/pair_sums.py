"""What is known of every pair of participants: its seed pairs, their sums as arrays, and weighted sums over pairs."""

from __future__ import annotations

from collections.abc import Hashable
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from molt_bench.poker.arrays import Floats, Ints


class Sample(msgspec.Struct, frozen=True):
    """The seed pairs of two participants: margins, seeds, mean and sum of squares around it."""

    margins: tuple[float, ...] = ()
    seeds: tuple[Hashable, ...] = ()
    mean: float = 0.0
    squares: float = 0.0

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.margins)

    @property
    def free(self) -> int:
        """Degrees of freedom of the squares."""
        return max(0, len(self.margins) - 1)


class Terms(NamedTuple):
    """A weighted sum of margins: the numbers of its pairs, their weights, and the squares of these."""

    places: Ints
    weights: Floats
    squared: Floats


class Sums:
    """Seed pairs, mean and sum of squares around it of every pair, by its number."""

    def __init__(self, pairs: int) -> None:
        import numpy as np  # here, since it is slow to load

        self.counts: Floats = np.zeros(pairs)
        self.means: Floats = np.zeros(pairs)
        self.squares: Floats = np.zeros(pairs)
        #: Degrees of freedom of the squares.
        self.free: Floats = np.zeros(pairs)

    def set(self, at: int, count: int, mean: float, squares: float) -> None:
        """Replace what is known of a pair."""
        self.counts[at], self.means[at], self.squares[at], self.free[at] = count, mean, squares, max(0, count - 1)

    def total(self) -> float:
        """Return the sum of all squares."""
        return fsum(self.squares[self.free > 0].tolist())

    def known(self) -> list[tuple[float, int]]:
        """Return the variance of every pair that has one above 0, with its degrees of freedom."""
        varied = (self.free > 0) & (self.squares > 0)
        squares, free = self.squares[varied], self.free[varied]
        return list(zip((squares / free).tolist(), free.astype(int).tolist(), strict=True))
