"""Student's t distribution without scipy, which takes a second to import, and estimates that follow it."""

from functools import lru_cache
from math import exp, expm1, inf, isinf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist
from typing import Final

import msgspec

from molt_bench.rating.error_function import erfc

_NORMAL = NormalDist()
_ITERATIONS = 500
_TINY = 1e-300
_CLOSE = 1e-15
#: From this many degrees of freedom on, it equals the normal distribution to seven digits.
_MANY = 1e7
#: Beyond this, so far out with so few degrees of freedom, the formula that a near quantile starts from is no good.
_WIDE = 5.0
_STEPS = 4


@lru_cache(maxsize=1 << 14)
def student_cdf(value: float, free: float) -> float:
    """Return the cumulative distribution of Student's t with `free` degrees of freedom.

    >>> round(student_cdf(2.228139, 10), 6), student_cdf(0.0, 3)
    (0.975, 0.5)
    """
    if isinf(value):
        return 1.0 if value > 0 else 0.0
    if free > _MANY:
        return erfc(-value / sqrt(2)) / 2
    tail = _incomplete_beta(free / (free + value * value), free / 2, 0.5) / 2
    return 1 - tail if value > 0 else tail


@lru_cache(maxsize=4096)
def student_quantile(share: float, free: float) -> float:
    """Return the quantile of Student's t: the value with `share` of the distribution below it.

    >>> round(student_quantile(0.975, 10), 4), round(student_quantile(0.975, 1e9), 4)
    (2.2281, 1.96)
    """
    if not 0 < share < 1:
        return inf if share >= 1 else -inf
    if share > 0.5:
        return -student_quantile(1 - share, free)
    # In the lower tail, where small shares keep their precision.
    if free > _MANY:
        return _NORMAL.inv_cdf(share)
    low, high = -1.0, 0.0
    # The tail is heavier than that of the normal distribution, which is faster to compute.
    while erfc(-low / sqrt(2)) / 2 > 1.001 * share or student_cdf(low, free) > share:
        low, high = 2 * low, low
    value = min(max(_NORMAL.inv_cdf(max(share, 1e-300)), low), high)
    constant = lgamma((free + 1) / 2) - lgamma(free / 2) - log(free * pi) / 2
    for _ in range(200):  # Newton's method, kept between known bounds
        error = student_cdf(value, free) - share
        low, high = (low, value) if error > 0 else (value, high)
        density = exp(constant - (free + 1) / 2 * log1p(value * value / free))
        step = error / density if density else inf  # underflow, far out in the tail: bisect
        if abs(step) < 1e-12 * max(1.0, -value):
            break
        value = value - step if low < value - step < high else (low + high) / 2
    return value


def near_quantile(share: float, free: float) -> float:
    """Return the quantile for a share below 0.5 to nine digits, in a quarter of the time: enough to plan by.

    It starts from the formula of Wallace (1959), which has three digits, and each step of Halley's method triples them.

    >>> round(near_quantile(0.025, 10), 6), round(student_quantile(0.025, 10), 6)
    (-2.228139, -2.228139)
    """
    normal = _NORMAL.inv_cdf(max(share, 1e-300))
    if free > _MANY:
        return normal
    wide = (normal * (8 * free + 3) / (8 * free + 1)) ** 2 / free
    if wide > _WIDE:
        return student_quantile(share, free)
    value = -sqrt(free * expm1(wide))
    constant = lgamma((free + 1) / 2) - lgamma(free / 2) - log(free * pi) / 2
    for _ in range(_STEPS):
        square = value * value
        density = exp(constant - (free + 1) / 2 * log1p(square / free))
        miss = (student_cdf(value, free) - share) / density
        step = miss / (1 + miss * (free + 1) * value / (free + square) / 2)
        value -= step
        if abs(step) < 1e-5 * -value:
            break
    return value


class Estimate(msgspec.Struct, frozen=True):
    """An estimate of a number: Student's t around `mean`, with standard error `scale` and `free` degrees of freedom.

    `unit` is the standard error that a single seed pair of every pairing would give; 0 if that is not known. Verdicts
    take the standard error to be larger by the factor `caution`, for skewness that has not shown yet.
    """

    mean: float
    scale: float
    free: float
    unit: float = 0.0
    caution: float = 1.0

    @property
    def tested(self) -> float:
        """The standard error that verdicts go by."""
        return self.scale * self.caution

    def above(self, value: float = 0.0) -> float:
        """Return the probability that the number is above `value`."""
        if self.scale == inf:
            return 0.5
        return student_cdf((self.mean - value) / self.scale, self.free)

    def within(self, margin: float) -> float:
        """Return the probability that the number is between -margin and +margin."""
        return 0.0 if self.scale == inf else self.above(-margin) - self.above(margin)

    def half_width(self, level: float = 0.95) -> float:
        """Return half the width of the central interval at this confidence level."""
        return inf if self.scale == inf else student_quantile((1 + level) / 2, self.free) * self.scale

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval at this confidence level."""
        half = self.half_width(level)
        return self.mean - half, self.mean + half


UNKNOWN: Final = Estimate(0.0, inf, 1.0)


def _incomplete_beta(at: float, first: float, second: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Lentz's method; DLMF 8.17.22)."""
    if at <= 0 or at >= 1:
        return float(at >= 1)
    if at > (first + 1) / (first + second + 2):
        return 1 - _incomplete_beta(1 - at, second, first)
    front = exp(_log_scale(first, second) + first * log(at) + second * log(1 - at)) / first
    # The first step, then two at a time; this is the inner loop of every verdict.
    upper, lower, found = 2.0, 1.0, 2.0
    both = first + second
    for half in range(_ITERATIONS // 2):
        degree = first + 2 * half
        if half:
            term = half * (second - half) * at / ((degree - 1) * degree)
            lower = 1 + term * lower
            lower = 1 / (lower if lower > _TINY or lower < -_TINY else _TINY)
            upper = 1 + term / upper
            if -_TINY <= upper <= _TINY:
                upper = _TINY
            change = upper * lower
            found *= change
            if -_CLOSE < change - 1 < _CLOSE:
                break
        term = -(first + half) * (both + half) * at / (degree * (degree + 1))
        lower = 1 + term * lower
        lower = 1 / (lower if lower > _TINY or lower < -_TINY else _TINY)
        upper = 1 + term / upper
        if -_TINY <= upper <= _TINY:
            upper = _TINY
        change = upper * lower
        found *= change
        if -_CLOSE < change - 1 < _CLOSE:
            break
    return front * (found - 1)


@lru_cache(maxsize=4096)
def _log_scale(first: float, second: float) -> float:
    """Return the logarithm of one over the beta function."""
    return lgamma(first + second) - lgamma(first) - lgamma(second)
