"""Confidence sequences: claims that stay valid when you look after every round and stop whenever you like.

A fixed-sample interval is right 95% of the time if looked at once. Looked at after every round until it shows the
hoped-for result, it can be made wrong as often as you like. Robbins' normal mixture cannot: the likelihood of the data,
averaged over differences drawn from Normal(0, spread), divided by their likelihood without a difference, is a
martingale if there is none, so the probability that it *ever* exceeds 1/error is at most `error` (Ville's inequality;
Robbins 1970; Howard, Ramdas, McAuliffe and Sekhon 2021, equation 14).

Margins are treated as Normal with a known variance; to allow for its estimation, Student's t is converted to the z of
the same probability. See docs/methods.md for what voids this.
"""

from math import erfc, exp, inf, log, log1p, sqrt
from statistics import NormalDist
from typing import Final

from molt_bench.rating.student import Estimate, student_cdf, student_quantile

#: Standard deviation of the mixture, like differences worth finding: this many times the tie margin.
SPREAD: Final = 2.0
_NORMAL: Final = NormalDist()
_LEAST: Final = 1e-300


def sure(estimate: Estimate, spread: float) -> float:
    """Return the anytime-valid confidence that a number is above 0: from 0 to 1, and 0.5 without evidence.

    It is one minus half the p-value of the mixture: at 0.95, the chance of ever having been wrong is at most 5%.

    Args:
        estimate: The estimate of the number.
        spread: Standard deviation of the mixture.
    """
    if estimate.scale == inf or not estimate.mean:
        return 0.5
    # The z with the same tail probability as this t.
    z = -_NORMAL.inv_cdf(max(_LEAST, student_cdf(-abs(estimate.mean) / estimate.scale, estimate.free)))
    more = (spread / estimate.scale) ** 2  # what the mixture adds to the variance
    against = min(1.0, exp(log1p(more) / 2 - min(700.0, z * z / 2 * more / (1 + more)))) / 2
    return 1 - against if estimate.mean > 0 else against


def radius(estimate: Estimate, spread: float, error: float) -> float:
    """Return half the width of the interval that always holds the number, except with probability `error`.

    Args:
        estimate: The estimate of the number.
        spread: Standard deviation of the mixture.
        error: Probability that the interval ever misses the number.
    """
    more = 0.0 if estimate.scale == inf else (spread / estimate.scale) ** 2
    if not more:
        return inf
    z = sqrt((2 * log(1 / error) + log1p(more)) * (1 + more) / more)
    # The t with the same tail probability as this z.
    return -student_quantile(max(_LEAST, erfc(z / sqrt(2)) / 2), estimate.free) * estimate.scale
