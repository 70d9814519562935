"""Sums as `math.fsum` gives them, correctly rounded, without adding everything up again.

Where one number of many changes, `ExactSum` goes on from the last sum. Where thousands of sums are needed, numpy adds
the leading digits of all numbers without rounding (Rump, Ogita and Oishi 2008) and bounds what the rest may be off by.
Long arrays are gone through in blocks that stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import fsum, inf
from typing import Final, NamedTuple

import numpy as np

from molt_bench.poker.arrays import Flags, Floats, Ints

#: The least float is 2 to the power of minus this.
_LEAST_EXPONENT: Final = 1074
_ONE: Final = 1 << _LEAST_EXPONENT
#: Half a unit in the last place of 1.
_ROUNDING: Final = 2.0**-53
#: Outside of these, splitting numbers could lose digits.
_SMALL, _LARGE = 1e-250, 1e250
#: Numbers of a block.
_BLOCK: Final = 1 << 14


def blocks(count: int) -> Iterator[slice]:
    """Return the blocks of an array of so many numbers.

    >>> list(blocks(20_000))
    [slice(0, 16384, None), slice(16384, 20000, None)]
    """
    return (slice(start, min(start + _BLOCK, count)) for start in range(0, count, _BLOCK))


def exact_parts(numbers: Iterable[float]) -> tuple[float, ...]:
    """Return a few numbers with exactly the same sum as these; the first is that sum, rounded.

    >>> exact_parts([1.0, 2.0**-60, 1.0])
    (2.0, 8.673617379884035e-19)
    """
    left = list(numbers)
    found = [fsum(left)]
    while rest := fsum(left := [*left, -found[-1]]):
        found.append(rest)
    return tuple(found)


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


class Members(NamedTuple):
    """Who has a share in numbers, of which each has two members at most.

    Attributes:
        first: One member of each number.
        second: The other one.
        size: Members there are; a number with this one has fewer.
        most: Numbers that a member has at most.
        runs: Of each block, where the first member changes.
    """

    first: Ints
    second: Ints
    size: int
    most: int
    runs: Sequence[Ints]

    @classmethod
    def of(cls, first: Ints, second: Ints, size: int) -> Members:
        """Return members, given those of each number."""
        most = sum(int(np.bincount(some, minlength=size + 1)[:size].max()) for some in (first, second))
        runs = [np.flatnonzero(np.diff(first[some], prepend=-1)) for some in blocks(len(first))]
        return cls(first, second, size, most, runs)


class SplitSums(NamedTuple):
    """Sums of several kinds as `high` + `low`, a row for each kind, and what those of a kind may be off by."""

    high: Floats
    low: Floats
    error: Floats


def sums_by_member(kinds: int, values_of: Callable[[slice], Floats], members: Members) -> SplitSums:
    """Return for each member the sums of its numbers, none of which is negative; those of nobody come last.

    Args:
        kinds: How many kinds of numbers there are.
        values_of: Returns the numbers of a block, a row for each kind.
        members: Whose numbers they are.
    """
    high, low = np.zeros((2, kinds, members.size + 1))
    greatest = np.zeros(kinds)
    splits = True
    for some, runs in zip(blocks(len(members.first)), members.runs, strict=True):
        values, ends = values_of(some), (members.first[some][runs], members.second[some])
        most = values.max(axis=1)
        greatest = np.maximum(greatest, most)
        splits = splits and bool(((most == 0) | ((most > _SMALL) & (most < _LARGE))).all())
        # Adding and subtracting this leaves the leading digits: so few that sums of all of them are exact.
        above = np.ldexp(1.0, np.frexp(most)[1] + members.most.bit_length())[:, None]
        leading = values + above
        leading -= above
        high, lost = _two_sum(high, _sums(leading, runs, ends, members.size))
        low += lost
        values -= leading
        low += _sums(values, runs, ends, members.size)
    terms = members.most + len(members.runs)
    bound = terms**2 * _ROUNDING * np.ldexp(2 * _ROUNDING, np.frexp(greatest)[1] + members.most.bit_length())
    return SplitSums(high, low, bound if splits else np.full(kinds, inf))


def _sums(values: Floats, runs: Ints, ends: tuple[Ints, Ints], size: int) -> Floats:
    """Return for each member the sums of its numbers in a block, whose first members come in runs."""
    by_run = np.add.reduceat(values, runs, axis=1)
    found: Floats = np.empty((len(values), size + 1))
    for row in range(len(values)):
        found[row] = np.bincount(ends[0], by_run[row], size + 1) + np.bincount(ends[1], values[row], size + 1)
    return found


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
