"""The change between two versions of an agent at one look: its estimate, its interval, and the verdict.

The interval is a multiple of the standard error: Student's t, wider for skewness. What is rare may not have happened
yet, so few seed pairs count as more skewed than they look. The constants are calibrated by simulation
(research/one_look.py), so that at most 2.5% of comparisons are wrong on either side, from 5 seed pairs on.
"""

from collections.abc import Mapping, Sequence
from math import fsum, inf, sqrt
from typing import Final, Literal, NamedTuple, TypeAlias

from molt_bench.bench.gate import bb, lost
from molt_bench.rating.estimate import Estimate

#: The new version is surely better, not worse by more than a margin, or worse; or none of these is sure yet.
Verdict: TypeAlias = Literal["better", "not worse", "worse", "open"]

#: Everyone is taken to have shown this squared skewness of a seed pair, in so many seed pairs.
UNSEEN_SKEWNESS: Final = 20.0
UNSEEN_SEED_PAIRS: Final = 400.0
#: How much a unit of the squared skewness of the mean widens the interval, and three times as wide at most.
SKEW: Final = 6.5
_MOST: Final = 3.0
#: More play than is ever affordable, as a multiple of what has been played.
_NEVER: Final = 1000.0


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

    def multiple(self, level: float) -> float:
        """Return how many standard errors the interval at this confidence level reaches on either side."""
        return self.caution * Estimate(0.0, 1.0, self.free).half_width(level)

    def half_width(self, level: float = 0.95) -> float:
        """Return half the width of the interval at this confidence level."""
        return self.multiple(level) * self.error


class Judged(NamedTuple):
    """A verdict, and why: what was lost, or what is missing; nothing for a good one."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()


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


def judged(change: Change, margin: float, level: float, *, against: Mapping[str, Change] = {}) -> Judged:
    """Return whether a version is worse by more than a margin, on average or to one opponent.

    What one opponent punishes is lost in the mean where games against another vary a lot. The opponents share the
    error of one interval (Bonferroni), so that many of them raise no more false alarms than one.

    >>> known = Change(mean=-300.0, error=50.0, free=1e6, skewness=0.0, seed_pairs=1e6)
    >>> [judged(known, margin, 0.95).verdict for margin in (100.0, 300.0, 500.0)]
    ['worse', 'open', 'not worse']
    """
    low, high = change.interval(level)
    shared = 1 - (1 - level) / max(1, len(against))
    reasons = [lost(margin)] if high < -margin else []
    reasons += [lost(margin, to=name) for name, each in against.items() if each.interval(shared)[1] < -margin]
    if reasons:
        return Judged("worse", tuple(reasons))
    if low > 0:
        return Judged("better")
    if low >= -margin:
        return Judged("not worse")
    distance = abs(change.mean + margin)
    times = (change.half_width(level) / distance) ** 2 if distance else inf
    if times > _NEVER:
        return Judged("open", (f"it is too close to {bb(-margin)} bb/100 for any number of hands",))
    return Judged("open", (f"an answer takes about {times:,.1f} times as many seed pairs, if the change stays",))
