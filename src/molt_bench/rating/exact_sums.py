"""Sums as `math.fsum` gives them, correctly rounded, without adding everything up again.

Where one number of many changes, `ExactSum` goes on from the last sum. Where thousands of sums are needed, numpy adds
the leading digits of all numbers without rounding (Rump, Ogita and Oishi 2008) and bounds what the rest may be off by.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, inf, ldexp
from typing import TYPE_CHECKING, Final, NamedTuple

from molt_bench.lazy_import import lazy_import

if TYPE_CHECKING:
    import numpy as np

    from molt_bench.poker.arrays import Flags, Floats, Ints
else:
    np = lazy_import("numpy")

#: The least float is 2 to the power of minus this.
_LEAST_EXPONENT: Final = 1074
_ONE: Final = 1 << _LEAST_EXPONENT
#: Half a unit in the last place of 1.
_ROUNDING: Final = 2.0**-53
#: Outside of these, splitting numbers could lose digits.
_SMALL, _LARGE = 1e-250, 1e250


class ExactSum:
    """A sum of finite numbers that are added and taken away, without rounding."""

    def __init__(self) -> None:
        self._units = 0

    def replace(self, old: float, new: float) -> None:
        """Take one number away and add another."""
        self._units += _in_units(new) - _in_units(old)

    @property
    def value(self) -> float:
        """The sum, correctly rounded."""
        return self._units / _ONE


def _in_units(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return numerator << (_LEAST_EXPONENT + 1 - denominator.bit_length())


class SplitSums(NamedTuple):
    """Sums as `high` + `low`, each off by `error` at most."""

    high: Floats
    low: Floats
    error: float


class Members(NamedTuple):
    """Who has a share in numbers, of which each has two members at most.

    Attributes:
        first: One member of each number.
        second: The other one.
        size: Members there are; a number with this one has fewer.
        starts: Where the numbers of each first member begin, if these are in order and nobody is left out.
        most: Numbers that a member has at most.
    """

    first: Ints
    second: Ints
    size: int
    starts: Ints | None
    most: int

    @classmethod
    def of(cls, first: Ints, second: Ints, size: int) -> Members:
        """Return members, given those of each number."""
        starts = np.flatnonzero(np.diff(first, prepend=-1))
        in_order = len(starts) == int(first.max(initial=-1)) + 1 and bool((np.diff(first) >= 0).all())
        most = int(
            np.bincount(first, minlength=size + 1)[:size].max() + np.bincount(second, minlength=size + 1)[:size].max()
        )
        return cls(first, second, size, starts if in_order else None, most)

    def sums(self, values: Floats) -> Floats:
        """Return for each member the sum of its numbers, in any order; that of nobody comes last."""
        found = np.asarray(np.bincount(self.second, values, self.size + 1), np.float64)
        if self.starts is None:
            return found + np.bincount(self.first, values, self.size + 1)
        found[: len(self.starts)] += np.add.reduceat(values, self.starts)
        return found


def sums_by_member(values: Floats, members: Members) -> SplitSums:
    """Return for each member the sum of its numbers, none of which is negative."""
    greatest = float(values.max(initial=0.0))
    if not greatest:
        return SplitSums(np.zeros(members.size + 1), np.zeros(members.size + 1), 0.0)
    exponent = frexp(greatest)[1] + members.most.bit_length()
    # Adding and subtracting this leaves the leading digits: so few that sums of all of them are exact.
    above = ldexp(1.0, exponent) if _SMALL < greatest < _LARGE else 0.0
    leading = values + above
    leading -= above
    high = members.sums(leading)
    np.subtract(values, leading, out=leading)
    error = members.most**2 * _ROUNDING * ldexp(_ROUNDING, exponent + 1) if above else inf
    return SplitSums(high, members.sums(leading), error)


def rounded_sums(high: Sequence[Floats], low: Floats, error: float) -> tuple[Floats, Flags]:
    """Return the sums of some arrays and of `low`, which may be off by `error`, and which are surely rounded right."""
    total, most = high[0], np.abs(low)
    for more in high[1:]:
        total, rest = _two_sum(total, more)
        low = low + rest
        most = np.maximum(most, np.abs(low))
    off = 2 * error + 4 * len(high) * _ROUNDING * most
    least, greatest = total + (low - off), total + (low + off)
    return greatest, least == greatest


def _two_sum(one: Floats, two: Floats) -> tuple[Floats, Floats]:
    """Return the sum of two numbers, and what rounding has left out (Knuth)."""
    total = one + two
    second = total - one
    return total, (one - (total - second)) + (two - second)
