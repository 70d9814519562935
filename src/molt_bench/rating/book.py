"""The margin book: every pair's margins by every estimator, and the choice between them.

All estimators have the same expectation. Which one varies least depends on the players: between two that get all-in
alike, the chips of the two games of a seed cancel out by themselves, and any other estimate varies more. So with `auto`
each pair uses `ranged`, unless another one varies clearly less over its seed pairs so far. The choice depends on
the variance alone, never on the estimate itself.
"""

from collections.abc import Hashable, Sequence
from typing import Final

from molt_bench.rating.margin import MarginModel
from molt_bench.records import Margins
from molt_bench.seeds import Seed
from molt_bench.specs import Pair

#: The estimators by their names in configs, with their fields in `Margins`.
ESTIMATORS: Final = {
    "raw": "raw",
    "allIn": "all_in",
    "adjusted": "adjusted",
    "corrected": "corrected",
    "ranged": "ranged",
}
AUTO: Final = "auto"
#: The estimator to use until there are enough seed pairs to choose.
_FIRST: Final = "ranged"
_ENOUGH: Final = 8
#: Another one must have less than this share of its variance: the least of several variances looks better than it is.
_CLEARLY: Final = 0.7


class MarginBook:
    """Fills a margin model with the margins of one of the `ESTIMATORS`, or by `auto` of the best for each pair."""

    def __init__(self, model: MarginModel, estimator: str = AUTO) -> None:
        self.model = model
        self._estimator = estimator
        self._columns: dict[Pair, dict[str, list[float]]] = {}
        self._seeds: dict[Pair, list[Hashable]] = {}

    def add(self, pair: Pair, margins: Margins, seeds: Sequence[Seed]) -> None:
        """Add the margins of a match."""
        columns = self._columns.setdefault(pair, {name: [] for name in ESTIMATORS})
        for name, field in ESTIMATORS.items():
            columns[name] += getattr(margins, field)
        self._seeds.setdefault(pair, []).extend(seeds)
        self.model.replace(pair, columns[self.estimator_of(pair)], self._seeds[pair])

    def estimator_of(self, pair: Pair) -> str:
        """Return the estimator used for a pair."""
        if self._estimator != AUTO:
            return self._estimator
        columns = self._columns.get(pair, {})
        if len(columns.get(_FIRST, ())) < _ENOUGH:
            return _FIRST
        best = min(columns, key=lambda name: _squares(columns[name]))
        return best if _squares(columns[best]) < _CLEARLY * _squares(columns[_FIRST]) else _FIRST


def _squares(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values)
