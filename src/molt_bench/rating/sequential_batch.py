"""The precision that would decide each of many leads: the same as `sequential` gives one by one, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, pi, sqrt
from typing import TYPE_CHECKING, Final

from molt_bench.lazy_import import lazy_import
from molt_bench.rating import sequential
from molt_bench.rating.sequential import Horizon, SequentialTest
from molt_bench.rating.student import Estimate
from molt_bench.rating.student_batch import each, near_quantiles

if TYPE_CHECKING:
    import numpy as np

    from molt_bench.poker.arrays import Floats, Ints
else:
    np = lazy_import("numpy")

#: From this many leads on, arrays are faster.
MANY: Final = 64
#: Where two numbers are this close, numpy's last digit might decide which one is larger.
_TOO_CLOSE: Final = 1e-12


def deciding_errors(test: SequentialTest, leads: Sequence[Estimate], error: float) -> list[float]:
    """Return `deciding` of each lead: the standard error with which it would be an order or a tie."""
    if not isinstance(test, Horizon) or len(leads) < MANY:
        return [test.deciding(lead, error) for lead in leads]
    far = np.abs(np.array([lead.mean for lead in leads]))
    near, frees = test.tie_margin - far, np.array([lead.free for lead in leads])
    tie_share = error / sequential._TIE_SHARE
    most_of_order, most_of_tie = (
        sequential._SLACK * size / -sequential._NORMAL.inv_cdf(share)
        for size, share in ((far, error / 2), (near, tie_share))
    )
    order, tie = np.zeros(len(far)), np.zeros(len(far))

    def look_at_ties(which: Ints) -> None:
        tie[which] = near[which] / -near_quantiles(np.full(len(which), tie_share), frees[which])

    look_at_ties(np.flatnonzero((most_of_tie > 0) & (most_of_tie >= most_of_order)))
    which = np.flatnonzero(most_of_order > tie)
    bars = _order_zs(error, np.array([test._first_error(leads[at]) for at in which.tolist()]))
    shares = each(lambda z: max(sequential._LEAST, erfc(z / sqrt(2)) / 2), bars)
    order[which] = far[which] / -near_quantiles(shares, frees[which])
    look_at_ties(np.flatnonzero((tie == 0) & (most_of_tie > order)))
    found: list[float] = np.maximum(order, tie).tolist()
    return found


def _order_zs(error: float, first_errors: Floats) -> Floats:
    """Return `sequential._order_z` of each, by the same bisection; by itself where numpy's last digit could matter."""
    once = -sequential._NORMAL.inv_cdf(error / 2)
    low = np.full(len(first_errors), max(sequential._LEAST_Z, once))
    high = np.full(len(first_errors), sequential._MOST_Z)
    allowed = sequential._UNSEEN * error
    crossing = _crossings(low, first_errors)
    at_once = crossing <= allowed
    unclear = np.abs(crossing - allowed) < _TOO_CLOSE * allowed
    while (wide := high - low > 1e-9).any():
        middle = (low + high) / 2
        crossing = _crossings(middle, first_errors)
        above = crossing > allowed
        unclear |= wide & (np.abs(crossing - allowed) < _TOO_CLOSE * allowed)
        low, high = np.where(wide & above, middle, low), np.where(wide & ~above, middle, high)
    found = np.where(at_once, once, high)
    for at in np.flatnonzero(unclear).tolist():
        found[at] = sequential._order_z(error, float(first_errors[at]))
    return found


def _crossings(z: Floats, first_errors: Floats) -> Floats:
    """Return `sequential._crossing` of each, to within its last digits."""
    log_range = np.maximum(0.0, 2 * np.log(np.maximum(sequential._LEAST, (z + sequential._TIE_Z) * first_errors)))
    found: Floats = np.exp(-z * z / 2) / sqrt(2 * pi) * ((z - 1 / z) * log_range + 4 / z)
    return found
