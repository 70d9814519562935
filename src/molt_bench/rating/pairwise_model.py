"""The margin model, pairwise: how much one participant wins from another, and how uncertain that is.

The unit is the seed pair: the two games of one seed with seats swapped, as one number, the mean margin per hand in
thousandths of a big blind. Within a seed pair memory may correlate the hands; between seed pairs nothing does.

For every pair of participants the margins are Normal around d, with a variance that is estimated from them and shrunk
towards that of the other pairs, as if up to two more seed pairs had been seen, fewer where pairs differ (`shrinkage`).
Where they are skewed instead, intervals are wider (`pair_sums`).
Nothing is assumed to be transitive: every pair has a margin of its own. A participant's result is its mean margin
against the field. Everything follows from sums, so the order of the games does not matter.

`GauntletModel` is the one in which everybody plays one opponent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import fsum, inf, sqrt
from typing import Final, TypedDict

import numpy as np

from molt_bench.rating.exact_sums import Members, exact_parts
from molt_bench.rating.many_leads import Leads, Rows, lead_sums
from molt_bench.rating.pair_sums import Allowances, PairSums, Sample, Sum, Terms
from molt_bench.rating.pair_worth import PairWorth
from molt_bench.rating.student import UNKNOWN, Estimate
from molt_bench.specs import Pair

#: From this many leads on, they are computed together.
_MANY: Final = 64
#: Leads whose terms are remembered.
_MOST_TERMS: Final = 1024
_ALL: Final = Allowances()
#: Assumed standard deviation of a hand with stacks of 100 big blinds, in thousandths of a big blind.
SD_PER_HAND: Final = 10_000.0


def first_guess(big_blinds: float) -> float:
    """Return the standard deviation to assume for a hand with stacks of so many big blinds."""
    return SD_PER_HAND * min(1.0, big_blinds / 100)


class ModelOptions(TypedDict, total=False):
    """The options of every margin model."""

    hands: float
    sd_per_hand: float
    anchors: Collection[str]
    allows: Allowances


class MarginModel:
    """Seed pairs in, estimates of margins out.

    Attributes:
        yardstick: The one that everybody else plays alone, in a gauntlet; else None.

    Args:
        participants: All participants, in the order that breaks ties.
        hands: Hands per seed pair, for the variance assumed before there is data.
        sd_per_hand: Standard deviation of a hand assumed before there is data, in thousandths of a big blind.
        anchors: Participants outside the field: they provide a scale, and are compared with the field.
        allows: What intervals and verdicts allow for.
    """

    yardstick: str | None = None

    def __init__(
        self,
        participants: Sequence[str],
        *,
        hands: float = 100.0,
        sd_per_hand: float = SD_PER_HAND,
        anchors: Collection[str] = (),
        allows: Allowances = _ALL,
    ) -> None:
        self.participants = tuple(participants)
        self.anchors = frozenset(anchors)
        self._samples: dict[Pair, Sample] = {pair: Sample() for pair in combinations(self.participants, 2)}
        self._pairs = tuple(self._samples)
        self._index = {pair: at for at, pair in enumerate(self._pairs)}
        numbers = [*combinations(range(len(self.participants)), 2)]
        self._sums = PairSums(numbers, sd_per_hand**2 / hands, allows)
        #: What has been computed since the last change; a standing stays as long as its pairs do.
        self._leads: dict[Pair, Estimate] = {}
        self._standings: dict[str, float] = {}
        self._parts: dict[str, tuple[float, ...]] = {}
        self._ranking: tuple[str, ...] | None = None
        self._known_rows: Rows | None = None
        #: Terms of standings, and terms and weights of the leads looked at lately.
        self._own_terms: dict[str, Terms] = {}
        self._lead_terms: dict[Pair, Terms] = {}
        self._lead_weights: dict[Pair, Mapping[Pair, float]] = {}

    def add(self, pair: Pair, margins: Sequence[float]) -> None:
        """Add what the first won in seed pairs, in thousandths of a big blind per hand."""
        self.replace(pair, [*self.margins_of(*pair), *margins])

    def replace(self, pair: Pair, margins: Sequence[float]) -> None:
        """Replace all seed pairs of two participants."""
        sign = 1 if pair in self._samples else -1
        values = [sign * margin for margin in margins]
        mean = fsum(values) / len(values) if values else 0.0
        squares = fsum([(value - mean) ** 2 for value in values])
        cubes = fsum([(value - mean) ** 3 for value in values])
        own = self._pair(*pair)
        self._samples[own] = sample = Sample(tuple(values), mean, squares, cubes)
        self._sums.set(self._index[own], sample)
        self._forget(own)

    def _forget(self, changed: Pair) -> None:
        """Forget what was computed before a pair changed."""
        self._ranking = None
        self._leads.clear()
        for name in changed:
            self._standings.pop(name, None)
            self._parts.pop(name, None)

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair of participants that may play, whether they have or not."""
        return self._pairs

    def count(self, first: str, second: str) -> int:
        """Return how many seed pairs two participants have played."""
        return self._samples[self._pair(first, second)].count

    def variance(self, first: str, second: str) -> float:
        """Return the variance of a seed pair of two participants, shrunk towards that of the others."""
        return float(self._sums.spreads()[0][self._index[self._pair(first, second)]])

    def variances(self) -> dict[Pair, float]:
        """Return the variance of a seed pair of every two participants."""
        return dict(zip(self._pairs, self._sums.spreads()[0].tolist(), strict=True))

    def margins_of(self, first: str, second: str) -> tuple[float, ...]:
        """Return what the first won from the second in each of their seed pairs."""
        pair = self._pair(first, second)
        margins = self._samples[pair].margins
        return margins if pair[0] == first else tuple(-each for each in margins)

    def own_variance(self, first: str, second: str) -> float | None:
        """Return the variance of their own seed pairs alone; None if there are fewer than two."""
        sample = self._samples[self._pair(first, second)]
        return sample.squares / sample.free if sample.free else None

    def margin(self, first: str, second: str) -> Estimate:
        """Return what the first wins from the second, from their own games alone."""
        pair = self._pair(first, second)
        return self._estimated(self._terms({pair: 1.0 if pair[0] == first else -1.0}))

    def result(self, name: str) -> Estimate:
        """Return what a participant wins from the field: the mean over everybody else in it."""
        return self._estimated(self._terms(self._weights({name: 1.0}, in_own_field=False)))

    def met(self, name: str) -> tuple[str, ...]:
        """Return the opponents in the field that a participant has played."""
        return tuple(other for other in self.field_of(name) if self.count(name, other))

    def so_far(self, name: str) -> Estimate | None:
        """Return a participant's result, or its mean over the opponents met if some of the field are missing.

        That mean has no interval, since the others could change it by anything. None before the first game.
        """
        result, met = self.result(name), self.met(name)
        if result.scale != inf:
            return result
        return Estimate(fsum(self.margin(name, other).mean for other in met) / len(met), inf, 1.0) if met else None

    def lead(self, first: str, second: str) -> Estimate:
        """Return how much better the first is than the second.

        This is the difference of what they win from the field, with each a member of it that breaks even against
        itself. So for two participants it is their margin, and where skills add up, the difference of skills.
        """
        known = self._leads.get((first, second))
        if known is None:
            known = self._leads[first, second] = self._estimated(self._terms_of_lead(first, second))
        return known

    def leads(self, pairs: Iterable[Pair]) -> list[Estimate]:
        """Return the lead of the first of each pair over the second: of many, all together."""
        pairs = list(pairs)
        new = [pair for pair in pairs if pair not in self._leads]
        rows = self._rows() if len(new) >= _MANY else None
        for pair, found in zip(new, self._lead_sums(new, rows), strict=True) if rows is not None else ():
            if found is not None:
                self._leads[pair] = _estimate(found)
        return [self.lead(*pair) for pair in pairs]

    def worth(self, targets: Sequence[tuple[Pair, float]]) -> PairWorth | None:
        """Return what another seed pair of each pair is worth to some leads, given the variance that decides each.

        None where that does not follow from the pairs of the two alone.
        """
        rows, number = self._rows(), {name: at for at, name in enumerate(self.participants)}
        if rows is None:
            return None
        return PairWorth(self._pairs, self._index, self._sums, number, rows, targets)

    def _rows(self) -> Rows | None:
        """Return what standings are made of; None if not everybody's are made of pairs of one weight."""
        field = len(self.participants) - len(self.anchors)
        if self._known_rows is None and field > 1:
            apart = np.array([name in self.anchors for name in self.participants])
            ones, others, size = self._sums.ones, self._sums.others, len(self.participants)
            members = Members.of(np.where(apart[others], size, ones), np.where(apart[ones], size, others), size)
            self._known_rows = Rows(members, 1.0 / field)
        return self._known_rows

    def _lead_sums(self, pairs: Sequence[Pair], rows: Rows) -> list[Sum | None]:
        number = {name: at for at, name in enumerate(self.participants)}
        first, second = (np.array([number[pair[side]] for pair in pairs]) for side in (0, 1))
        indices = np.array([self._index[self._pair(*pair)] for pair in pairs])
        twice = np.array([self.anchors.isdisjoint(pair) for pair in pairs])
        standings = [self._exact_standing(name) for name in self.participants]
        return lead_sums(self._sums, rows, Leads(first, second, indices, twice), standings)

    def _exact_standing(self, name: str) -> tuple[float, ...]:
        """Return a few numbers whose sum is exactly a standing."""
        if name not in self._parts:
            terms = self._terms_of(name)
            self._parts[name] = exact_parts((terms.weights * self._sums.means[terms.indices]).tolist())
        return self._parts[name]

    def lead_weights(self, first: str, second: str) -> Mapping[Pair, float]:
        """Return the weight of each pair's margin in the lead of the first over the second."""
        if (first, second) not in self._lead_weights:
            if len(self._lead_weights) > _MOST_TERMS:
                self._lead_weights.clear()
            self._lead_weights[first, second] = self._weights({first: 1.0, second: -1.0})
        return self._lead_weights[first, second]

    def ranking(self) -> tuple[str, ...]:
        """Return the participants, best first; ties keep the declared order."""
        if self._ranking is None:
            for name in self.participants:
                if name not in self._standings:
                    terms = self._terms_of(name)
                    self._standings[name] = fsum((terms.weights * self._sums.means[terms.indices]).tolist())
            self._ranking = tuple(sorted(self.participants, key=lambda name: -self._standings[name]))
        return self._ranking

    def field_of(self, name: str) -> tuple[str, ...]:
        """Return the opponents that count for a result: all others but anchors, or the anchors if nobody is left."""
        others = tuple(other for other in self.participants if other != name)
        return tuple(other for other in others if other not in self.anchors) or others

    def _pair(self, first: str, second: str) -> Pair:
        return (first, second) if (first, second) in self._samples else (second, first)

    def _weights(self, wanted: Mapping[str, float], *, in_own_field: bool = True) -> dict[Pair, float]:
        """Return the weight of every pair's margin in a weighted sum of results.

        With `in_own_field`, each participant is a member of its own field that breaks even against itself.
        """
        found: dict[Pair, float] = defaultdict(float)
        for name, times in wanted.items():
            field = self.field_of(name)
            size = len(field) + (in_own_field and name not in self.anchors)
            for other in field:
                pair = self._pair(name, other)
                found[pair] += (times if pair[0] == name else -times) / size
        return found

    def _terms_of(self, name: str) -> Terms:
        """Return the terms of a participant's standing: its result as a member of the field."""
        if name not in self._own_terms:
            self._own_terms[name] = self._terms(self._weights({name: 1.0}))
        return self._own_terms[name]

    def _terms_of_lead(self, first: str, second: str) -> Terms:
        """Return the terms of a lead, which are those of both standings."""
        if (first, second) not in self._lead_terms:
            if len(self._lead_terms) > _MOST_TERMS:
                self._lead_terms.clear()
            one, two = self._terms_of(first), self._terms_of(second)
            indices, weights = np.concatenate([one.indices, two.indices]), np.concatenate([one.weights, -two.weights])
            # The games between the two may count in both results; then they are one term.
            both = np.flatnonzero(indices == self._index[self._pair(first, second)])
            weights[both[:1]] = weights[both].sum()
            indices, weights = np.delete(indices, both[1:]), np.delete(weights, both[1:])
            self._lead_terms[first, second] = Terms(indices, weights, weights**2)
        return self._lead_terms[first, second]

    def _terms(self, weights: Mapping[Pair, float]) -> Terms:
        """Return the terms of a weighted sum of margins."""
        used = [(self._index[pair], weight, weight**2) for pair, weight in weights.items() if weight]
        indices, each, squared = zip(*used, strict=True) if used else ((), (), ())
        return Terms(np.array(indices, np.int64), np.array(each), np.array(squared))

    def _estimated(self, terms: Terms) -> Estimate:
        """Return a weighted sum of margins."""
        found = self._sums.weighted(terms)
        return UNKNOWN if found is None else _estimate(found)


def _estimate(found: Sum) -> Estimate:
    return Estimate(found.mean, sqrt(found.variance) * found.widening, found.free, sqrt(found.unit), found.caution)
