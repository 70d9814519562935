"""The boundary: how many standard errors away a lead has to be for a claim, in a run that looks after every round.

Between the first look and the last, the standardised lead of two equals is a Gaussian process. How likely it is to
cross a bar z once grows with the logarithm of the information in between, as phi(z) ((z - 1/z) ln(I_last / I_first) +
4/z) (Siegmund 1985, chapter 4). So the square of the bar grows with that logarithm. The last look is known beforehand:
an interval that is narrow enough is an order or a tie, wherever it lies. So the bar need not grow during a run.
A lead that is too large for a tie can only be claimed to be an order, and needs less.
The constants are calibrated by simulation (research/boundary.py), which research/methods.md shows.
"""

from math import inf, log, sqrt
from typing import Final

import msgspec
import numpy as np

from molt_bench.poker.arrays import Floats
from molt_bench.rating.margins import Known

#: The square of the bar at 95%: where the first look is as good as the last; what it grows by for each unit of the
#: logarithm of how much smaller than the first error the last one is; and for each unit of that of the pairings that a
#: lead rests on: the more there are, the less passes unseen between two looks.
ANY: Final = (5.3, 1.5, 0.85)
#: The same of leads beyond every tie. It is less where errors cannot shrink far: where they can, leads of equals are
#: that large by chance at first.
ORDER: Final = (1.3, 2.4, 1.35)
#: What it is at least, so that the interval holds the truth in 95% of runs that are looked at once.
ONE_LOOK: Final = 4.2
#: By what factor errors shrink at least, and below what share of the tie margin nothing is left open.
SHRINK: Final = 2.0
LAST: Final = 0.25
#: Wrong claims fall as exp(-FALL bar^2).
FALL: Final = 0.44
#: Two are tied if the interval of their lead lies within so many tie margins: at 1.07 of them, one run in 20 says so.
WIDE: Final = 1.25


class Boundary(msgspec.Struct, frozen=True):
    """The bar of a run.

    Attributes:
        error: How often something wrong may be claimed of a lead.
        tie: Leads up to this size do not matter, in thousandths of a big blind per hand; 0 for no ties.
        first: Seed pairs of every pairing at the first look.
        horizon: How many times as many there can be at the end, where ties are impossible.
        orders: Whether a lead beyond every tie has a lower bar, since nothing but an order can be claimed of it.
    """

    error: float
    tie: float
    first: float
    horizon: float = 1.0
    orders: bool = True

    def bars(self, known: Known, error: float | None = None) -> Floats:
        """Return how many standard errors the interval of each number is wide, on either side."""
        square = np.maximum(self._base(known) + log(0.05 / (error or self.error)) / FALL, 0.25)
        return t_of(np.sqrt(square), known.free)

    def half_widths(self, known: Known, error: float | None = None, limit: float | None = None) -> Floats:
        """Return half the width of the interval of each number: infinite where an opponent has not been met.

        The number is compared with `limit`; without one, with 0 and with the largest tie.
        """
        return self.bars(known, error) * self.errors(known, limit)

    def errors(self, known: Known, limit: float | None = None) -> Floats:
        """Return the error of each number on the side where a claim would be wrong.

        A lead nearer to an order than to a tie would be wrong if the truth were nearer to 0; else, if farther away.
        """
        if limit is not None:
            return np.where(known.mean >= limit, known.down, known.up)
        ordered = 2 * np.abs(known.mean) >= WIDE * self.tie
        return np.where((known.mean >= 0) == ordered, known.down, known.up)

    def distances(self, known: Known) -> Floats:
        """Return how far each lead is from what it is not, if the interval were no wider: from 0, or from no tie."""
        size = np.abs(known.mean)
        return np.maximum(size, WIDE * self.tie - size)

    def sure(self, known: Known) -> Floats:
        """Return the largest threshold at which each lead would be claimed to be ordered or tied; 0 for the unknown.

        Below one half, where no threshold is, it only grows with what is known.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            z = z_of(self.distances(known) / self.errors(known), known.free)
        wrong = 0.05 * np.exp(np.minimum(FALL * (self._base(known) - z**2), 50.0))
        return np.where(np.isfinite(known.down), np.where(wrong <= 0.5, 1 - wrong, 0.25 / np.maximum(wrong, 0.5)), 0.0)

    def _base(self, known: Known) -> Floats:
        """Return the square of the bar at 95%."""
        first = known.unit / sqrt(self.first)
        # By how much the error has shrunk since the first look, and by how much it can before nothing is open.
        error = self.errors(known)
        shrunk = first / np.where(error > 0, error, inf)
        can = first / (LAST * self.tie) if self.tie else SHRINK * sqrt(self.horizon)
        grown = np.log(np.maximum(np.maximum(shrunk, can), SHRINK))
        found, order = (
            least + per_log * grown + per_pairings * np.log(known.pairings)
            for least, per_log, per_pairings in (ANY, ORDER)
        )
        if self.tie and self.orders:
            return np.where(np.abs(known.mean) >= WIDE * self.tie, np.clip(order, ONE_LOOK, found), found)
        return found


def t_of(z: Floats, free: Floats) -> Floats:
    """Return the t of the same tail probability as z (Wallace 1959; within 2% from 4 degrees of freedom on)."""
    wide = z * (8 * free + 3) / (8 * free + 1)
    found: Floats = np.sqrt(free * np.expm1(np.minimum(wide * wide / free, 300.0)))
    return found


def z_of(t: Floats, free: Floats) -> Floats:
    """Return the z of the same tail probability as t."""
    t = np.minimum(t, 1e150)
    found: Floats = np.sqrt(free * np.log1p(t * t / free)) * (8 * free + 1) / (8 * free + 3)
    return found
