"""The matchmaker `information_gain`: pairs whose next match tells most about undecided neighbours, for its cost."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, inf
from operator import is_not
from typing import TYPE_CHECKING, ClassVar

from molt_bench.bench.schedule.situation import Contrast, LaterMapping, Situation
from molt_bench.lazy_import import lazy_import
from molt_bench.specs import Pair

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_import("numpy")


def information_gain(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer pairs whose next match brings undecided neighbours closest to a decision, relative to its cost.

    The gain is the variance of their leads that one more match removes, in units of the variance that would
    decide each. A pair that says nothing about them has no gain.
    """
    return [pairs[at] for *_, at in sorted(_by_gain(situation, pairs))]


def most_gain(situation: Situation, pairs: Sequence[Pair]) -> Pair:
    """Return the first of these pairs by `information_gain`, without sorting the others."""
    return pairs[min(_by_gain(situation, pairs))[2]]


def _by_gain(situation: Situation, pairs: Sequence[Pair]) -> Iterable[tuple[float, int, int]]:
    """Return what pairs are sorted by: minus the gain of the next match, how often they have met, and their index."""
    more, useful = situation.seeds_per_match, _per_variance(situation.contrasts)
    met = list(map(situation.meetings.__getitem__, pairs))
    each = np.array([useful.get(pair, 0.0) for pair in pairs])
    spread = situation.variance.known if isinstance(situation.variance, LaterMapping) else situation.variance
    variance = np.array([spread.get(pair, 1.0) for pair in pairs])
    played = more * np.array(met, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        saved = np.where(played > 0, variance / played - variance / (played + more), inf)
        gain = each * saved
    if situation.cost:
        gain /= np.array([situation.cost.get(pair, 1.0) for pair in pairs])
    return zip(np.where(each != 0, -gain, 0.0).tolist(), met, range(len(pairs)), strict=True)


def _per_variance(contrasts: Sequence[Contrast]) -> dict[Pair, float]:
    """Return for each pair the sum over contrasts of its squared weight, in units of the variance that decides each."""
    layout = _Layout.of([contrast.weights for contrast in contrasts])
    shares = [
        weight**2 / contrast.target
        for contrast, different in zip(contrasts, layout.different, strict=True)
        for weight in different
    ]
    share_of = shares.__getitem__
    return {pair: fsum(map(share_of, indices)) for pair, indices in layout.indices.items()}


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
