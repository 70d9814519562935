"""The doubts about many leads, and what would decide each: as `sequential` gives one by one, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, pi, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from molt_bench.poker.arrays import Floats
from molt_bench.rating import sequential
from molt_bench.rating.sequential import Asked, Horizon
from molt_bench.rating.student import Estimate
from molt_bench.rating.student_batch import near_quantiles, student_cdfs

#: From this many leads on, arrays are faster.
MANY: Final = 64
#: Where two numbers are this close, numpy's last digit might decide which one is larger.
_TOO_CLOSE: Final = 1e-12


def doubts(test: Horizon, leads: Sequence[Estimate]) -> list[float]:
    """Return `doubt` of each lead."""
    if len(leads) < MANY:
        return [test.doubt(lead) for lead in leads]
    known = [lead for lead in leads if lead.tested != inf]
    values, frees = np.array([(-abs(lead.mean) / lead.tested, lead.free) for lead in known]).reshape(-1, 2).T
    found = map(test.doubt_by, student_cdfs(values, frees).tolist(), known)
    return [1.0 if lead.tested == inf else next(found) for lead in leads]


def deciding_errors(test: Horizon, leads: Sequence[Estimate], error: float) -> list[float]:
    """Return `deciding` of each lead: the standard error with which it would be an order or a tie."""
    if len(leads) < MANY:
        return [test.deciding(lead, error) for lead in leads]
    steps = [test.deciding_steps(lead, error) for lead in leads]
    found, answers = [0.0] * len(steps), dict[int, float | None].fromkeys(range(len(steps)))
    while answers:
        asked: dict[int, Asked] = {}
        for at, answer in answers.items():
            try:
                asked[at] = next(steps[at]) if answer is None else steps[at].send(answer)
            except StopIteration as end:
                found[at] = end.value
        answers = {}
        for alike in (
            [at for at, each in asked.items() if each.free is None],
            [at for at, each in asked.items() if each.free is not None],
        ):
            numbers, frees = np.array([asked[at].number for at in alike]), [asked[at].free for at in alike]
            together = near_quantiles(numbers, np.array(frees)) if any(frees) else _order_zs(error, numbers)
            answers.update(zip(alike, together.tolist(), strict=True))
    return found


def _order_zs(error: float, first_errors: Floats) -> Floats:
    """Return `sequential.order_z` of each, by the same bisection; by itself where numpy's last digit could matter."""
    once = -NormalDist().inv_cdf(error / 2)
    low = np.full(len(first_errors), max(sequential.LEAST_Z, once))
    high = np.full(len(first_errors), sequential.MOST_Z)
    allowed = sequential.UNSEEN * error
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
        found[at] = sequential.order_z(error, float(first_errors[at]))
    return found


def _crossings(z: Floats, first_errors: Floats) -> Floats:
    """Return `sequential._crossing` of each, to within its last digits."""
    log_range = np.maximum(0.0, 2 * np.log(np.maximum(sequential.LEAST, (z + sequential.TIE_Z) * first_errors)))
    found: Floats = np.exp(-z * z / 2) / sqrt(2 * pi) * ((z - 1 / z) * log_range + 4 / z)
    return found
