"""Confidence at any time: claims that stay valid although one looks after every round and stops when one likes.

A fixed-sample interval is right 95% of the time if it is looked at once. Looked at after every round until it says
what one hopes for, it is wrong as often as one likes. Robbins' normal mixture is not: the likelihood of the data,
averaged over differences drawn from Normal(0, spread), over their likelihood without a difference, is a martingale
where there is none, so the chance that it *ever* exceeds 1/error is at most `error` (Ville's inequality; Robbins 1970;
Howard, Ramdas, McAuliffe and Sekhon 2021, equation 14).

The margins are taken as Normal with a known variance; that it is estimated is made up for by looking at Student's t
through its probability. See docs/methods.md for what voids this.
"""

from math import erfc, exp, inf, log, log1p, sqrt
from statistics import NormalDist
from typing import Final

from molt_bench.rating.student import Estimate, student_cdf, student_quantile

#: The mixture is spread like differences worth finding: so many times the margin within which two count as tied.
SPREAD: Final = 2.0
_NORMAL: Final = NormalDist()
_LEAST: Final = 1e-300


def sure(estimate: Estimate, spread: float) -> float:
    """Return how sure it is that a number is above 0, valid at any time: from 0 to 1, and 0.5 without evidence.

    One minus half of the p-value that the mixture gives: at 0.95 the chance to have been wrong so far is at most 5%.

    Args:
        estimate: What is known of the number.
        spread: Standard deviation of the mixture.
    """
    if estimate.scale == inf or not estimate.mean:
        return 0.5
    # The z that is as unlikely as this t.
    z = -_NORMAL.inv_cdf(max(_LEAST, student_cdf(-abs(estimate.mean) / estimate.scale, estimate.free)))
    more = (spread / estimate.scale) ** 2  # what the mixture adds to the variance
    against = min(1.0, exp(log1p(more) / 2 - min(700.0, z * z / 2 * more / (1 + more)))) / 2
    return 1 - against if estimate.mean > 0 else against


def radius(estimate: Estimate, spread: float, error: float) -> float:
    """Return half of the interval that holds the number at all times, except with probability `error`.

    Args:
        estimate: What is known of the number.
        spread: Standard deviation of the mixture.
        error: How likely the interval may ever miss the number.
    """
    more = 0.0 if estimate.scale == inf else (spread / estimate.scale) ** 2
    if not more:
        return inf
    z = sqrt((2 * log(1 / error) + log1p(more)) * (1 + more) / more)
    # The t that is as unlikely as this z.
    return -student_quantile(max(_LEAST, erfc(z / sqrt(2)) / 2), estimate.free) * estimate.scale
