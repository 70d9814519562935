"""The margin model: how much one participant wins from another, and how uncertain that is.

The unit is the seed pair: the two games of one seed with seats swapped, as one number, the mean margin per hand in
thousandths of a big blind. Within a seed pair memory may correlate the hands; between seed pairs nothing does.

For every pair of participants the margins are Normal around d, with a variance that is estimated from them and shrunk
towards that of the other pairs, as if up to two more seed pairs had been seen, fewer where pairs differ (`shrinkage`).
Nothing is assumed to be transitive: every pair has a margin of its own. A participant's result is its mean margin
against the field. Everything follows from sums, so the order of the games does not matter.

Where pairings share seeds, a participant lucky on one of them may be lucky against everybody, and two may be lucky
together against a third. `shared_seeds` says what that does to the variance of a sum.

`additive` is the variant for many participants: d = s_first - s_second, by weighted least squares. It needs far fewer
seed pairs, and is wrong where there are cycles.

In a gauntlet, one participant is the reference and the whole field of everybody else. Results are margins against it,
leads are differences of them, and the reference itself stands at 0.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import combinations
from math import fsum, inf, sqrt
from typing import TYPE_CHECKING, Final

from molt_bench.rating import shared_seeds
from molt_bench.rating.pair_sums import Sample, Sums, Terms
from molt_bench.rating.shrinkage import prior_freedom
from molt_bench.rating.student import UNKNOWN, Estimate
from molt_bench.specs import Pair

if TYPE_CHECKING:
    from molt_bench.poker.arrays import Floats

#: Leads whose terms are remembered.
_MOST_TERMS: Final = 1024
#: The variance of all pairs counts as this many seed pairs at most beside a pair's own.
PRIOR_WEIGHT: Final = 2.0
#: Assumed standard deviation of a hand with stacks of 100 big blinds, in thousandths of a big blind.
SD_PER_HAND: Final = 10_000.0
#: The reference of a gauntlet neither wins nor loses, by definition.
_BY_DEFINITION: Final = Estimate(0.0, 0.0, inf)


def first_guess(big_blinds: float) -> float:
    """Return the standard deviation to assume for a hand with stacks of so many big blinds."""
    return SD_PER_HAND * min(1.0, big_blinds / 100)


class MarginModel:
    """Seed pairs in, estimates of margins out.

    Args:
        participants: All participants, in the order that breaks ties.
        hands: Hands per seed pair, for the variance assumed before there is data.
        sd_per_hand: Standard deviation of a hand assumed before there is data, in thousandths of a big blind.
        anchors: Participants outside the field: they provide a scale, and are compared with the field.
        additive: Whether skills add up, which needs far fewer seed pairs and is wrong where there are cycles.
        reference: The one that everybody else plays alone, in a gauntlet; anchors and `additive` change nothing there.
        own_decks: Participants whose games are dealt decks of their own, so that they share no seed with others.
    """

    def __init__(
        self,
        participants: Sequence[str],
        *,
        hands: float = 100.0,
        sd_per_hand: float = SD_PER_HAND,
        anchors: Collection[str] = (),
        additive: bool = False,
        reference: str | None = None,
        own_decks: Collection[str] = (),
    ) -> None:
        self.participants = tuple(participants)
        self.anchors = frozenset(anchors)
        self.additive = additive and reference is None
        self.reference = reference
        self._own_decks = frozenset(own_decks)
        self._first_guess = sd_per_hand**2 / hands
        self._samples: dict[Pair, Sample] = {pair: Sample() for pair in combinations(self.participants, 2)}
        self._all_pairs = tuple(self._samples)
        self._place = {pair: at for at, pair in enumerate(self._all_pairs)}
        self._sums = Sums(len(self._samples))
        #: What has been computed since the last change; strengths stay as long as their pairs do.
        self._spread: tuple[Floats, Floats] | None = None
        self._leads: dict[Pair, Estimate] = {}
        self._information: tuple[Floats, Floats] | None = None
        self._strengths: dict[str, float] = {}
        self._ranking: tuple[str, ...] | None = None
        #: Terms of results, and terms and weights of the leads looked at lately.
        self._own: dict[str, Terms] = {}
        self._lead_terms: dict[Pair, Terms] = {}
        self._lead_weights: dict[Pair, Mapping[Pair, float]] = {}
        #: The pair that played each seed first, and whether another one played any of them as well.
        self._owners: dict[Hashable, Pair] = {}
        self._shared = False

    def add(self, pair: Pair, margins: Sequence[float], seeds: Sequence[Hashable] | None = None) -> None:
        """Add what the first won in seed pairs, in thousandths of a big blind per hand; other pairs may share seeds."""
        known = self._samples[self._pair(*pair)]
        sign = 1 if pair in self._samples else -1
        named = range(known.count, known.count + len(margins)) if seeds is None else seeds
        before = [sign * margin for margin in known.margins]
        self._set(pair, [*before, *margins], [*known.seeds, *self._named(pair, named, own=seeds is None)])

    def replace(self, pair: Pair, margins: Sequence[float], seeds: Sequence[Hashable]) -> None:
        """Replace all seed pairs of two participants."""
        self._set(pair, margins, self._named(pair, seeds))

    def _named(self, pair: Pair, seeds: Sequence[Hashable], *, own: bool = False) -> Sequence[Hashable]:
        """Return seeds by names that no other pair has if they are its own, or if its games have decks of their own."""
        return [(*self._pair(*pair), seed) for seed in seeds] if own or not self._own_decks.isdisjoint(pair) else seeds

    def _set(self, pair: Pair, margins: Sequence[float], seeds: Sequence[Hashable]) -> None:
        sign = 1 if pair in self._samples else -1
        values = [sign * margin for margin in margins]
        mean = fsum(values) / len(values) if values else 0.0
        squares = fsum([(value - mean) ** 2 for value in values])
        own = self._pair(*pair)
        known, named = self._samples[own].seeds, tuple(seeds)
        for seed in () if self._shared else named[len(known) :] if named[: len(known)] == known else named:
            self._shared |= self._owners.setdefault(seed, own) != own
        self._samples[own] = Sample(tuple(values), named, mean, squares)
        self._sums.set(self._place[own], len(values), mean, squares)
        self._spread = self._information = self._ranking = None
        self._leads.clear()
        for name in self.participants if self.additive else own:
            self._strengths.pop(name, None)

    @property
    def shares_seeds(self) -> bool:
        """Whether any seed was played by more than one pair."""
        return self._shared

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair of participants that may play, whether they have or not."""
        return tuple(pair for pair in self._samples if self.reference is None or self.reference in pair)

    def count(self, first: str, second: str) -> int:
        """Return how many seed pairs two participants have played."""
        return self._samples[self._pair(first, second)].count

    def variance(self, first: str, second: str) -> float:
        """Return the variance of a seed pair of two participants, shrunk towards that of the others."""
        return float(self._spreads()[0][self._place[self._pair(first, second)]])

    def variances(self) -> dict[Pair, float]:
        """Return the variance of a seed pair of every two participants."""
        return dict(zip(self._samples, self._spreads()[0].tolist(), strict=True))

    def own_variance(self, first: str, second: str) -> float | None:
        """Return the variance of their own seed pairs alone; None if there are fewer than two."""
        sample = self._samples[self._pair(first, second)]
        return sample.squares / sample.free if sample.free else None

    def margin(self, first: str, second: str) -> Estimate:
        """Return what the first wins from the second, from their own games alone."""
        pair = self._pair(first, second)
        return self._combined({pair: 1.0 if pair[0] == first else -1.0})

    def result(self, name: str) -> Estimate:
        """Return what a participant wins from the field: the mean over everybody else in it."""
        if name == self.reference:
            return _BY_DEFINITION
        return self._combined(self._weights({name: 1.0}, own_place=False))

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
            known = self._leads[first, second] = (
                self._combined(self.lead_weights(first, second))
                if self.additive
                else self._estimated(self._terms_of_lead(first, second))
            )
        return known

    def wide_lead(self, first: str, second: str) -> Estimate:
        """Return the lead as if luck in common made it no sharper: two are called tied by this.

        Two who have won the same on every deck so far may still differ on rare ones.
        """
        if self.reference is None or not self._shared:
            return self.lead(first, second)
        return self._estimated(self._terms_of_lead(first, second), wide=True)

    def lead_weights(self, first: str, second: str) -> Mapping[Pair, float]:
        """Return the weight of each pair's margin in the lead of the first over the second."""
        if self.additive:  # the difference of their skills, whoever else has met whom
            pair = self._pair(first, second)
            return self._additive({pair: 1.0 if pair[0] == first else -1.0})
        if (first, second) not in self._lead_weights:
            if len(self._lead_weights) > _MOST_TERMS:
                self._lead_weights.clear()
            self._lead_weights[first, second] = self._weights({first: 1.0, second: -1.0})
        return self._lead_weights[first, second]

    def strength_weights(self, name: str) -> Mapping[Pair, float]:
        """Return the weight of each pair's margin in a participant's result, as a member of the field."""
        return self._weights({name: 1.0})

    def ranking(self) -> tuple[str, ...]:
        """Return the participants, best first; ties keep the declared order."""
        if self._ranking is not None:
            return self._ranking
        for name in self.participants:
            if name not in self._strengths:
                terms = self._terms(self.strength_weights(name)) if self.additive else self._own_terms(name)
                self._strengths[name] = fsum((terms.weights * self._sums.means[terms.places]).tolist())
        self._ranking = tuple(sorted(self.participants, key=lambda name: -self._strengths[name]))
        return self._ranking

    def field_of(self, name: str) -> tuple[str, ...]:
        """Return the opponents that count for a result: all others but anchors, or the anchors if nobody is left.

        In a gauntlet that is the reference alone, and nobody for the reference.
        """
        if self.reference is not None:
            return () if name == self.reference else (self.reference,)
        others = tuple(other for other in self.participants if other != name)
        return tuple(other for other in others if other not in self.anchors) or others

    def _pair(self, first: str, second: str) -> Pair:
        return (first, second) if (first, second) in self._samples else (second, first)

    def _spreads(self) -> tuple[Floats, Floats]:
        """Return the variance of every pair, shrunk towards that of the others, and its degrees of freedom.

        A pair's own seed pairs are excluded from the others, or they would count twice. The initial guess is all there
        is at first, and counts for less as data come in.
        """
        import numpy as np  # here, since it is slow to load

        if self._spread is None:
            sums = self._sums
            total, all_free, most = sums.total(), int(sums.free.sum()), min(PRIOR_WEIGHT, prior_freedom(sums.known()))
            guess_weight = 1 / (1 + all_free)
            # Of all others: how much they vary, and how many seed pairs that counts as.
            weight = guess_weight + (all_free - sums.free)
            variance = (guess_weight * self._first_guess + np.maximum(0.0, total - sums.squares)) / weight
            counted = np.minimum(max(most, guess_weight), weight)
            self._spread = (counted * variance + sums.squares) / (counted + sums.free), counted + sums.free
        return self._spread

    def _weights(self, wanted: Mapping[str, float], *, own_place: bool = True) -> dict[Pair, float]:
        """Return the weight of every pair's margin in a weighted sum of results.

        With `own_place`, each participant is a member of its own field that breaks even against itself.
        """
        found: dict[Pair, float] = defaultdict(float)
        for name, times in wanted.items():
            field = self.field_of(name)
            size = len(field) + (own_place and name not in self.anchors and self.reference is None)
            for other in field:
                pair = self._pair(name, other)
                found[pair] += (times if pair[0] == name else -times) / size
        return self._additive(found) if self.additive else found

    def _additive(self, wanted: Mapping[Pair, float]) -> dict[Pair, float]:
        """Return the weights of the same sum where skills add up: those of the least-squares solution."""
        import numpy as np  # here, since it is slow to load

        place = {name: at for at, name in enumerate(self.participants)}
        weights = self._sums.counts / self._spreads()[0]
        if self._information is None:
            information = np.zeros((len(place), len(place)))
            for (first, second), weight in zip(self._samples, weights.tolist(), strict=True):
                one, two = place[first], place[second]
                information[[one, two], [one, two]] += weight
                information[[one, two], [two, one]] -= weight
            inverse = np.linalg.pinv(information, rcond=1e-10, hermitian=True)
            self._information = information, np.asarray(inverse, np.float64)
        information, inverse = self._information
        target = np.zeros(len(place))
        for pair in self._samples:
            if pair in wanted:
                target[[place[pair[0]], place[pair[1]]]] += np.array([1, -1]) * wanted[pair]
        solved = inverse @ target
        if abs(information @ solved - target).max() > 1e-9 * max(abs(target).max(), 1e-9):
            return dict(wanted)  # games do not connect everybody: the sum rests on pairs that have not played
        skill = dict(zip(place, solved.tolist(), strict=True))
        return {
            pair: each * (skill[pair[0]] - skill[pair[1]])
            for pair, each in zip(self._samples, weights.tolist(), strict=True)
        }

    def _own_terms(self, name: str) -> Terms:
        """Return the terms of a participant's result, as a member of the field; skills do not add up."""
        if name not in self._own:
            self._own[name] = self._terms(self._weights({name: 1.0}))
        return self._own[name]

    def _terms_of_lead(self, first: str, second: str) -> Terms:
        """Return the terms of a lead, which are those of both results; skills do not add up."""
        if (first, second) not in self._lead_terms:
            import numpy as np  # here, since it is slow to load

            if len(self._lead_terms) > _MOST_TERMS:
                self._lead_terms.clear()
            one, two = self._own_terms(first), self._own_terms(second)
            places, weights = np.concatenate([one.places, two.places]), np.concatenate([one.weights, -two.weights])
            # The games between the two may count in both results; then they are one term.
            both = np.flatnonzero(places == self._place[self._pair(first, second)])
            weights[both[:1]] = weights[both].sum()
            places, weights = np.delete(places, both[1:]), np.delete(weights, both[1:])
            self._lead_terms[first, second] = Terms(places, weights, weights**2)
        return self._lead_terms[first, second]

    def _terms(self, weights: Mapping[Pair, float]) -> Terms:
        """Return the terms of a weighted sum of margins."""
        import numpy as np  # here, since it is slow to load

        used = [(self._place[pair], weight, weight**2) for pair, weight in weights.items() if weight]
        places, each, squared = zip(*used, strict=True) if used else ((), (), ())
        return Terms(np.array(places, np.int64), np.array(each), np.array(squared))

    def _combined(self, weights: Mapping[Pair, float]) -> Estimate:
        """Return a weighted sum of margins."""
        return self._estimated(self._terms(weights))

    def _estimated(self, terms: Terms, *, wide: bool = False) -> Estimate:
        """Return a weighted sum of margins, with degrees of freedom by Welch and Satterthwaite.

        If it is to be `wide`, shared seeds count only where they make it vary more.
        """
        places = terms.places
        counts = self._sums.counts[places]
        if not len(places) or not counts.all():
            return UNKNOWN
        mean, total, free, unit = self._weighted(terms, counts)
        if self._shared:
            factor, most = self._together(terms, total)
            if factor > 1 or not wide:
                total, free, unit = total * factor, min(free, most), unit * factor
        return Estimate(mean, sqrt(total), free, sqrt(unit))

    def _weighted(self, terms: Terms, counts: Floats) -> tuple[float, float, float, float]:
        """Return the mean and variance of a weighted sum, its degrees of freedom, and the variance of one of each."""
        (variances, frees), sums = self._spreads(), self._sums
        parts = terms.squared * variances[terms.places] / counts
        total = fsum(parts.tolist())
        by_pair = zip(parts.tolist(), frees[terms.places].tolist(), strict=True)
        free = total**2 / fsum([part**2 / own for part, own in by_pair])
        mean = fsum((terms.weights * sums.means[terms.places]).tolist())
        return mean, total, free, fsum((parts * counts).tolist())

    def _together(self, terms: Terms, apart: float) -> tuple[float, float]:
        """Return by what factor shared seeds change the variance of a sum, and the most degrees of freedom they leave.

        `apart` is the variance that the sum would have without them.
        """
        samples = [self._samples[self._all_pairs[place]] for place in terms.places.tolist()]
        used = list(zip(terms.weights.tolist(), samples, strict=True))
        if self.reference is None or len(used) == 1:
            return shared_seeds.clustering(used), inf
        # The lead of one over another in a gauntlet: what each of the two wins from the reference.
        added, most = shared_seeds.covariance(used, self._spreads()[0][terms.places].tolist())
        return (1 + added / apart if apart else 1.0), most
