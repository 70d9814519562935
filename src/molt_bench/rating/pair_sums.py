"""What is known of every pair of participants as arrays, and weighted sums over pairs."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from molt_bench.poker.equity import Ints
    from molt_bench.poker.range_equity import Floats


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
