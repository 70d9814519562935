"""Shrinkage of variances: how much the variance of the other pairs says about that of one pair.

If the true variances of the pairs are scaled inverse chi-square with d degrees of freedom, d seed pairs is what the
others are worth beside a pair's own. It is estimated from how much the logarithms of the sample variances differ,
beyond what their own degrees of freedom explain (Smyth 2004, section 6.2). Where pairs differ a lot, as on a ladder of
calm and wild players, d is small, and each pair speaks for itself.
"""

from __future__ import annotations

from functools import lru_cache
from math import fsum, inf, isnan, log, nan
from typing import Final

import numpy as np

from molt_bench.poker.arrays import Floats
from molt_bench.rating.exact_sums import blocks

#: From this many variances on, sums by numpy come first, which may be off in their last digits.
_MANY: Final = 200
_TOO_CLOSE: Final = 1e-13
_SURELY_LESS: Final = 1 - 1e-6
#: From this argument on, the asymptotic series have ten digits.
_FAR: Final = 10.0


class LogVariances:
    """The logarithms of the sample variances of so many pairs, as far as they vary, and what follows from them."""

    def __init__(self, pairs: int) -> None:
        #: Not a number where a pair has not varied.
        self._logs: Floats = np.full(pairs, nan)
        self._chances: Floats = np.zeros(pairs)
        self._varied = 0

    def set(self, at: int, squares: float, free: int) -> None:
        """Replace the sum of squares of a pair, with its degrees of freedom."""
        varied = free > 0 and squares > 0
        self._varied += varied - (not isnan(self._logs[at]))
        self._logs[at], self._chances[at] = _log_variance(squares / free, free) if varied else (nan, 0.0)

    def prior_freedom(self, most: float = inf) -> float:
        """Return the degrees of freedom of the prior, or `most` if they are more.

        They are infinite if the variances do not differ by more than chance; also if there are fewer than two.
        """
        logs, chances = self._logs, self._chances
        if self._varied < len(logs):
            varied = ~np.isnan(logs)
            logs, chances = logs[varied], chances[varied]
        if len(logs) < 2:
            return most
        if len(logs) > _MANY:
            squares, mean = 0.0, logs.mean()
            for some in blocks(len(logs)):
                distances = logs[some] - mean
                squares += float((distances * distances).sum())
            spread, chance = squares / (len(logs) - 1), float(chances.mean())
            found = _freedom(spread - chance, most, off=_TOO_CLOSE * (spread + chance))
            if found is not None:
                return found
        known = logs.tolist()
        mean = fsum(known) / len(known)
        spread = fsum([(each - mean) ** 2 for each in known]) / (len(known) - 1)
        found = _freedom(spread - fsum(chances.tolist()) / len(known), most)
        assert found is not None
        return found


def _freedom(beyond: float, most: float, *, off: float = 0.0) -> float | None:
    """Return the degrees of freedom, given how much variances differ beyond chance.

    That may be `off` by so much: None if the freedom could then be another.
    """
    if off and -off <= beyond <= off:
        return None
    # In the second case, what is looked for is above `most` anyway.
    if beyond <= 0 or (off and beyond < _SURELY_LESS * trigamma(most / 2)):
        return most
    found = inverse_trigamma(beyond, off=off)
    return None if found is None else min(most, 2 * found)


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


def inverse_trigamma(wanted: float, *, off: float = 0.0) -> float | None:
    """Return the number whose `trigamma` is `wanted`, by bisection of its logarithm.

    What is wanted may be `off` by so much: None if the bisection could then end elsewhere.

    >>> round(inverse_trigamma(trigamma(3.25)), 6)
    3.25
    """
    low, high = 1e-8, 1e8
    while high / low > 1 + 1e-9:
        middle = (low * high) ** 0.5
        found = trigamma(middle)
        if off and abs(found - wanted) <= off:
            return None
        low, high = (middle, high) if found > wanted else (low, middle)
    return high
