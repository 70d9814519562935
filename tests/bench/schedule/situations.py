"""Situations that matchmakers are asked about."""

from itertools import combinations

from molt_bench.bench.schedule.situation import Situation

LADDER = {"a": 30.0, "b": 29.0, "c": 20.0, "d": 10.0}


def pairs_of(names):
    return list(combinations(names, 2))


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
