"""The change between two versions of an agent in numbers: its estimate, its interval at one look, and the verdict.

The interval is a multiple of the standard error: Student's t, wider for skewness. What is rare may not have happened
yet, so few seed pairs count as more skewed than they look. The constants are calibrated by simulation
(research/one_look.py), so that at most 2.5% of comparisons are wrong on either side, from 5 seed pairs on.
"""

from collections.abc import Sequence
from math import fsum, inf, sqrt
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.rating.estimate import Estimate

#: The new version is better, worse, equally good within a margin, or that is not known.
ChangeVerdict: TypeAlias = Literal["better", "worse", "within", "unknown"]

#: Everybody is taken to have shown this squared skewness of a seed pair, in so many seed pairs.
UNSEEN_SKEWNESS: Final = 20.0
UNSEEN_SEED_PAIRS: Final = 400.0
#: How much a unit of the squared skewness of the mean widens the interval, and three times as wide at most.
SKEW: Final = 6.5
_MOST: Final = 3.0
#: How often a gate should notice a loss that is twice the one that it fails by.
NOTICED: Final = 0.8
#: How many times what has been played is too much, and how exact a smaller number is.
_MOST_TIMES: Final = 1e9
_STEP: Final = 1.01


class Change(Estimate, frozen=True):
    """An estimate of a change, in thousandths of a big blind per hand.

    Attributes:
        skewness: Squared skewness of a seed pair, as far as it has shown.
        seed_pairs: Seed pairs of a single opponent that would have the same squared skewness of their mean.
    """

    skewness: float
    seed_pairs: float

    @property
    def caution(self) -> float:
        """By what the interval is wider than Student's t, for skewness that has shown or may not have yet."""
        assumed = UNSEEN_SEED_PAIRS * UNSEEN_SKEWNESS + self.seed_pairs * self.skewness
        more = SKEW * assumed / (UNSEEN_SEED_PAIRS + self.seed_pairs) / self.seed_pairs
        return 1 + more / (1 + more / _MOST)

    def half_width(self, level: float = 0.95) -> float:
        """Return half the width of the interval at this confidence level."""
        return self.caution * super().half_width(level)

    def multiple(self, level: float) -> float:
        """Return how many standard errors the interval at this confidence level reaches on either side."""
        return msgspec.structs.replace(self, error=1.0).half_width(level)

    def reach(self, level: float) -> float:
        """Return how far from 0 a change has to be for its interval to be on one side of 0 in four of five runs."""
        return self.half_width(level) + super().half_width(2 * NOTICED - 1)

    def times_to_reach(self, loss: float, level: float) -> float:
        """Return about how many times the seed pairs it takes to notice this loss; infinite if that is too many."""
        times = 1.0
        while times < _MOST_TIMES and self._after(times).reach(level) > loss:
            times *= _STEP
        return times if times < _MOST_TIMES else inf

    def _after(self, times: float) -> "Change":
        """Return what would be known after so many times the seed pairs, if they vary as these do."""
        return msgspec.structs.replace(
            self,
            error=self.error / sqrt(times),
            free=max(1.0, self.free * times),
            seed_pairs=self.seed_pairs * times,
        )


def change_of(samples: Sequence[tuple[float, Sequence[float]]]) -> Change:
    """Return what is known of a weighted sum of means, from independent samples of at least two seed pairs each.

    A seed pair of 0 came out the same in both versions. It counts for the mean, but tells nothing of how large a
    difference may be: certainty rests on the others.
    """
    means, variances, frees, own, seen = [], [], [], [], []
    for weight, values in samples:
        count, told = len(values), max(2, sum(value != 0 for value in values))
        mean = fsum(values) / count
        squares = fsum((value - mean) ** 2 for value in values)
        cubes = fsum((value - mean) ** 3 for value in values)
        variance = weight**2 * squares / (count - 1) / count
        means.append(weight * mean)
        variances.append(variance)
        frees.append(told - 1)
        own.append(variance**1.5 / sqrt(told))
        seen.append(own[-1] * sqrt(count * cubes**2 / squares**3) if squares else 0.0)
    variance, thirds = fsum(variances), fsum(own)
    free = variance**2 / fsum(each**2 / free for each, free in zip(variances, frees, strict=True)) if variance else inf
    return Change(
        mean=fsum(means),
        error=sqrt(variance),
        free=free,
        skewness=(fsum(seen) / thirds) ** 2 if thirds else 0.0,
        seed_pairs=variance**3 / thirds**2 if thirds else 1.0,
    )


def verdict_of(interval: tuple[float, float], within: float) -> ChangeVerdict:
    """Return the verdict for an interval of the change.

    >>> [verdict_of(interval, 250) for interval in ((10, 900), (-900, -10), (-80, 120), (-80, 300))]
    ['better', 'worse', 'within', 'unknown']
    """
    low, high = interval
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "within" if -within <= low and high <= within else "unknown"
