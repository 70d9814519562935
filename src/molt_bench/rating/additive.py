"""The margin model for many participants, in which skills add up: d = s_first - s_second, by weighted least squares.

It needs far fewer seed pairs, and is wrong where there are cycles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from molt_bench.lazy_import import lazy_import
from molt_bench.rating.margin import MarginModel
from molt_bench.rating.pair_sums import Terms
from molt_bench.specs import Pair

if TYPE_CHECKING:
    import numpy as np

    from molt_bench.poker.arrays import Floats
else:
    np = lazy_import("numpy")


class AdditiveModel(MarginModel):
    """A margin model in which the games of everybody tell about the skills of two, whoever met whom."""

    #: Of the least squares: the matrix of information, and its inverse.
    _information: tuple[Floats, Floats] | None = None

    def lead_weights(self, first: str, second: str) -> Mapping[Pair, float]:
        """Return the weight of each pair's margin in the difference of two skills."""
        pair = self._pair(first, second)
        return self._additive({pair: 1.0 if pair[0] == first else -1.0})

    def _forget(self, changed: Pair) -> None:
        super()._forget(changed)
        self._standings.clear()
        self._information = None

    def _rows(self) -> None:
        return None

    def _weights(self, wanted: Mapping[str, float], *, in_own_field: bool = True) -> dict[Pair, float]:
        return self._additive(super()._weights(wanted, in_own_field=in_own_field))

    def _terms_of(self, name: str) -> Terms:
        return self._terms(self._weights({name: 1.0}))

    def _terms_of_lead(self, first: str, second: str) -> Terms:
        return self._terms(self.lead_weights(first, second))

    def _additive(self, wanted: Mapping[Pair, float]) -> dict[Pair, float]:
        """Return the weights of the same sum where skills add up: those of the least-squares solution."""
        number = {name: at for at, name in enumerate(self.participants)}
        weights = self._sums.counts / self._sums.spreads()[0]
        if self._information is None:
            information = np.zeros((len(number), len(number)))
            for (first, second), weight in zip(self._pairs, weights.tolist(), strict=True):
                one, two = number[first], number[second]
                information[[one, two], [one, two]] += weight
                information[[one, two], [two, one]] -= weight
            inverse = np.linalg.pinv(information, rcond=1e-10, hermitian=True)
            self._information = information, np.asarray(inverse, np.float64)
        information, inverse = self._information
        target = np.zeros(len(number))
        for pair in self._pairs:
            if pair in wanted:
                target[[number[pair[0]], number[pair[1]]]] += np.array([1, -1]) * wanted[pair]
        solved = inverse @ target
        if abs(information @ solved - target).max() > 1e-9 * max(abs(target).max(), 1e-9):
            return dict(wanted)  # games do not connect everybody: the sum rests on pairs that have not played
        skill = dict(zip(number, solved.tolist(), strict=True))
        return {
            pair: each * (skill[pair[0]] - skill[pair[1]])
            for pair, each in zip(self._pairs, weights.tolist(), strict=True)
        }
