"""The change between two versions of a participant, in numbers: its estimate, its interval and the verdict on it."""

from collections import defaultdict
from collections.abc import Mapping
from math import fsum, inf, sqrt
from statistics import fmean
from typing import Literal, TypeAlias

from molt_bench.rating.student import Estimate
from molt_bench.seeds import Seed

#: The new version is better, worse, equally good within a margin, or that is not known.
ChangeVerdict: TypeAlias = Literal["better", "worse", "within", "unknown"]
#: What was won in each seed pair, by opponent, in thousandths of a big blind per hand.
Won: TypeAlias = Mapping[str, Mapping[Seed, float]]


def verdict(interval: tuple[float, float], within: float) -> ChangeVerdict:
    """Return the verdict for an interval of the change.

    >>> verdict((10, 900), 250), verdict((-900, -10), 250), verdict((-80, 120), 250), verdict((-80, 300), 250)
    ('better', 'worse', 'within', 'unknown')
    """
    low, high = interval
    if low > 0:
        return "better"
    if high < 0:
        return "worse"
    return "within" if -within <= low and high <= within else "unknown"


def mean_over_opponents(won: Won) -> Estimate:
    """Return the mean of the means against each opponent, given at least two seed pairs per opponent.

    A seed with all opponents met on it is one draw. If all opponents were met on the same seeds, this is Student's t of
    the means over opponents, seed by seed; if no two opponents share a seed, it is Welch's.
    """
    share = 1 / len(won)
    pull: dict[Seed, float] = defaultdict(float)
    parts, total = [], 0.0
    for by_seed in won.values():
        count = len(by_seed)
        mean = fmean(by_seed.values())
        total += share * mean
        # Residuals are smaller than errors by this factor.
        up = sqrt(count / (count - 1))
        for seed, value in by_seed.items():
            pull[seed] += share * up * (value - mean) / count
        squares = fsum((value - mean) ** 2 for value in by_seed.values())
        parts.append((share**2 * squares / (count - 1) / count, count - 1))
    alone = fsum(part for part, _ in parts)
    welch = alone**2 / fsum(part**2 / free for part, free in parts) if alone else inf
    return Estimate(total, sqrt(fsum(each**2 for each in pull.values())), min(welch, len(pull) - 1))


def minus(first: Estimate, second: Estimate) -> Estimate:
    """Return the difference of two independent estimates."""
    parts = [(known.scale**2, known.free) for known in (first, second)]
    total = fsum(part for part, _ in parts)
    free = total**2 / fsum(part**2 / free for part, free in parts) if total else min(free for _, free in parts)
    return Estimate(first.mean - second.mean, sqrt(total), free)
