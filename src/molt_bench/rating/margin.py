"""The margin model: how much one participant wins from another, and how uncertain that is.

The unit is the seed pair: the two games of one seed with seats swapped, as one number, the mean margin per hand in
thousandths of a big blind. Within a seed pair memory may correlate the hands; between seed pairs nothing does.

For every pair of participants the margins are Normal around d, with a variance that is estimated from them and shrunk
towards that of the other pairs, as if up to two more seed pairs had been seen, fewer where pairs differ (`shrinkage`).
Nothing is assumed to be transitive: every pair has a margin of its own. A participant's result is its mean margin
against the field. Everything follows from sums, so the order of the games does not matter.

Where pairings share seeds, a participant lucky on one of them may be lucky against everybody. Then the variance of a
sum of margins is computed seed by seed, if that makes it larger (the sandwich estimator, clustered by seed; Liang and
Zeger 1986).

`additive` is the variant for many participants: d = s_first - s_second, by weighted least squares. It needs far fewer
seed pairs, and is wrong where there are cycles.

In a gauntlet, one participant is the reference and the whole field of everybody else. Results are margins against it,
leads are differences of them, and the reference itself stands at 0.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import combinations
from math import fsum, inf, sqrt
from typing import Final

import msgspec

from molt_bench.rating.shrinkage import prior_freedom
from molt_bench.rating.student import UNKNOWN, Estimate
from molt_bench.specs import Pair

#: The variance of all pairs counts as this many seed pairs at most beside a pair's own.
PRIOR_WEIGHT: Final = 2.0
#: Assumed standard deviation of a hand with stacks of 100 big blinds, in thousandths of a big blind.
SD_PER_HAND: Final = 10_000.0
#: The reference of a gauntlet neither wins nor loses, by definition.
_BY_DEFINITION: Final = Estimate(0.0, 0.0, inf)


def first_guess(big_blinds: float) -> float:
    """Return the standard deviation to assume for a hand with stacks of so many big blinds."""
    return SD_PER_HAND * min(1.0, big_blinds / 100)


class _Sample(msgspec.Struct, frozen=True):
    """The seed pairs of two participants: margins, seeds, mean and sum of squares around it."""

    margins: tuple[float, ...] = ()
    seeds: tuple[Hashable, ...] = ()
    mean: float = 0.0
    squares: float = 0.0

    @property
    def count(self) -> int:
        return len(self.margins)

    @property
    def free(self) -> int:
        return max(0, len(self.margins) - 1)


class MarginModel:
    """Seed pairs in, estimates of margins out.

    Args:
        participants: All participants, in the order that breaks ties.
        hands: Hands per seed pair, for the variance assumed before there is data.
        sd_per_hand: Standard deviation of a hand assumed before there is data, in thousandths of a big blind.
        anchors: Participants outside the field: they provide a scale, and are compared with the field.
        additive: Whether skills add up, which needs far fewer seed pairs and is wrong where there are cycles.
        reference: The one that everybody else plays alone, in a gauntlet; anchors and `additive` change nothing there.
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
    ) -> None:
        self.participants = tuple(participants)
        self.anchors = frozenset(anchors)
        self.additive = additive and reference is None
        self.reference = reference
        self._first_guess = sd_per_hand**2 / hands
        self._samples: dict[Pair, _Sample] = {pair: _Sample() for pair in combinations(self.participants, 2)}
        self._total: tuple[float, int, float] | None = None
        #: The pair that played each seed first, and whether another one played any of them as well.
        self._owners: dict[Hashable, Pair] = {}
        self._shared = False

    def add(self, pair: Pair, margins: Sequence[float], seeds: Sequence[Hashable] | None = None) -> None:
        """Add what the first won in seed pairs, in thousandths of a big blind per hand; other pairs may share seeds."""
        known = self._samples[self._pair(*pair)]
        sign = 1 if pair in self._samples else -1
        named = [(*pair, known.count + number) for number in range(len(margins))] if seeds is None else seeds
        self.replace(pair, [*[sign * margin for margin in known.margins], *margins], [*known.seeds, *named])

    def replace(self, pair: Pair, margins: Sequence[float], seeds: Sequence[Hashable]) -> None:
        """Replace all seed pairs of two participants."""
        sign = 1 if pair in self._samples else -1
        values = [sign * margin for margin in margins]
        mean = fsum(values) / len(values) if values else 0.0
        squares = fsum((value - mean) ** 2 for value in values)
        own = self._pair(*pair)
        for seed in seeds if not self._shared else ():
            self._shared |= self._owners.setdefault(seed, own) != own
        self._samples[own] = _Sample(tuple(values), tuple(seeds), mean, squares)
        self._total = None

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair of participants that may play, whether they have or not."""
        return tuple(pair for pair in self._samples if self.reference is None or self.reference in pair)

    def count(self, first: str, second: str) -> int:
        """Return how many seed pairs two participants have played."""
        return self._samples[self._pair(first, second)].count

    def variance(self, first: str, second: str) -> float:
        """Return the variance of a seed pair of two participants, shrunk towards that of the others."""
        return self._shrunk(self._samples[self._pair(first, second)])

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
        return self._combined(self.lead_weights(first, second))

    def lead_weights(self, first: str, second: str) -> Mapping[Pair, float]:
        """Return the weight of each pair's margin in the lead of the first over the second."""
        if self.additive:  # the difference of their skills, whoever else has met whom
            pair = self._pair(first, second)
            return self._additive({pair: 1.0 if pair[0] == first else -1.0})
        return self._weights({first: 1.0, second: -1.0}, own_place=True)

    def strength_weights(self, name: str) -> Mapping[Pair, float]:
        """Return the weight of each pair's margin in a participant's result, as a member of the field."""
        return self._weights({name: 1.0})

    def ranking(self) -> tuple[str, ...]:
        """Return the participants, best first; ties keep the declared order."""
        strength = {
            name: fsum(weight * self._samples[pair].mean for pair, weight in self.strength_weights(name).items())
            for name in self.participants
        }
        return tuple(sorted(self.participants, key=lambda name: -strength[name]))

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

    def _shrunk(self, sample: _Sample) -> float:
        """Return the variance of a pair, shrunk towards that of the others."""
        variance, weight = self._others(sample)
        return (weight * variance + sample.squares) / (weight + sample.free)

    def _free(self, sample: _Sample) -> float:
        """Return the degrees of freedom of that variance."""
        return self._others(sample)[1] + sample.free

    def _others(self, sample: _Sample) -> tuple[float, float]:
        """Return the pooled variance of all other pairs, and how many seed pairs it counts as.

        The pair's own are excluded, or they would count twice. The initial guess is all there is at first, and counts
        for less as data come in.
        """
        if self._total is None:
            samples = [each for each in self._samples.values() if each.free]
            known = [(each.squares / each.free, each.free) for each in samples if each.squares > 0]
            most = min(PRIOR_WEIGHT, prior_freedom(known))
            self._total = fsum(each.squares for each in samples), sum(each.free for each in samples), most
        total, all_free, most = self._total
        squares, free = max(0.0, total - sample.squares), all_free - sample.free
        guess_weight = 1 / (1 + all_free)
        weight = guess_weight + free
        return (guess_weight * self._first_guess + squares) / weight, min(max(most, guess_weight), weight)

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
        target = np.zeros(len(place))
        information = np.zeros((len(place), len(place)))
        weights = {}
        for pair, sample in self._samples.items():
            one, two = place[pair[0]], place[pair[1]]
            target[[one, two]] += np.array([1, -1]) * wanted.get(pair, 0.0)
            weights[pair] = sample.count / self._shrunk(sample)
            information[[one, two], [one, two]] += weights[pair]
            information[[one, two], [two, one]] -= weights[pair]
        solved = np.linalg.pinv(information, rcond=1e-10, hermitian=True) @ target
        if abs(information @ solved - target).max() > 1e-9 * max(abs(target).max(), 1e-9):
            return dict(wanted)  # games do not connect everybody: the sum rests on pairs that have not played
        return {pair: each * float(solved[place[pair[0]]] - solved[place[pair[1]]]) for pair, each in weights.items()}

    def _combined(self, weights: Mapping[Pair, float]) -> Estimate:
        """Return a weighted sum of margins, with degrees of freedom by Welch and Satterthwaite."""
        used = [(weight, self._samples[pair]) for pair, weight in weights.items() if weight]
        if not used or any(not sample.count for _, sample in used):
            return UNKNOWN
        parts = [weight**2 * self._shrunk(sample) / sample.count for weight, sample in used]
        total = fsum(parts)
        frees = [self._free(sample) for _, sample in used]
        free = total**2 / fsum(part**2 / own for part, own in zip(parts, frees, strict=True))
        mean = fsum(weight * sample.mean for weight, sample in used)
        clustering = _clustering(used) if self._shared else 1.0
        unit = fsum(part * sample.count for part, (_, sample) in zip(parts, used, strict=True))
        return Estimate(mean, sqrt(total * clustering), free, sqrt(unit * clustering))


def _clustering(used: Sequence[tuple[float, _Sample]]) -> float:
    """Return by what factor shared seeds increase the variance of a sum of margins; at least 1."""
    if len(used) == 1:
        return 1.0
    together: dict[Hashable, float] = defaultdict(float)
    apart = []
    for weight, sample in used:
        # Corrects for the estimated mean, as each pair's own variance does.
        scale = weight / sample.count * sqrt(sample.count / max(1, sample.free))
        for seed, margin in zip(sample.seeds, sample.margins, strict=True):
            together[seed] += scale * (margin - sample.mean)
        apart.append(scale**2 * sample.squares)
    alone = fsum(apart)
    return max(1.0, fsum(part**2 for part in together.values()) / alone) if alone else 1.0
