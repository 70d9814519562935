"""The scheduler: which pairings are played next.

First comes the opening, a round robin by the circle method: everybody plays in each of its rounds, so that all are
connected as soon as they can be, and all ratings are on one scale. Then a policy ranks the pairings that are still
open, and the first of them are played. A policy is a function; `register_policy` adds one under a name.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import combinations
from math import inf
from typing import Final, TypeAlias

import msgspec

from molt_bench.errors import ConfigError
from molt_bench.seeds import Seed, derive
from molt_bench.specs import Pair as Pair

#: Among so few no two pairs are without a common member, so once all are connected any order is as good as another.
_ANY_ORDER: Final = 3


class Contrast(msgspec.Struct, frozen=True):
    """Two neighbours of the ranking whose order is open.

    Attributes:
        weights: How much the margin of each pair counts in the lead of the one over the other.
        target: The variance of the lead at which it would be decided, if it stays as it is.
    """

    weights: Mapping[Pair, float]
    target: float


class Situation(msgspec.Struct, frozen=True):
    """What a policy may know.

    Attributes:
        ranking: Participants, the best first.
        mu: Mean of the belief about each participant: its skill, or its result against the field.
        sigma: Its standard deviation.
        meetings: How often each pair has met.
        confidence: How sure the order of each pair is, from 0.5 to 1.
        exploration: 0 for close pairs only, 1 for uncertain pairs only.
        seed: What a policy that draws derives its numbers from.
        matches: Matches played so far.
        seeds_per_match: Seed pairs of a match.
        min_meetings: How often every pair has to meet before a policy may choose.
        variance: Variance of the margin of one seed pair, by pair; empty where margins do not decide.
        contrasts: The neighbours whose order is open.
        cost: What a match of each pair costs, in hands or dollars; 1 where it is left out.
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
    contrasts: tuple[Contrast, ...] = ()
    cost: Mapping[Pair, float] = {}


#: Ranks the pairs it is given, the one to be played first in front.
PairPolicy: TypeAlias = Callable[[Situation, Sequence[Pair]], list[Pair]]


def uncertainty_overlap(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer pairs with much doubt about them and little between them; both count from 0 to 1."""
    doubt = {pair: situation.sigma[pair[0]] + situation.sigma[pair[1]] for pair in pairs}
    gap = {pair: abs(situation.mu[pair[0]] - situation.mu[pair[1]]) for pair in pairs}
    doubt, gap = _spread(doubt), _spread(gap)
    weight = situation.exploration

    def score(pair: Pair) -> float:
        return weight * doubt[pair] + (1 - weight) * (1 - gap[pair])

    return sorted(pairs, key=lambda pair: (-score(pair), situation.meetings[pair]))


def _spread(values: Mapping[Pair, float]) -> dict[Pair, float]:
    """Stretch values so that the smallest is 0 and the largest 1; equal ones are all 0."""
    least, most = min(values.values(), default=0.0), max(values.values(), default=0.0)
    return {pair: (value - least) / (most - least) if most > least else 0.0 for pair, value in values.items()}


def round_robin(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Give every pair as many matches as any other, those whose order is sure included."""
    return sorted(pairs, key=lambda pair: situation.meetings[pair])


def adjacent_pairs(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer neighbours in the ranking, those whose order is least sure first."""
    place = {name: at for at, name in enumerate(situation.ranking)}
    return sorted(pairs, key=lambda pair: (abs(place[pair[0]] - place[pair[1]]), situation.confidence[pair]))


def information_gain(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer pairs whose next match brings the open neighbours nearest to a decision, for what it costs.

    The gain is the part of the variance of their leads that one more match takes away, in units of the variance at
    which each would be decided. A pair that tells nothing about them has no gain, whoever it is.
    """
    more = situation.seeds_per_match

    def gain(pair: Pair) -> float:
        count = more * situation.meetings[pair]
        variance = situation.variance.get(pair, 1.0)
        saved = variance / count - variance / (count + more) if count else inf
        useful = sum(contrast.weights.get(pair, 0.0) ** 2 / contrast.target for contrast in situation.contrasts)
        return useful * saved / situation.cost.get(pair, 1.0) if useful else 0.0

    return sorted(pairs, key=lambda pair: (-gain(pair), situation.meetings[pair]))


def thompson(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Draw every skill from its belief, and prefer pairs that come out closest: the more doubt, the more often."""
    from statistics import NormalDist

    drawn = {}
    for name in situation.ranking:
        uniform = (derive(situation.seed, "thompson", situation.matches, name) + 0.5) / 2**256
        drawn[name] = NormalDist(situation.mu[name], situation.sigma[name]).inv_cdf(min(max(uniform, 1e-12), 1 - 1e-12))
    return sorted(pairs, key=lambda pair: abs(drawn[pair[0]] - drawn[pair[1]]))


_POLICIES: dict[str, PairPolicy] = {
    policy.__name__: policy for policy in (uncertainty_overlap, information_gain, round_robin, adjacent_pairs, thompson)
}


def register_policy(name: str, policy: PairPolicy) -> None:
    """Make a policy of one's own available under a name."""
    _POLICIES[name] = policy


def policy_named(name: str) -> PairPolicy:
    """Return a policy by its name."""
    if name not in _POLICIES:
        near = get_close_matches(name, _POLICIES, n=1)
        perhaps = f"{near[0]!r} perhaps, or " if near else ""
        raise ConfigError("scheduler.policy", name, f"{perhaps}one of {', '.join(_POLICIES)}")
    return _POLICIES[name]


def choose_round(
    policy: PairPolicy,
    situation: Situation,
    *,
    matches: int,
    recent: Sequence[Pair] = (),
    threshold: float = 1.0,
    allowed: Callable[[Pair], bool] = lambda pair: True,
) -> list[Pair]:
    """Choose the pairings of the next round, all of them different.

    Args:
        policy: Ranks the pairs that are open, once the opening is over.
        situation: What is known.
        matches: How many pairings are wanted; fewer come back where fewer can be played.
        recent: Pairs that are not to meet again so soon, unless there is no other.
        threshold: From which confidence on a pair is settled and left alone, unless all are. `round_robin` plays
            settled pairs on, and `information_gain` knows by itself what is worth playing.
        allowed: Whether there are cards left for a pair.
    """
    possible = [pair for pair in situation.meetings if allowed(pair)]
    chosen: list[Pair] = []
    meetings = dict(situation.meetings)
    if policy in (round_robin, information_gain):
        threshold = inf
    while len(chosen) < matches and possible:
        pair = _opening(possible, meetings, situation, recent, chosen)
        if pair is None:
            open_pairs = _open(possible, meetings, situation, recent, threshold)
            if chosen and not any(situation.confidence[each] < threshold for each in open_pairs):
                break  # only settled pairs are left, and those are played only when there is nothing else at all
            pair = policy(msgspec.structs.replace(situation, meetings=meetings), open_pairs)[0]
        chosen.append(pair)
        possible.remove(pair)
        meetings[pair] += 1
    return chosen


def _opening(
    possible: Sequence[Pair],
    meetings: Mapping[Pair, int],
    situation: Situation,
    recent: Sequence[Pair],
    chosen: Sequence[Pair],
) -> Pair | None:
    """Return the next pair of the opening; None once everybody is connected and has met often enough.

    In the order of the circle method, but those first who connect what is not connected yet, who have met least, and
    who do not play in this round already.
    """
    participants = tuple(dict.fromkeys(name for pair in meetings for name in pair))
    place = _places(participants)
    group = _groups(meetings)
    joined = all(group[one] == group[two] for one, two in possible)
    least = min((meetings[pair] for pair in possible), default=0)
    if joined and (least >= situation.min_meetings or len(participants) <= _ANY_ORDER):
        return None
    busy = Counter(name for pair in chosen for name in pair)

    def turn(pair: Pair) -> tuple[bool, int, bool, int, int]:
        one, two = pair
        return group[one] == group[two], meetings[pair], pair in recent, busy[one] + busy[two], place[frozenset(pair)]

    return min(possible, key=turn)


@cache
def _places(participants: tuple[str, ...]) -> dict[frozenset[str], int]:
    return {frozenset(pair): at for at, pair in enumerate(circle_order(participants))}


def circle_order(participants: Sequence[str]) -> list[Pair]:
    """Return every pair once, round by round of a round robin by the circle method.

    In each round everybody plays once, one sits out where their number is odd. All but one stand in a circle; who is
    as far to the left of somebody as another is to the right plays that one, and who is left over plays the one in
    the middle. Two rounds in a row make one chain of everybody, so the first n - 1 matches connect all.

    >>> circle_order("abcd")
    [('a', 'b'), ('c', 'd'), ('a', 'c'), ('b', 'd'), ('a', 'd'), ('b', 'c')]
    """
    count = len(participants)
    around = count - 1 + count % 2
    order = []
    for at in reversed(range(around)):
        met = [((at + far) % around, (at - far) % around) for far in range(1, around // 2 + 1)]
        if count % 2 == 0:
            met.append((at, count - 1))
        order += sorted((min(pair), max(pair)) for pair in met)
    return [(participants[one], participants[two]) for one, two in order]


def _open(
    possible: Sequence[Pair],
    meetings: Mapping[Pair, int],
    situation: Situation,
    recent: Sequence[Pair],
    threshold: float,
) -> Sequence[Pair]:
    """Return the pairs among which the policy may choose now."""
    least = min((meetings[pair] for pair in possible), default=0)
    if least < situation.min_meetings:
        return [pair for pair in possible if meetings[pair] == least]
    unsettled = [pair for pair in possible if situation.confidence[pair] < threshold] or possible
    return [pair for pair in unsettled if pair not in recent] or unsettled


def connected(meetings: Mapping[Pair, int]) -> bool:
    """Say whether matches connect everybody with everybody."""
    return len({*_groups(meetings).values()}) <= 1


def _groups(meetings: Mapping[Pair, int]) -> dict[str, str]:
    """Return for everybody a representative of those it is connected to by matches."""
    group = {name: name for pair in meetings for name in pair}
    for (first, second), met in meetings.items():
        if met and group[first] != group[second]:
            old, new = group[second], group[first]
            group = {name: new if its == old else its for name, its in group.items()}
    return group


def all_pairs(participants: Sequence[str]) -> list[Pair]:
    """Return every pair of participants, in the order in which they were declared."""
    return list(combinations(participants, 2))
