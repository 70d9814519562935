"""Shrinkage of variances: how much the variance of the other pairs says about that of one pair.

If the true variances of the pairs are scaled inverse chi-square with d degrees of freedom, d seed pairs is what the
others are worth beside a pair's own. It is estimated from how much the logarithms of the sample variances differ,
beyond what their own degrees of freedom explain (Smyth 2004, section 6.2). Where pairs differ a lot, as on a ladder of
calm and wild players, d is small, and each pair speaks for itself.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import fsum, inf, log
from typing import Final

#: From this argument on, the asymptotic series have ten digits.
_FAR: Final = 10.0


def prior_freedom(variances: Sequence[tuple[float, int]]) -> float:
    """Return the degrees of freedom of the prior, given sample variances with their degrees of freedom.

    Infinite if the variances do not differ by more than chance; also if there are fewer than two.
    """
    known = [_log_variance(value, free) for value, free in variances]
    if len(known) < 2:
        return inf
    mean = fsum(each for each, _ in known) / len(known)
    spread = fsum((each - mean) ** 2 for each, _ in known) / (len(known) - 1)
    beyond = spread - fsum(chance for _, chance in known) / len(known)
    return 2 * inverse_trigamma(beyond) if beyond > 0 else inf


@lru_cache(maxsize=1 << 14)
def _log_variance(value: float, free: int) -> tuple[float, float]:
    """Return the logarithm of a sample variance, corrected for its bias, and its variance by chance."""
    return log(value) - digamma(free / 2) + log(free / 2), trigamma(free / 2)


@lru_cache(maxsize=4096)
def digamma(value: float) -> float:
    """Return the derivative of the logarithm of the gamma function, for a positive number.

    >>> round(digamma(1.0), 8)
    -0.57721566
    """
    shift = 0.0
    while value < _FAR:
        shift -= 1 / value
        value += 1
    square = 1 / value**2
    return shift + log(value) - 0.5 / value - square * (1 / 12 - square * (1 / 120 - square / 252))


@lru_cache(maxsize=4096)
def trigamma(value: float) -> float:
    """Return the derivative of `digamma`.

    >>> round(trigamma(1.0), 8), round(trigamma(0.5), 8)
    (1.64493407, 4.9348022)
    """
    shift = 0.0
    while value < _FAR:
        shift += 1 / value**2
        value += 1
    square = 1 / value**2
    return shift + 1 / value + square / 2 + square / value * (1 / 6 - square * (1 / 30 - square / 42))


def inverse_trigamma(wanted: float) -> float:
    """Return the number whose `trigamma` is `wanted`, by bisection of its logarithm.

    >>> round(inverse_trigamma(trigamma(3.25)), 6)
    3.25
    """
    low, high = 1e-8, 1e8
    while high / low > 1 + 1e-9:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if trigamma(middle) > wanted else (low, middle)
    return high
