"""What is known of every pair of participants: its seed pairs, their sums as arrays, and weighted sums over pairs.

Where seed pairs are skewed, as by rare all-ins, a t interval is too short, whatever its degrees of freedom: to second
order in 1/n its half-width lacks `SKEW` times the squared skewness over n (Hall 1992, section 2.6). And while what is
rare has not happened yet, a pair seems to vary less than it does; so the variance of the others counts as so many more
seed pairs beside its own. What a pair has not shown its players may have shown against others: its skewness is that of
all seed pairs of one of the two, whichever is more, less what normal margins show by chance.

Verdicts need more than that. They are claimed where an interval is three standard errors wide, where skewness matters
four times as much, and a run looks often enough to meet the moment at which the big loss is still to come. So for
verdicts everybody counts as skewed until its own seed pairs say otherwise.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
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
#: How much a squared skewness, over the number of seed pairs, adds to the standard error: at 95%, where z = 1.96, it is
#: (z^4 + 2 z^2 - 3) / 18.
SKEW: Final = 1.08
#: The same at the bars of verdicts, where z is 2.9 to 3.2, and the factor has the form 1 + a s / (1 + a s / 2): that is
#: what exponential margins need there after 4 to 80 seed pairs, with s their squared skewness over that number.
_SKEW_AT_BAR: Final = 4.2
#: The squared skewness, for verdicts, of somebody without seed pairs, and how many seed pairs that counts as. It is
#: that of exponential margins.
_UNSEEN: Final = 4.0
UNSEEN_WEIGHT: Final = 40.0


def unseen_skewness(seed_pairs: float) -> float:
    """Return the squared skewness, for verdicts, of somebody whose seed pairs, so many, have shown none."""
    return UNSEEN_WEIGHT * _UNSEEN / (UNSEEN_WEIGHT + seed_pairs)


def widening_at_bar(skewness: float) -> float:
    """Return by what factor a squared skewness, over the number of seed pairs, widens standard errors for verdicts."""
    more = _SKEW_AT_BAR * skewness
    return 1 + more / (1 + more / 2)


class Sample(msgspec.Struct, frozen=True):
    """The seed pairs of two participants: margins, seeds, mean, and sums of squares and cubes around it."""

    margins: tuple[float, ...] = ()
    seeds: tuple[Hashable, ...] = ()
    mean: float = 0.0
    squares: float = 0.0
    cubes: float = 0.0

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


class Sum(NamedTuple):
    """What is known of a weighted sum of margins.

    Attributes:
        mean: Its estimate.
        variance: The variance of that.
        free: Degrees of freedom of the variance.
        unit: The variance that one seed pair of every pair would give.
        widening: By what factor skewness widens the standard error; at least 1.
        caution: By what factor it is wider still for verdicts; at least 1.
    """

    mean: float
    variance: float
    free: float
    unit: float
    widening: float
    caution: float


class PairSums:
    """Seed pairs, mean and sums of squares and cubes around it of every pair, by its index.

    Args:
        pairs: The two participants of every pair, by their numbers.
        first_guess: Variance of a seed pair assumed before there is data.
        skewed: Whether intervals allow for skewness.
        cautious: Whether verdicts allow for skewness that has not shown yet.
    """

    def __init__(
        self, pairs: Sequence[tuple[int, int]], first_guess: float, *, skewed: bool = True, cautious: bool = True
    ) -> None:
        self.counts: Floats = np.zeros(len(pairs))
        self.means: Floats = np.zeros(len(pairs))
        self._ones, self._others = np.array(pairs, np.int64).reshape(-1, 2).T
        self._skewed, self._cautious = skewed, skewed and cautious
        self._skews: tuple[Floats, Floats] | None = None
        self._cubes: Floats = np.zeros(len(pairs))
        self._squares: Floats = np.zeros(len(pairs))
        #: Degrees of freedom of the squares.
        self._free: Floats = np.zeros(len(pairs))
        self._first_guess = first_guess
        self._spreads: tuple[Floats, Floats] | None = None

    def set(self, at: int, sample: Sample) -> None:
        """Replace what is known of a pair."""
        self.counts[at], self.means[at] = sample.count, sample.mean
        self._squares[at], self._free[at], self._cubes[at] = sample.squares, sample.free, sample.cubes
        self._spreads = self._skews = None

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
            believed = np.minimum(counted + self.skews()[0] ** 2, weight) if self._skewed else counted
            self._spreads = (believed * variance + squares) / (believed + free), counted + free
        return self._spreads

    def skews(self) -> tuple[Floats, Floats]:
        """Return the skewness of every pair: that of its more skewed participant, over all pairs of that one.

        The second is that for verdicts, as if everybody had been seen to be skewed before.
        """
        if self._skews is None:
            counts = self.counts
            known = (counts > 2) & (self._squares > 0)
            each = np.where(known, counts, 0.0)
            squares = np.where(known, self._squares, 1.0)
            seen = self._cubes * self._cubes * each / (squares * squares * squares)
            by_chance = 6 * (each - 2) / ((each + 1) * (each + 3))
            size = 1 + max(self._ones.max(initial=0), self._others.max(initial=0))
            sums = [
                np.bincount(ends, weights, size)
                for weights in (each * (seen - by_chance), each)
                for ends in (self._ones, self._others)
            ]
            own, played = np.maximum(sums[0] + sums[1], 0.0), sums[2] + sums[3]
            shown, assumed = (
                np.sqrt(np.maximum(each[self._ones], each[self._others]))
                for each in (
                    own / np.maximum(played, 1.0),
                    (own + UNSEEN_WEIGHT * _UNSEEN) / (played + UNSEEN_WEIGHT),
                )
            )
            self._skews = shown, assumed
        return self._skews

    def weighted(self, terms: Terms) -> Sum | None:
        """Return what is known of a weighted sum; None if one of its pairs has no seed pairs.

        The freedom is by Welch and Satterthwaite.
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
        return Sum(mean, total, free, fsum((parts * counts).tolist()), *self._widening(terms, parts, counts, total))

    def _widening(self, terms: Terms, parts: Floats, counts: Floats, total: float) -> tuple[float, float]:
        """Return by what factor the skewness of a sum widens its standard error, and by what other one for verdicts.

        `parts` are the shares of its variance, `total` is that. All pairs are taken to be skewed the same way.
        """
        if not self._skewed or not total:
            return 1.0, 1.0
        each = parts * np.sqrt(parts / counts)
        shown, assumed = (fsum((skews[terms.indices] * each).tolist()) ** 2 / total**3 for skews in self.skews())
        widening = 1 + SKEW * shown
        return widening, max(1.0, widening_at_bar(assumed) / widening) if self._cautious else 1.0
