"""What is known of every pair of participants: its seed pairs, their sums as arrays, and weighted sums over pairs."""

from __future__ import annotations

from collections.abc import Hashable
from math import fsum
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from molt_bench.lazy_import import lazy_import
from molt_bench.rating.shrinkage import prior_freedom

if TYPE_CHECKING:
    import numpy as np

    from molt_bench.poker.arrays import Floats, Ints
else:
    np = lazy_import("numpy")

#: The variance of all pairs counts as this many seed pairs at most beside a pair's own.
PRIOR_WEIGHT: Final = 2.0


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
    """A weighted sum of margins: the indices of its pairs, their weights, and the squares of these."""

    indices: Ints
    weights: Floats
    squared: Floats


class PairSums:
    """Seed pairs, mean and sum of squares around it of every pair, by its index.

    Args:
        pairs: How many pairs there are.
        first_guess: Variance of a seed pair assumed before there is data.
    """

    def __init__(self, pairs: int, first_guess: float) -> None:
        self.counts: Floats = np.zeros(pairs)
        self.means: Floats = np.zeros(pairs)
        self._squares: Floats = np.zeros(pairs)
        #: Degrees of freedom of the squares.
        self._free: Floats = np.zeros(pairs)
        self._first_guess = first_guess
        self._spreads: tuple[Floats, Floats] | None = None

    def set(self, at: int, sample: Sample) -> None:
        """Replace what is known of a pair."""
        self.counts[at], self.means[at] = sample.count, sample.mean
        self._squares[at], self._free[at] = sample.squares, sample.free
        self._spreads = None

    def spreads(self) -> tuple[Floats, Floats]:
        """Return the variance of every pair, shrunk towards that of the others, and its degrees of freedom.

        A pair's own seed pairs are excluded from the others, or they would count twice. The initial guess is all there
        is at first, and counts for less as data come in.
        """
        if self._spreads is None:
            squares, free = self._squares, self._free
            varied = (free > 0) & (squares > 0)
            known = zip((squares[varied] / free[varied]).tolist(), free[varied].astype(int).tolist(), strict=True)
            total, all_free = fsum(squares[free > 0].tolist()), int(free.sum())
            guess_weight = 1 / (1 + all_free)
            # Of all others: how much they vary, and how many seed pairs that counts as.
            weight = guess_weight + (all_free - free)
            variance = (guess_weight * self._first_guess + np.maximum(0.0, total - squares)) / weight
            counted = np.minimum(max(min(PRIOR_WEIGHT, prior_freedom(list(known))), guess_weight), weight)
            self._spreads = (counted * variance + squares) / (counted + free), counted + free
        return self._spreads

    def weighted(self, terms: Terms) -> tuple[float, float, float, float] | None:
        """Return the mean and variance of a weighted sum, its degrees of freedom, and the variance of one of each.

        None if one of its pairs has no seed pairs. The freedom is by Welch and Satterthwaite.
        """
        indices = terms.indices
        counts = self.counts[indices]
        if not len(indices) or not counts.all():
            return None
        variances, frees = self.spreads()
        parts = terms.squared * variances[indices] / counts
        total = fsum(parts.tolist())
        # As Python's `**` computes squares, which is not always the product: ratings stay the same to the last bit.
        free = total**2 / fsum((np.float_power(parts, 2.0) / frees[indices]).tolist())
        mean = fsum((terms.weights * self.means[indices]).tolist())
        return mean, total, free, fsum((parts * counts).tolist())
