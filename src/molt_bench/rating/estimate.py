"""An estimate that is looked at once: a mean, its standard error, and the interval that follows from Student's t."""

from math import inf
from statistics import NormalDist
from typing import Final

import msgspec
import numpy as np

from molt_bench.rating.boundary import t_of


class Estimate(msgspec.Struct, frozen=True):
    """An estimate of a number, with its standard error, whose variance has `free` degrees of freedom."""

    mean: float
    error: float
    free: float

    def half_width(self, level: float = 0.95) -> float:
        """Return half the width of the central interval at this confidence level.

        By Wallace's approximation (1959) of Student's t: within 1% from 4 degrees of freedom on, and wider below.

        >>> round(Estimate(0.0, 1.0, 10).half_width(), 2), round(Estimate(0.0, 1.0, 1e9).half_width(), 2)
        (2.23, 1.96)
        """
        if self.error in (0.0, inf):
            return self.error
        z = NormalDist().inv_cdf((1 + level) / 2)
        if self.free == inf:
            return z * self.error
        return float(t_of(np.array(z), np.array(self.free))) * self.error

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the central interval at this confidence level."""
        half = self.half_width(level)
        return self.mean - half, self.mean + half


#: Nothing is known.
UNKNOWN: Final = Estimate(0.0, inf, 1.0)
