"""Student's t distribution at many places at once: the same numbers as in `student`, to the last bit.

numpy computes sums, products and quotients as Python does. Its logarithms and exponentials may differ in the last
digit, so these are Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, expm1, lgamma, log, log1p, pi

import numpy as np

from molt_bench.poker.arrays import Flags, Floats, Ints
from molt_bench.rating import student


def each(function: Callable[..., float], *numbers: Floats) -> Floats:
    """Return a function of Python's of every number."""
    return np.array(list(map(function, *(some.tolist() for some in numbers))), float)


def student_cdfs(values: Floats, frees: Floats) -> Floats:
    """Return `student.student_cdf` of each value."""
    usual = np.isfinite(values) & (frees <= student._MANY)
    at, first = np.ones(len(values)), frees / 2
    at[usual] = frees[usual] / (frees[usual] + values[usual] * values[usual])
    usual &= (at > 0) & (at < 1)
    turned = at > (first + 1) / (first + 0.5 + 2)
    one, two = np.where(turned, 0.5, first)[usual], np.where(turned, first, 0.5)[usual]
    betas = _incomplete_betas(np.where(turned, 1 - at, at)[usual], one, two)
    tails = np.where(turned[usual], 1 - betas, betas) / 2
    found = np.empty(len(values))
    found[usual] = np.where(values[usual] > 0, 1 - tails, tails)
    for here in np.flatnonzero(~usual).tolist():
        found[here] = student.student_cdf(float(values[here]), float(frees[here]))
    return found


def near_quantiles(shares: Floats, frees: Floats) -> Floats:
    """Return `student.near_quantile` of each share."""
    normal = each(lambda share: student._NORMAL.inv_cdf(max(share, 1e-300)), shares)
    wide = np.float_power(normal * (8 * frees + 3) / (8 * frees + 1), 2.0) / frees
    usual = (frees <= student._MANY) & (wide <= student._WIDE)
    found = np.empty(len(shares))
    here = np.flatnonzero(usual)
    share, free = shares[here], frees[here]
    value = -np.sqrt(free * each(expm1, wide[here]))
    constant = each(lgamma, (free + 1) / 2) - each(lgamma, free / 2) - each(log, free * pi) / 2
    for _ in range(student._STEPS):
        square = value * value
        density = each(exp, constant - (free + 1) / 2 * each(log1p, square / free))
        miss = (student_cdfs(value, free) - share) / density
        step = miss / (1 + miss * (free + 1) * value / (free + square) / 2)
        value = value - step
        found[here] = value
        left = ~(np.abs(step) < 1e-5 * -value)
        if not left.any():
            break
        here, share, free, value, constant = (some[left] for some in (here, share, free, value, constant))
    for at in np.flatnonzero(~usual).tolist():
        found[at] = student.near_quantile(float(shares[at]), float(frees[at]))
    return found


def _incomplete_betas(at: Floats, first: Floats, second: Floats) -> Floats:
    """Return `student._incomplete_beta`, where its continued fraction converges as it is."""
    scale = each(student._log_scale, first, second)
    front = each(exp, scale + first * each(log, at) + second * each(log, 1 - at)) / first
    return front * (_Fractions(at, first, second).converged() - 1)


class _Fractions:
    """The continued fractions of the incomplete beta function; each is left once it has converged."""

    def __init__(self, at: Floats, first: Floats, second: Floats) -> None:
        count = len(at)
        self._found = np.ones(count)
        self._here: Ints = np.arange(count)
        self._at, self._first, self._second = at, first, second
        self._upper, self._lower, self._product = np.full(count, 2.0), np.ones(count), np.full(count, 2.0)
        self._open: Flags = np.ones(count, bool)

    def converged(self) -> Floats:
        """Return what they converge to."""
        for half in range(student._ITERATIONS // 2):
            degree = self._first + 2 * half
            if half:
                self._step(half * (self._second - half) * self._at / ((degree - 1) * degree))
            self._step(-(self._first + half) * (self._first + self._second + half) * self._at / (degree * (degree + 1)))
            open_now = np.count_nonzero(self._open)
            if not open_now:
                break
            if 2 * open_now < len(self._open):
                self._leave_closed()
        self._found[self._here[self._open]] = self._product[self._open]
        return self._found

    def _step(self, term: Floats) -> None:
        self._lower = 1 / _not_0(1 + term * self._lower)
        self._upper = _not_0(1 + term / self._upper)
        change = self._upper * self._lower
        self._product = self._product * change
        close = (np.abs(change - 1) < student._CLOSE) & self._open
        if close.any():
            self._found[self._here[close]] = self._product[close]
            self._open &= ~close

    def _leave_closed(self) -> None:
        left = self._open
        self._here, self._open = self._here[left], left[left]
        self._at, self._first, self._second = self._at[left], self._first[left], self._second[left]
        self._upper, self._lower, self._product = self._upper[left], self._lower[left], self._product[left]


def _not_0(values: Floats) -> Floats:
    tiny = np.abs(values) <= student._TINY
    if tiny.any():
        values[tiny] = student._TINY
    return values
