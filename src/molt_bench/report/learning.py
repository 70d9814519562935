"""Learning: whether an agent that remembers plays differently in the second half of a run.

Intervals assume that seed pairs are exchangeable: that the last one might as well have been the first. An agent that
learns breaks that. So the first half of its seed pairs against each opponent is compared with the second.
"""

from collections.abc import Mapping
from math import fsum, sqrt
from statistics import fmean, variance
from typing import Final

from molt_bench.bench.result import RunResult
from molt_bench.rating.estimate import UNKNOWN, Estimate
from molt_bench.records import MBB_PER_BB100

#: Luck-adjusted margins, which every pairing has.
_ESTIMATOR: Final = "adjusted"
#: Seed pairs of a pairing below which its halves say nothing.
_ENOUGH: Final = 8


def change(result: RunResult, name: str) -> Estimate:
    """Return by how much more a participant won in the second half of its seed pairs, in mbb per hand.

    Halves are formed within each pairing, since one opponent is weaker than another; pairings are then averaged, each
    with the weight of its seed pairs.
    """
    columns: dict[str, list[float]] = {}
    for match in result.matches:
        if name in match.participants and match.margins:
            first, second = match.participants
            sign = 1 if name == first else -1
            opponent = second if name == first else first
            columns.setdefault(opponent, []).extend(sign * margin for margin in match.margins[_ESTIMATOR])
    found = [_difference(column) for column in columns.values() if len(column) >= _ENOUGH]
    if not found:
        return UNKNOWN
    total = fsum(weight for _, _, weight in found)
    mean = fsum(weight * difference for difference, _, weight in found) / total
    scale = sqrt(fsum((weight / total) ** 2 * squared for _, squared, weight in found))
    free = sum(len(column) - 2 for column in columns.values() if len(column) >= _ENOUGH)
    return Estimate(mean, scale, free)


def _difference(column: list[float]) -> tuple[float, float, float]:
    """Return the second half's mean above the first's, the square of its standard error, and its weight."""
    half = len(column) // 2
    first, second = column[:half], column[half:]
    squared = variance(first) / len(first) + variance(second) / len(second)
    return fmean(second) - fmean(first), squared, len(first) * len(second) / len(column)


def learners(result: RunResult) -> dict[str, Estimate]:
    """Return the change of every participant that may remember, where there is enough to tell."""
    found = {each.id: change(result, each.id) for each in result.config.participants if each.may_remember}
    return {name: estimate for name, estimate in found.items() if estimate is not UNKNOWN}


def learning_sentences(result: RunResult, names: Mapping[str, str]) -> list[str]:
    """Say for each participant that may remember, by its name, how its second half compares with its first."""
    said = []
    for name, estimate in learners(result).items():
        change_bb, half_bb = estimate.mean / MBB_PER_BB100, estimate.half_width() / MBB_PER_BB100
        more = f"{change_bb:+.1f} ± {half_bb:.1f} bb/100 more"
        text = f"{names[name]} may learn: in the second half of its seed pairs it won {more}"
        clear = abs(change_bb) > half_bb
        said.append(f"{text}, so its result depends on how long the run is." if clear else f"{text}: no clear change.")
    return said
