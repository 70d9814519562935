"""Sequential tests: how strong a lead has to be if the run looks after every round and stops when it likes.

An ordinary interval is right 95% of the time if it is looked at once. Looked at after every round until it shows what
was hoped for, it is wrong far more often. `Horizon` allows for that. Two participants closer than the tie margin count
as tied, so a run never needs more information than it takes to tell a lead of that size from none. Between the first
look and that horizon, the standardised lead of two equals is a Gaussian process, and the probability that it ever
crosses a constant z is phi(z) ((z - 1/z) ln(I_max / I_first) + 4/z) (Miller and Siegmund 1982; Siegmund 1985, chapter
4). That formula is for looking without a pause; between looks the process can cross unseen, which is what `UNSEEN`
allows for.

Margins are treated as Normal with a known variance; to allow for its estimation, Student's t is converted to the z of
the same probability. See docs/why/methods.md for what voids this.
"""

from collections.abc import Generator
from functools import lru_cache
from math import exp, inf, log, pi, sqrt
from statistics import NormalDist
from typing import Final, NamedTuple

import msgspec

from molt_bench.rating.error_function import erfc
from molt_bench.rating.student import Estimate, near_quantile, student_cdf, student_quantile

#: The standard error at the first look where nobody can tie, in tie margins: the horizon is as far away as if the tie
#: margin were a thousandth of it, which no run reaches.
_FIRST_ERROR_WITHOUT_TIES: Final = 1000.0
#: The standardised distance from the tie margin that makes a tie at an error of 5%, in the formula of the horizon.
TIE_Z: Final = 2.5
#: Share of a tie's error at a single look: at an error of 5%, the one-sided test is passed at z = 2.5.
_TIE_SHARE: Final = 8.0
#: How much more than the error the crossing probability may be, since looks are apart.
UNSEEN: Final = 1.3
#: Below this z the crossing formula is no longer decreasing: the root of z^4 = 2 z^2 + 1.
LEAST_Z: Final = 1.554
MOST_Z: Final = 50.0
#: By how much the quantiles of two distributions are allowed to be wrong when they are compared.
_SLACK: Final = 1 + 1e-9
LEAST: Final = 1e-300
_NORMAL: Final = NormalDist()


class Asked(NamedTuple):
    """What a step asks for: the near quantile of a share with so many degrees of freedom, or `order_z` of an error."""

    number: float
    free: float | None = None


class Horizon(msgspec.Struct, frozen=True):
    """A test between the first look and the information that the tie margin asks for.

    Attributes:
        tie_margin: Leads up to this size do not matter, in thousandths of a big blind per hand; 0 for no ties.
        first: Seed pairs of every pairing at the first look.
    """

    tie_margin: float
    first: int

    def doubt(self, lead: Estimate) -> float:
        """Return the probability that two equals ever seem this far apart: the two-sided p-value of a lead."""
        return 1.0 if lead.tested == inf else self.doubt_by(student_cdf(-abs(lead.mean) / lead.tested, lead.free), lead)

    def doubt_by(self, tail: float, lead: Estimate) -> float:
        """Return the same, given the probability of such a lead at a single look."""
        z = -_NORMAL.inv_cdf(max(LEAST, tail))
        once = erfc(z / sqrt(2))
        return min(1.0, max(once, _crossing(max(z, LEAST_Z), self._first_error(lead)) / UNSEEN)) if once < 1 else 1.0

    def tie_doubt(self, lead: Estimate) -> float:
        """Return the probability that two who are the tie margin apart ever seem this close."""
        if lead.tested == inf or abs(lead.mean) >= self.tie_margin:
            return 1.0
        return min(1.0, _TIE_SHARE * student_cdf((abs(lead.mean) - self.tie_margin) / lead.tested, lead.free))

    def may_tie(self, lead: Estimate, error: float) -> bool:
        """Return whether `tie_doubt` may be as small as this, by the normal distribution, whose tails are lighter."""
        room = self.tie_margin - abs(lead.mean)
        return room > 0 and _TIE_SHARE * erfc(room / lead.tested / sqrt(2)) / 2 <= _SLACK * error

    def bars(self, lead: Estimate, error: float) -> tuple[float, float]:
        """Return how many standard errors away from 0 a lead has to be for an order, and from the margin for a tie."""
        order = _t_of(order_z(error, self._first_error(lead)), lead.free)
        return order, -student_quantile(error / _TIE_SHARE, lead.free)

    def deciding(self, lead: Estimate, error: float) -> float:
        """Return the standard error with which a lead of this size would be an order or a tie."""
        steps, answer = self.deciding_steps(lead, error), None
        while True:
            try:
                asked = next(steps) if answer is None else steps.send(answer)
            except StopIteration as end:
                found: float = end.value
                return found
            answer = order_z(error, asked.number) if asked.free is None else near_quantile(asked.number, asked.free)

    def deciding_steps(self, lead: Estimate, error: float) -> Generator[Asked, float, float]:
        """Step through `deciding`: ask for what takes long, so that many leads can be answered together.

        The tails of Student's t are heavier than those of the normal distribution, whose quantiles are much faster:
        where they rule one of the two out, it is not computed.
        """
        far, near, tie_share = abs(lead.mean), self.tie_margin - abs(lead.mean), error / _TIE_SHARE
        most_of_order, most_of_tie = (
            _SLACK * size / _normal_bar(share) for size, share in ((far, error / 2), (near, tie_share))
        )
        order = tie = 0.0
        if most_of_tie > 0 and most_of_tie >= most_of_order:
            tie = near / -(yield Asked(tie_share, lead.free))
        if most_of_order > tie:
            z = yield Asked(self._first_error(lead))
            order = far / -(yield Asked(max(LEAST, erfc(z / sqrt(2)) / 2), lead.free))
        if not tie and most_of_tie > order:
            tie = near / -(yield Asked(tie_share, lead.free))
        return max(order, tie)

    def _first_error(self, lead: Estimate) -> float:
        """Return the standard error at the first look, in tie margins; the lead's own if its unit is not known."""
        if not self.tie_margin:
            return _FIRST_ERROR_WITHOUT_TIES
        return (lead.unit / sqrt(self.first) if lead.unit else lead.tested) / self.tie_margin


def sure(test: Horizon, lead: Estimate) -> float:
    """Return the confidence that a lead is above 0: from 0 to 1, and 0.5 without evidence.

    It is one minus half the p-value of the test: each of the two orders gets half of the error.
    """
    return sure_by(test.doubt(lead), lead)


def sure_by(doubt: float, lead: Estimate) -> float:
    """Return the same from the p-value of the test."""
    against = doubt / 2
    return 1 - against if lead.mean > 0 else against


def radius(test: Horizon, lead: Estimate, error: float) -> float:
    """Return half the width of the interval that holds the lead at every look, except with probability `error`."""
    return inf if lead.tested == inf else test.bars(lead, error)[0] * lead.tested


def _crossing(z: float, first_error: float) -> float:
    """Return the probability of a Gaussian process to cross z; `first_error` is in tie margins."""
    # I_max / I_first, with I_max = ((z + 2.5) / tie margin)^2
    log_range = max(0.0, 2 * log(max(LEAST, (z + TIE_Z) * first_error)))
    return exp(-z * z / 2) / sqrt(2 * pi) * ((z - 1 / z) * log_range + 4 / z)


@lru_cache(maxsize=64)
def _normal_bar(share: float) -> float:
    return -_NORMAL.inv_cdf(share)


@lru_cache(maxsize=4096)
def order_z(error: float, first_error: float) -> float:
    """Return the z that two equals cross with probability `error`; the error at the first look is in tie margins."""
    once = -_NORMAL.inv_cdf(error / 2)
    low, high = max(LEAST_Z, once), MOST_Z
    if _crossing(low, first_error) <= UNSEEN * error:
        return once
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if _crossing(middle, first_error) > UNSEEN * error else (low, middle)
    return high


def _t_of(z: float, free: float) -> float:
    """Return the t with the same tail probability as this z."""
    return -student_quantile(max(LEAST, erfc(z / sqrt(2)) / 2), free)
