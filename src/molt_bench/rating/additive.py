"""The margin model for many participants, in which skills add up: d = s_first - s_second, by weighted least squares.

It needs far fewer seed pairs, and is wrong where there are cycles.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from molt_bench.poker.arrays import Floats
from molt_bench.rating.pair_sums import Terms
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.specs import Pair


class _LeastSquares(NamedTuple):
    """The matrix of information, its inverse, and what each pair weighs."""

    information: Floats
    inverse: Floats
    weights: Floats


class AdditiveModel(MarginModel):
    """A margin model in which the games of everybody tell about the skills of two, whoever met whom."""

    _known: _LeastSquares | None = None

    def lead_weights(self, first: str, second: str) -> Mapping[Pair, float]:
        """Return the weight of each pair's margin in the difference of two skills."""
        return self._additive(self._difference(first, second))

    def _difference(self, first: str, second: str) -> dict[Pair, float]:
        pair = self._pair(first, second)
        return {pair: 1.0 if pair[0] == first else -1.0}

    def _forget(self, changed: Pair) -> None:
        super()._forget(changed)
        self._standings.clear()
        self._known = None

    def _rows(self) -> None:
        return None

    def _weights(self, wanted: Mapping[str, float], *, in_own_field: bool = True) -> dict[Pair, float]:
        return self._additive(super()._weights(wanted, in_own_field=in_own_field))

    def _additive(self, wanted: dict[Pair, float]) -> dict[Pair, float]:
        found = self._solved(wanted)
        return wanted if found is None else dict(zip(self._pairs, found.tolist(), strict=True))

    def _terms_of(self, name: str) -> Terms:
        return self._additive_terms(super()._weights({name: 1.0}))

    def _terms_of_lead(self, first: str, second: str) -> Terms:
        return self._additive_terms(self._difference(first, second))

    def _additive_terms(self, wanted: dict[Pair, float]) -> Terms:
        found = self._solved(wanted)
        if found is None:
            return self._terms(wanted)
        used = np.flatnonzero(found)
        return Terms(used, found[used], np.float_power(found[used], 2.0))

    def _solved(self, wanted: Mapping[Pair, float]) -> Floats | None:
        """Return what every pair weighs in the same sum where skills add up: the least-squares solution.

        None if games do not connect everybody, so that the sum rests on pairs that have not played.
        """
        information, inverse, weights = self._least_squares()
        ones, others = self._sums.ones, self._sums.others
        target = np.zeros(len(self.participants))
        for at, each in sorted((self._index[pair], each) for pair, each in wanted.items()):
            target[ones[at]] += each
            target[others[at]] -= each
        solved = inverse @ target
        if abs(information @ solved - target).max() > 1e-9 * max(abs(target).max(), 1e-9):
            return None
        found: Floats = weights * (solved[ones] - solved[others])
        return found

    def _least_squares(self) -> _LeastSquares:
        if self._known is None:
            weights = self._sums.counts / self._sums.spreads()[0]
            ones, others, size = self._sums.ones, self._sums.others, len(self.participants)
            information = np.zeros((size, size))
            information[ones, others] = information[others, ones] = 0.0 - weights
            # Added up in the order of the pairs, as one after another.
            own = np.bincount(np.column_stack([ones, others]).ravel(), np.repeat(weights, 2), size)
            np.fill_diagonal(information, own)
            inverse = np.linalg.pinv(information, rcond=1e-10, hermitian=True)
            self._known = _LeastSquares(information, np.asarray(inverse, np.float64), weights)
        return self._known
