"""Situations that matchmakers are asked about."""

from itertools import combinations

from molt_bench.bench.schedule.meeting_counts import Meetings
from molt_bench.bench.schedule.situation import Situation

LADDER = {"a": 30.0, "b": 29.0, "c": 20.0, "d": 10.0}


def pairs_of(names):
    return list(combinations(names, 2))


def situation(mu, sigma=None, meetings=None, confidence=None, telling=(), **more):
    """Return a situation; `telling` are the pairs whose next match tells anything, the best first."""
    names = list(mu)
    pairs = pairs_of(names)
    return Situation(
        ranking=tuple(sorted(names, key=lambda name: -mu[name])),
        mu=mu,
        sigma=sigma or dict.fromkeys(names, 5.0),
        meetings=Meetings(meetings or dict.fromkeys(pairs, 1)),
        confidence=lambda: confidence or dict.fromkeys(pairs, 0.5),
        telling=telling if callable(telling) else lambda: telling,
        **more,
    )
