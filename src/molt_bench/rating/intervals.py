"""Intervals of means, by Student's t."""

from collections.abc import Sequence
from math import inf, sqrt
from statistics import stdev
from typing import Final

# The 97.5% quantiles of Student's t with 1 to 10 degrees of freedom, and of the normal distribution.
_T_975: Final = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
_Z_975: Final = 1.959964


def half_width_95(values: Sequence[float]) -> float:
    """Return half of the 95% interval of the mean of independent values, infinite where there is only one.

    >>> round(half_width_95([1.0, 2.0, 3.0]), 3)
    2.484
    """
    free = len(values) - 1
    return _t_975(free) * stdev(values) / sqrt(len(values)) if free > 0 else inf


def _t_975(free: int) -> float:
    if free <= len(_T_975):
        return _T_975[free - 1]
    # Cornish and Fisher's expansion, right to 0.002 there.
    z = _Z_975
    return z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
