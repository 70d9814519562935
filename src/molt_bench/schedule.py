"""The scheduler: which pairings are played next.

First comes the opening, a round robin by the circle method: everybody plays in each of its rounds, so that games
connect everybody as soon as possible, and all ratings are on one scale. Then a policy ranks the open pairings, and the
first of them are played. A policy is a function; `register_policy` adds one under a name.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import inf
from operator import is_not
from typing import ClassVar, Final, TypeAlias

import msgspec

from molt_bench.errors import ConfigError, one_of
from molt_bench.pairings import groups_of, places_of
from molt_bench.seeds import Seed, derive
from molt_bench.specs import Pair

#: Among this few, any two pairs share a member, so once all are connected, any order is as good as another.
_ANY_ORDER: Final = 3


class Contrast(msgspec.Struct, frozen=True):
    """Two neighbours in the ranking whose order is undecided.

    `weights` are those of each pair's margin in the lead of one over the other, and `target` is the variance of the
    lead that would decide it at its current size.
    """

    weights: Mapping[Pair, float]
    target: float


class Situation(msgspec.Struct, frozen=True):
    """What a policy knows.

    Attributes:
        ranking: Participants, best first.
        mu: Mean of the belief about each participant: its skill, or its result against the field.
        sigma: Its standard deviation.
        meetings: How often each pair has met.
        confidence: Confidence in the order of each pair, from 0.5 to 1.
        exploration: 0 for close pairs only, 1 for uncertain pairs only.
        seed: Seed for policies that draw at random.
        matches: Matches played so far.
        seeds_per_match: Seed pairs per match.
        min_meetings: How often every pair must meet before a policy may choose.
        variance: Variance of the margin of one seed pair, by pair; empty where margins do not decide.
        contrasts: The neighbours whose order is undecided.
        cost: Cost of a match of each pair, in hands or dollars; 1 where missing.
    """

    ranking: tuple[str, ...]
    mu: Mapping[str, float]
    sigma: Mapping[str, float]
    meetings: Mapping[Pair, int]
    confidence: Mapping[Pair, float]
    exploration: float = 0.25
    seed: Seed = 0
    matches: int = 0
    seeds_per_match: int = 1
    min_meetings: int = 0
    variance: Mapping[Pair, float] = {}
    contrasts: Sequence[Contrast] = ()
    cost: Mapping[Pair, float] = {}


#: Ranks the given pairs, the one to play first in front.
PairPolicy: TypeAlias = Callable[[Situation, Sequence[Pair]], list[Pair]]


def uncertainty_overlap(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer uncertain pairs that are close together; both criteria are scaled from 0 to 1."""
    doubt = {pair: situation.sigma[pair[0]] + situation.sigma[pair[1]] for pair in pairs}
    gap = {pair: abs(situation.mu[pair[0]] - situation.mu[pair[1]]) for pair in pairs}
    doubt, gap = _spread(doubt), _spread(gap)
    weight = situation.exploration

    def score(pair: Pair) -> float:
        return weight * doubt[pair] + (1 - weight) * (1 - gap[pair])

    return sorted(pairs, key=lambda pair: (-score(pair), situation.meetings[pair]))


def _spread(values: Mapping[Pair, float]) -> dict[Pair, float]:
    """Scale values so that the smallest is 0 and the largest 1; if all are equal, to 0."""
    least, most = min(values.values(), default=0.0), max(values.values(), default=0.0)
    return {pair: (value - least) / (most - least) if most > least else 0.0 for pair, value in values.items()}


def round_robin(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Give all pairs equally many matches, even those whose order is decided."""
    return sorted(pairs, key=lambda pair: situation.meetings[pair])


def adjacent_pairs(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer neighbours in the ranking, the least certain first."""
    place = {name: at for at, name in enumerate(situation.ranking)}
    return sorted(pairs, key=lambda pair: (abs(place[pair[0]] - place[pair[1]]), situation.confidence[pair]))


def information_gain(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer pairs whose next match brings undecided neighbours closest to a decision, relative to its cost.

    The gain is the variance of their leads that one more match removes, in units of the variance that would
    decide each. A pair that says nothing about them has no gain.
    """
    return sorted(pairs, key=_turns(situation))


def _turns(situation: Situation) -> Callable[[Pair], tuple[float, int]]:
    """Return what `information_gain` sorts by: the least comes first."""
    more, useful = situation.seeds_per_match, _per_variance(situation.contrasts)
    meetings, variances, costs = situation.meetings, situation.variance, situation.cost

    def turn(pair: Pair) -> tuple[float, int]:
        """Return minus the gain, and how often they have met."""
        met = meetings[pair]
        each = useful.get(pair)
        if not each:
            return 0.0, met
        variance = variances.get(pair, 1.0)
        saved = variance / (more * met) - variance / (more * met + more) if met else inf
        return -(each * saved / costs.get(pair, 1.0) if costs else each * saved), met

    return turn


def _per_variance(contrasts: Sequence[Contrast]) -> dict[Pair, float]:
    """Return for each pair the sum over contrasts of its squared weight, in units of the variance that decides each."""
    layout = _Layout.of([contrast.weights for contrast in contrasts])
    shares = [
        weight**2 / contrast.target
        for contrast, different in zip(contrasts, layout.different, strict=True)
        for weight in different
    ]
    share_of = shares.__getitem__
    return {pair: sum(map(share_of, slots)) for pair, slots in layout.slots.items()}


class _Layout:
    """Where the weights of some contrasts are: they are the same for many rounds, and many of them are equal.

    Attributes:
        different: The different weights of each contrast.
        slots: For each pair, the places of its weights among these, one contrast after another.
    """

    _last: ClassVar["_Layout | None"] = None

    def __init__(self, weights: Sequence[Mapping[Pair, float]]) -> None:
        self._weights = weights
        self.different: list[list[float]] = []
        self.slots: dict[Pair, list[int]] = defaultdict(list)
        first = 0
        for each in weights:
            places = {weight: first + at for at, weight in enumerate(dict.fromkeys(each.values()))}
            for pair, weight in each.items():
                self.slots[pair].append(places[weight])
            self.different.append(list(places))
            first += len(places)

    @classmethod
    def of(cls, weights: Sequence[Mapping[Pair, float]]) -> "_Layout":
        """Return the layout of these weights, which must not change; the last one is remembered."""
        last = cls._last
        if last is None or len(last._weights) != len(weights) or any(map(is_not, last._weights, weights)):
            last = cls._last = cls(weights)
        return last


def gauntlet(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Choose as `information_gain` does; the only pairs are those of the reference with everybody else."""
    return information_gain(situation, pairs)


def thompson(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Draw every skill from its belief, and prefer the pairs that come out closest (Thompson sampling)."""
    from statistics import NormalDist  # here, since it is slow to load

    drawn = {}
    for name in situation.ranking:
        uniform = (derive(situation.seed, "thompson", situation.matches, name) + 0.5) / 2**256
        drawn[name] = NormalDist(situation.mu[name], situation.sigma[name]).inv_cdf(min(max(uniform, 1e-12), 1 - 1e-12))
    return sorted(pairs, key=lambda pair: abs(drawn[pair[0]] - drawn[pair[1]]))


_POLICIES: dict[str, PairPolicy] = {
    policy.__name__: policy
    for policy in (uncertainty_overlap, information_gain, round_robin, adjacent_pairs, thompson, gauntlet)
}


def register_policy(name: str, policy: PairPolicy) -> None:
    """Register a custom policy under a name."""
    _POLICIES[name] = policy


def policy_names() -> list[str]:
    """Return the names of all policies."""
    return list(_POLICIES)


def policy_named(name: str) -> PairPolicy:
    """Return a policy by its name."""
    if name not in _POLICIES:
        raise ConfigError("scheduler.policy", name, one_of(_POLICIES, name))
    return _POLICIES[name]


def choose_round(
    policy: PairPolicy,
    situation: Situation,
    *,
    matches: int,
    recent: Sequence[Pair] = (),
    threshold: float = 1.0,
    allowed: Callable[[Pair], bool] | None = None,
) -> list[Pair]:
    """Choose the pairings of the next round, all of them different.

    Args:
        policy: Ranks the open pairs, once the opening is over.
        situation: What is known.
        matches: Number of pairings wanted; fewer are returned if fewer can be played.
        recent: Pairs that should not meet again so soon, unless there is no other.
        threshold: Confidence from which a pair is settled and skipped, unless all are. `round_robin` keeps playing
            settled pairs; `information_gain` and `gauntlet` decide for themselves what is worth playing.
        allowed: Returns whether there are cards left for a pair; None if there always are.
    """
    possible = [pair for pair in situation.meetings if allowed is None or allowed(pair)]
    chosen: list[Pair] = []
    meetings = dict(situation.meetings)
    situation = msgspec.structs.replace(situation, meetings=meetings)
    if policy in (round_robin, information_gain, gauntlet):
        threshold = inf
    while len(chosen) < matches and possible:
        pair = _opening(possible, situation, recent, chosen)
        if pair is None:
            useful = _useful(possible, situation) if policy is gauntlet else possible
            if chosen and not useful:
                break  # everybody else's place is known
            open_pairs = _open(useful or possible, situation, recent, threshold)
            if chosen and threshold <= 1 and not any(situation.confidence[each] < threshold for each in open_pairs):
                break  # only settled pairs are left, which are played only if there is nothing else
            if policy in (information_gain, gauntlet):
                pair = min(open_pairs, key=_turns(situation))  # the first of all, without sorting the others
            else:
                pair = policy(situation, open_pairs)[0]
        chosen.append(pair)
        possible.remove(pair)
        meetings[pair] += 1
    return chosen


def _opening(
    possible: Sequence[Pair], situation: Situation, recent: Sequence[Pair], chosen: Sequence[Pair]
) -> Pair | None:
    """Return the next pair of the opening; None once everybody is connected and has met often enough.

    Pairs follow the circle method, but those come first that connect separate groups, that have met least, and whose
    members are not yet playing in this round.
    """
    meetings = situation.meetings
    if min(meetings.values(), default=0) >= max(1, situation.min_meetings):
        return None  # all have met, so nobody has to be connected
    place = places_of(tuple(meetings))
    group = groups_of(meetings)
    together = len({*group.values()}) <= 1
    apart = [] if together else [pair for pair in possible if group[pair[0]] != group[pair[1]]]
    least = min(map(meetings.__getitem__, apart or possible), default=0)
    if not apart and (least >= situation.min_meetings or len(group) <= _ANY_ORDER):
        return None
    fewest = [pair for pair in apart or possible if meetings[pair] == least]
    rested = [pair for pair in fewest if pair not in recent] or fewest
    busy = Counter(name for pair in chosen for name in pair)
    if not busy:
        return min(rested, key=place.__getitem__)
    return min(rested, key=lambda pair: (busy[pair[0]] + busy[pair[1]], place[pair]))


def _open(possible: Sequence[Pair], situation: Situation, recent: Sequence[Pair], threshold: float) -> Sequence[Pair]:
    """Return the pairs that the policy may choose from."""
    least = min(map(situation.meetings.__getitem__, possible), default=0)
    if least < situation.min_meetings:
        return [pair for pair in possible if situation.meetings[pair] == least]
    unsettled = possible
    if threshold <= 1:
        unsettled = [pair for pair in possible if situation.confidence[pair] < threshold] or possible
    return [pair for pair in unsettled if pair not in recent] or unsettled


def _useful(possible: Sequence[Pair], situation: Situation) -> list[Pair]:
    """Return the pairs whose margin counts in the lead of undecided neighbours.

    In a gauntlet that is at most two for each, so other matches of a round would be played for nothing.
    """
    contrasts = situation.contrasts
    return [pair for pair in possible if not contrasts or any(each.weights.get(pair) for each in contrasts)]
