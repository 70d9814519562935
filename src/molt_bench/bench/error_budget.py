"""The error budget: how often a run may be wrong, spent over the tests that it is put to.

A run that has stopped can be extended. More matches under the same rule are the same test, which allows for any number
of looks, so they cost nothing. Another tie margin or threshold is another test of the same games: whoever halves the
tie margin until something shows gets twice the errors. So every test has a share of the error of its own, and all of
them add up to 1, however many there will be. The first has most of it, since most runs are never extended.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from molt_bench.config.sections import AdjacentConfidence, StopConfig

#: How the error is spent, as a run's journal says in its first line.
SPENDING: Final = "0.8 for the first test, 0.2 / (k (k - 1)) for test k"
_FIRST: Final = 0.8
#: The first bench version that spends its error; before, every test had all of it.
_SINCE: Final = 13


class ErrorBudget(msgspec.Struct, frozen=True):
    """What a run has spent of its error.

    Attributes:
        allowed: How often a verdict may be wrong over all tests, by the rule of the last one.
        tests: The part of each test so far.
        left: What is left for others.
    """

    allowed: float
    tests: tuple[float, ...]
    left: float


def error_of(stops: Sequence[StopConfig], *, version: int) -> float:
    """Return how often a verdict may be wrong under the last of these rules, one for each stage of a run."""
    return (1 - rule_of(stops[-1]).threshold) * _share(len(_tests(stops)), version)


def error_budget(stops: Sequence[StopConfig], *, version: int) -> ErrorBudget:
    """Return what a run has spent under these rules, one for each of its stages."""
    shares = [_share(number, version) for number, _ in enumerate(_tests(stops), start=1)]
    allowed = 1 - rule_of(stops[-1]).threshold
    spent = [round((1 - rule.threshold) * share, 9) for rule, share in zip(_tests(stops), shares, strict=True)]
    return ErrorBudget(round(allowed, 9), tuple(spent), round(allowed * max(0.0, 1 - sum(shares)), 9))


def rule_of(stop: StopConfig) -> AdjacentConfidence:
    """Return the rule by which the order of neighbours is judged, whether or not it stops the run."""
    return stop.adjacent_confidence or AdjacentConfidence()


def _tests(stops: Iterable[StopConfig]) -> list[AdjacentConfidence]:
    """Return the rules that neighbours were tested by, without those that only continue the one before."""
    found: list[AdjacentConfidence] = []
    for rule in map(rule_of, stops):
        if not found or rule != found[-1]:
            found.append(rule)
    return found


def _share(test: int, version: int) -> float:
    """Return the share of a test, from 1; the shares of all tests add up to 1."""
    if version < _SINCE:
        return 1.0
    return _FIRST if test == 1 else (1 - _FIRST) / (test * (test - 1))
