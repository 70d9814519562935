"""Who beats whom: the payoff matrix, and what a ranking cannot show.

`payoff_matrix` has every pair's margin with its interval. `transitivity` measures how much of the matrix is a
difference of skills, by combinatorial Hodge decomposition (Jiang, Lim, Yao and Ye 2011, "Statistical ranking and
combinatorial Hodge theory").
"""

from collections.abc import Iterator
from itertools import combinations
from math import inf

import msgspec
import numpy as np

from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon, sure


class Payoff(msgspec.Struct, frozen=True):
    """What one participant wins from another, in thousandths of a big blind per hand.

    `half_width` is that of its fixed-sample interval, `sure` the confidence by the stop rule's test that it wins.
    """

    mean: float
    half_width: float
    sure: float


class PayoffMatrix(msgspec.Struct, frozen=True):
    """What each row wins from each column; None if they have not played, and on the diagonal."""

    participants: tuple[str, ...]
    cells: tuple[tuple[Payoff | None, ...], ...]


class Transitivity(msgspec.Struct, frozen=True):
    """How much of the squared margins is a difference of skills; the rest is cycles.

    Attributes:
        share: From 0 (all cycles) to 1 (none), as measured; None if nobody wins anything. Luck looks like cycles, so
            the share is too low while margins are uncertain.
        corrected: The same without the squares that luck is expected to add to both parts; None if luck explains all.
    """

    share: float | None
    corrected: float | None


def payoff_matrix(model: MarginModel, test: Horizon, *, level: float = 0.95) -> PayoffMatrix:
    """Return what each wins from each, from their own games alone."""
    names = model.participants
    number = {name: at for at, name in enumerate(names)}
    cells: list[list[Payoff | None]] = [[None] * len(names) for _ in names]
    for first, second in _played(model):
        margin = model.margin(first, second)
        half, confidence = margin.half_width(level), sure(test, margin)
        one, two = number[first], number[second]
        cells[one][two] = Payoff(margin.mean, half, confidence)
        cells[two][one] = Payoff(0.0 - margin.mean, half, 1 - confidence)
    return PayoffMatrix(names, tuple(tuple(row) for row in cells))


def transitivity(model: MarginModel) -> Transitivity:
    """Return how much of the margins is a difference of skills, over the pairs that have played.

    Skills are fitted by least squares with equal weights, so the share describes the matrix and not who played how
    often. The noise of a margin adds its variance to the squares: the pair's leverage to those of the skills, and the
    rest to those of the cycles.
    """
    pairs = list(_played(model))
    if not pairs:
        return Transitivity(None, None)
    number = {name: at for at, name in enumerate(model.participants)}
    margins = [model.margin(first, second) for first, second in pairs]
    means = np.array([margin.mean for margin in margins])
    noise = np.array([margin.scale**2 for margin in margins])
    differences = np.zeros((len(pairs), len(number)))
    for row, (first, second) in enumerate(pairs):
        differences[row, [number[first], number[second]]] = 1.0, -1.0
    projection = differences @ np.linalg.pinv(differences)
    skills = projection @ means
    leverage = np.diag(projection)
    transitive, cyclic = float(skills @ skills), float((means - skills) @ (means - skills))
    return Transitivity(
        _share(transitive, cyclic),
        _share(max(0.0, transitive - float(leverage @ noise)), max(0.0, cyclic - float((1 - leverage) @ noise))),
    )


def _played(model: MarginModel) -> Iterator[tuple[str, str]]:
    return (pair for pair in combinations(model.participants, 2) if model.margin(*pair).scale != inf)


def _share(transitive: float, cyclic: float) -> float | None:
    # Rounded, since the last digits depend on the version of numpy.
    return round(transitive / (transitive + cyclic), 9) if transitive + cyclic else None
