"""Situations that matchmakers are asked about."""

from itertools import combinations

import numpy as np

from molt_bench.bench.schedule.gains import Gains
from molt_bench.bench.schedule.situation import Situation

LADDER = {"a": 30.0, "b": 29.0, "c": 20.0, "d": 10.0}


def pairs_of(names):
    return list(combinations(names, 2))


def gains_of(names, gains, **more):
    """Return the gains of some pairs; that of all others is 0."""
    matrix = np.zeros((len(names), len(names)))
    for (one, two), each in gains.items():
        matrix[names.index(one), names.index(two)] = each
    return Gains(names, matrix, **more)


def situation(mu, sigma=None, meetings=None, confidence=None, **more):
    names = list(mu)
    pairs = pairs_of(names)
    return Situation(
        ranking=tuple(sorted(names, key=lambda name: -mu[name])),
        mu=mu,
        sigma=sigma or dict.fromkeys(names, 5.0),
        meetings=meetings or dict.fromkeys(pairs, 1),
        confidence=confidence or dict.fromkeys(pairs, 0.5),
        **more,
    )
