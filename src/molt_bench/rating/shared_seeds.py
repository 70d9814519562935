"""Seeds that pairings share: what they do to the variance of a sum of margins.

A participant lucky on a seed may be lucky against everybody. So the variance of a sum is computed seed by seed, if that
makes it larger (the sandwich estimator, clustered by seed; Liang and Zeger 1986). Such a sum rests on its seeds,
however many pairings have played them: it has that many degrees of freedom, less one, and is as skewed as so few leave
it.

In a gauntlet a lead is the difference of two margins against the same opponent, and two who hold the same cards
against it are lucky together: the difference varies less (common random numbers; Glasserman and Yao 1992). There the
covariance counts. Where it helps, it is shrunk as if ten more seed pairs had shown none, since two who have won the
same so far may still differ on rare decks; a lead has only as many degrees of freedom as the seed pairs that both have
played; and two are called tied without its help (`GauntletModel.wide_lead`).
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from math import fsum, inf, sqrt
from typing import Final

from molt_bench.rating.pair_sums import Sample

#: Seed pairs without a correlation that count beside those both have played.
_DOUBT: Final = 10.0


def clustering(used: Sequence[tuple[float, Sample]]) -> float:
    """Return by what factor shared seeds increase the variance of a weighted sum of margins; at least 1."""
    if len(used) == 1:
        return 1.0
    together: dict[Hashable, float] = defaultdict(float)
    apart = []
    for weight, sample in used:
        # Corrects for the estimated mean, as each pair's own variance does.
        scale = weight / sample.count * sqrt(sample.count / max(1, sample.free))
        for seed, margin in zip(sample.seeds, sample.margins, strict=True):
            together[seed] += scale * (margin - sample.mean)
        apart.append(scale**2 * sample.squares)
    alone = fsum(apart)
    return max(1.0, fsum(part**2 for part in together.values()) / alone) if alone else 1.0


def seeds_in_sum(used: Sequence[tuple[float, Sample]], variances: Sequence[float]) -> float:
    """Return how many seeds a weighted sum of margins rests on, by what each adds to its variance.

    `variances` are those of the seed pairs of each. Where no seed is shared, it is the number of all seed pairs if
    these add the same; where all pairs have played the same seeds, it is the number of these.
    """
    by_seed: dict[Hashable, float] = defaultdict(float)
    for (weight, sample), variance in zip(used, variances, strict=True):
        for seed in sample.seeds:
            by_seed[seed] += (weight / sample.count) ** 2 * variance
    squares = fsum(each**2 for each in by_seed.values())
    return fsum(by_seed.values()) ** 2 / squares if squares else inf


def covariance(used: Sequence[tuple[float, Sample]], variances: Sequence[float]) -> tuple[float, float]:
    """Return what shared seeds add to the variance of a weighted sum of two margins, and its most degrees of freedom.

    `variances` are those of the seed pairs of each, shrunk. They may be closer to each other than those of the samples,
    which would make more of the same correlation; so the product counts that makes the sum vary more.
    """
    (one_weight, one), (two_weight, two) = used
    margins = dict(zip(two.seeds, two.margins, strict=True))
    both = [
        (margin - one.mean, margins[seed] - two.mean)
        for seed, margin in zip(one.seeds, one.margins, strict=True)
        if seed in margins
    ]
    squares = fsum(first**2 for first, _ in both) * fsum(second**2 for _, second in both)
    if not squares:
        return 0.0, inf
    correlation = fsum(first * second for first, second in both) / sqrt(squares)
    products = variances[0] * variances[1], one.squares * two.squares / (one.free * two.free)
    shared = len(both)
    added = 2 * one_weight * two_weight * correlation * shared / (one.count * two.count)
    added *= sqrt(max(products)) if added > 0 else sqrt(min(products)) * shared / (shared + _DOUBT)
    return added, max(1.0, shared - 1.0)
