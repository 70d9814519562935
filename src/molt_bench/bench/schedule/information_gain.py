"""The matchmaker `information_gain`: pairs whose next match tells most about undecided neighbours, for its cost."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import inf
from operator import is_not
from typing import ClassVar

from molt_bench.bench.schedule.situation import Contrast, Situation
from molt_bench.specs import Pair


def information_gain(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer pairs whose next match brings undecided neighbours closest to a decision, relative to its cost.

    The gain is the variance of their leads that one more match removes, in units of the variance that would
    decide each. A pair that says nothing about them has no gain.
    """
    return sorted(pairs, key=least_gain_last(situation))


def least_gain_last(situation: Situation) -> Callable[[Pair], tuple[float, int]]:
    """Return what pairs are sorted by: minus the gain of their next match, and how often they have met."""
    more, useful = situation.seeds_per_match, _per_variance(situation.contrasts)
    meetings, variances, costs = situation.meetings, situation.variance, situation.cost

    def key(pair: Pair) -> tuple[float, int]:
        met = meetings[pair]
        each = useful.get(pair)
        if not each:
            return 0.0, met
        variance = variances.get(pair, 1.0)
        saved = variance / (more * met) - variance / (more * met + more) if met else inf
        return -(each * saved / costs.get(pair, 1.0) if costs else each * saved), met

    return key


def _per_variance(contrasts: Sequence[Contrast]) -> dict[Pair, float]:
    """Return for each pair the sum over contrasts of its squared weight, in units of the variance that decides each."""
    layout = _Layout.of([contrast.weights for contrast in contrasts])
    shares = [
        weight**2 / contrast.target
        for contrast, different in zip(contrasts, layout.different, strict=True)
        for weight in different
    ]
    share_of = shares.__getitem__
    return {pair: sum(map(share_of, indices)) for pair, indices in layout.indices.items()}


class _Layout:
    """Where the weights of some contrasts are: they are the same for many rounds, and many of them are equal.

    Attributes:
        different: The different weights of each contrast.
        indices: For each pair, the indices of its weights among these, one contrast after another.
    """

    _last: ClassVar["_Layout | None"] = None

    def __init__(self, weights: Sequence[Mapping[Pair, float]]) -> None:
        self._weights = weights
        self.different: list[list[float]] = []
        self.indices: dict[Pair, list[int]] = defaultdict(list)
        first = 0
        for each in weights:
            index_of = {weight: first + at for at, weight in enumerate(dict.fromkeys(each.values()))}
            for pair, weight in each.items():
                self.indices[pair].append(index_of[weight])
            self.different.append(list(index_of))
            first += len(index_of)

    @classmethod
    def of(cls, weights: Sequence[Mapping[Pair, float]]) -> "_Layout":
        """Return the layout of these weights, which must not change; the last one is remembered."""
        last = cls._last
        if last is None or len(last._weights) != len(weights) or any(map(is_not, last._weights, weights)):
            last = cls._last = cls(weights)
        return last
