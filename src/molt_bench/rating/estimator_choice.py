"""The margin book: every pair's margins by every estimator, and the choice between them.

All estimators have the same expectation. Which one varies least depends on the players: between two that get all-in
alike, the chips of the two games of a seed cancel out by themselves, and any other estimate varies more. So with `auto`
each match counts by `fitted`, unless another one varies clearly less over the seed pairs of the two before it. A match
keeps its estimator. So each was chosen before the cards that it is about: choosing the one that seems to vary least of
those already seen would make intervals too short, most of all where the big wins are rare.

Only chips count for a pairing with somebody who is not trusted.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, sqrt
from operator import add, mul, sub
from typing import Final

from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.records import ESTIMATORS, Margins
from molt_bench.specs import Pair

AUTO: Final = "auto"
#: The chips, from which no luck is removed.
RAW: Final = "raw"
#: The estimator to use until there are enough seed pairs to choose.
FIRST: Final = "fitted"
_ENOUGH: Final = 8
#: How many standard errors the variance of another one must be below: the least of several looks better than it is.
_CLEARLY: Final = 2.5


class MarginBook:
    """Fills a margin model with the margins of one of the `ESTIMATORS`, or by `auto` of the best for each pair."""

    def __init__(self, model: MarginModel, estimator: str = AUTO, *, distrusted: Iterable[str] = ()) -> None:
        self.model = model
        self._estimator = estimator
        #: The margins that count, and how many of them are by each estimator.
        self._used: dict[Pair, list[float]] = {}
        self._shares: dict[Pair, Counter[str]] = {}
        self._columns: dict[Pair, dict[str, list[float]]] = {}
        self._distrusted: frozenset[str] = frozenset(distrusted)

    def add(self, pair: Pair, margins: Margins) -> None:
        """Add the margins of a match."""
        self._note(pair, margins)
        self._enter(pair)

    def add_all(self, matches: Iterable[tuple[Pair, Margins]]) -> None:
        """Add the margins of many matches, which gives the same as one after another."""
        played: dict[Pair, None] = {}
        for pair, margins in matches:
            self._note(pair, margins)
            played.pop(pair, None)  # in the order of their last matches
            played[pair] = None
        for pair in played:
            self._enter(pair)

    def _note(self, pair: Pair, margins: Margins) -> None:
        chosen = self.preferred(pair)
        self._used.setdefault(pair, []).extend(margins[chosen])
        self._shares.setdefault(pair, Counter())[chosen] += len(margins[chosen])
        columns = self._columns.setdefault(pair, {name: [] for name in ESTIMATORS})
        for name, column in columns.items():
            column += margins[name]

    def _enter(self, pair: Pair) -> None:
        trusted = self._distrusted.isdisjoint(pair)
        counted = self._used[pair] if trusted else self._columns[pair][RAW]
        self.model.replace(pair, counted)

    def distrust(self, names: Iterable[str]) -> None:
        """Use the chips alone for all pairings of these participants, and for no others."""
        changed = self._distrusted.symmetric_difference(names)
        self._distrusted = frozenset(names)
        for pair in self._columns if changed else ():
            if not changed.isdisjoint(pair):
                self._enter(pair)

    def column(self, pair: Pair, estimator: str) -> Sequence[float]:
        """Return all margins of a pair by an estimator."""
        return self._columns[pair][estimator]

    def estimator_of(self, pair: Pair) -> str:
        """Return the estimator used for a pair: that of most of its seed pairs."""
        if not self._distrusted.isdisjoint(pair):
            return RAW
        shares = self._shares.get(pair)
        return shares.most_common(1)[0][0] if shares else self.preferred(pair)

    def removing_luck(self, pair: Pair) -> str:
        """Return the estimator to compare with the chips: the one in use if both are trusted.

        With `auto`, chips may vary least for those who know all cards. Then it is `FIRST`, which tells them.
        """
        found = self.preferred(pair)
        return FIRST if found == RAW and self._estimator == AUTO else found

    def preferred(self, pair: Pair) -> str:
        """Return the estimator by which the next match of a pair counts if both are trusted."""
        if self._estimator != AUTO:
            return self._estimator
        return least_varying(self._columns.get(pair, {FIRST: []}))


def least_varying(columns: Mapping[str, Sequence[float]]) -> str:
    """Return the estimator whose column varies least; `FIRST` unless another varies clearly less.

    Whether it does is tested as by Pitman and Morgan (1939): of two columns with the same variance, sum and difference
    are not correlated.
    """
    if len(columns[FIRST]) < _ENOUGH:
        return FIRST
    usual = _centred(columns[FIRST])
    # Most estimators are the same for most pairs.
    different = [name for name, column in columns.items() if column != columns[FIRST]]
    centred = {name: _centred(columns[name]) for name in different}
    better = [name for name, column in centred.items() if _varies_less(column, usual)]
    return min(better, key=lambda name: _product(centred[name], centred[name]), default=FIRST)


def _varies_less(column: Sequence[float], usual: Sequence[float]) -> bool:
    """Return whether a column has clearly less variance than the usual one; both have mean 0."""
    sums, differences = list(map(add, usual, column)), list(map(sub, usual, column))
    together = _product(sums, differences)
    if not together > 0:
        return False
    # The t of a correlation, with the root on the other side: nothing is divided by 0.
    rest = _product(sums, sums) * _product(differences, differences) - together**2
    return together * sqrt(len(usual) - 2) > _CLEARLY * sqrt(max(rest, 0.0))


def _product(first: Sequence[float], second: Sequence[float]) -> float:
    return fsum(map(mul, first, second))


def _centred(values: Sequence[float]) -> list[float]:
    mean = fsum(values) / len(values) if values else 0.0
    return [value - mean for value in values]
