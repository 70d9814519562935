"""Which pairings play next: first the opening, a round robin; then a matchmaker ranks the pairings that may play.

In the opening each participant plays in each round of the circle method, so that games connect all as soon as possible
and all ratings are on one scale.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, islice
from statistics import NormalDist
from typing import TypeAlias

import msgspec

from molt_bench.config.methods import GATE, GAUNTLET, MATCHMAKER_NAMES
from molt_bench.errors import ConfigError
from molt_bench.seeds import Seed, derive
from molt_bench.specs import Pair
from molt_bench.suggestions import one_of

#: How often each pair that may play has met.
Meetings: TypeAlias = Mapping[Pair, int]


class Situation(msgspec.Struct, frozen=True):
    """What a matchmaker knows.

    Attributes:
        ranking: Participants, best first.
        mu: Mean of the belief about each participant: its skill, or its result against the field.
        sigma: Its standard deviation.
        meetings: How often each pair has met.
        confidence: Returns how sure the verdict on each pair is, from 0 to 1.
        telling: Returns the pairs whose next match takes variance off open leads, those that take most for their cost
            in front; some of them may have left the run.
        exploration: 0 for close pairs only, 1 for uncertain pairs only.
        seed: Seed for matchmakers that draw at random.
        matches: Matches played so far.
        min_meetings: How often every pair must meet before a matchmaker may choose.
    """

    ranking: tuple[str, ...]
    mu: Mapping[str, float]
    sigma: Mapping[str, float]
    meetings: Meetings
    confidence: Callable[[], Mapping[Pair, float]]
    telling: Callable[[], Iterable[Pair]]
    exploration: float = 0.25
    seed: Seed = 0
    matches: int = 0
    min_meetings: int = 0


#: Ranks the given pairs, the one to play first in front.
Matchmaker: TypeAlias = Callable[[Situation, Sequence[Pair]], list[Pair]]


def information_gain(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Play only pairs whose next match takes variance off open leads, most for its cost first; if none does, all."""
    return [pair for pair in situation.telling() if pair in pairs] or round_robin(situation, pairs)


def round_robin(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Give all pairs equally many matches, even those whose order is decided."""
    return sorted(pairs, key=lambda pair: situation.meetings[pair])


def adjacent_pairs(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer neighbours in the ranking, the least certain first."""
    sure = situation.confidence()
    rank = {name: at for at, name in enumerate(situation.ranking)}
    return sorted(pairs, key=lambda pair: (abs(rank[pair[0]] - rank[pair[1]]), sure[pair]))


def thompson(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Draw every skill from its belief, and prefer the pairs that come out closest (Thompson sampling)."""
    drawn = {}
    for name in situation.ranking:
        uniform = (derive(situation.seed, "thompson", situation.matches, name) + 0.5) / 2**256
        drawn[name] = NormalDist(situation.mu[name], situation.sigma[name]).inv_cdf(min(max(uniform, 1e-12), 1 - 1e-12))
    return sorted(pairs, key=lambda pair: abs(drawn[pair[0]] - drawn[pair[1]]))


def uncertainty_overlap(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer uncertain pairs that are close together; both criteria are scaled from 0 to 1."""
    doubt = _spread({pair: situation.sigma[pair[0]] + situation.sigma[pair[1]] for pair in pairs})
    gap = _spread({pair: abs(situation.mu[pair[0]] - situation.mu[pair[1]]) for pair in pairs})
    weight = situation.exploration

    def score(pair: Pair) -> float:
        return weight * doubt[pair] + (1 - weight) * (1 - gap[pair])

    return sorted(pairs, key=lambda pair: (-score(pair), situation.meetings[pair]))


def _spread(values: Mapping[Pair, float]) -> dict[Pair, float]:
    """Scale values so that the smallest is 0 and the largest 1; if all are equal, to 0."""
    least, most = min(values.values(), default=0.0), max(values.values(), default=0.0)
    return {pair: (value - least) / (most - least) if most > least else 0.0 for pair, value in values.items()}


_MATCHMAKERS: dict[str, Matchmaker] = {
    each.__name__: each for each in (uncertainty_overlap, information_gain, round_robin, adjacent_pairs, thompson)
}
# The only pairs of a gauntlet are those of the yardstick with all others.
_MATCHMAKERS[GAUNTLET] = information_gain
# A gate knows by itself which of its pairs play.
_MATCHMAKERS[GATE] = round_robin


def register_matchmaker(name: str, matchmaker: Matchmaker) -> None:
    """Register a matchmaker of your own under a name, which configs then accept as `scheduler.policy`."""
    _MATCHMAKERS[name] = matchmaker
    if name not in MATCHMAKER_NAMES:
        MATCHMAKER_NAMES.append(name)


def matchmaker_named(name: str) -> Matchmaker:
    """Return a matchmaker by its name; raises ConfigError if there is none."""
    if name not in _MATCHMAKERS:
        raise ConfigError("scheduler.policy", name, one_of(MATCHMAKER_NAMES, name))
    return _MATCHMAKERS[name]


def choose_round(
    matchmaker: Matchmaker,
    situation: Situation,
    *,
    matches: int,
    recent: Collection[Pair] = (),
    threshold: float = 1.0,
    allowed: Callable[[Pair], bool] = lambda pair: True,
) -> list[Pair]:
    """Choose the pairings of the next round, all of them different.

    Args:
        matchmaker: Ranks the open pairs, once the opening is over.
        situation: What is known.
        matches: Number of pairings wanted; fewer are returned if fewer can be played, or the others tell nothing.
        recent: Pairs that should not meet again so soon, unless there is no other.
        threshold: How sure a pair is to be to be skipped as settled, unless all are. `round_robin` keeps playing
            settled pairs; `information_gain` decides for itself what is worth playing.
        allowed: Returns whether there are cards left for a pair.
    """
    meetings = situation.meetings
    chosen = list(islice(filter(allowed, opening(meetings, situation.min_meetings)), matches))
    wanted = matches - len(chosen)
    if not wanted:
        return chosen

    def may_play(pair: Pair) -> bool:
        return pair in meetings and pair not in chosen and allowed(pair)

    if matchmaker is information_gain:
        # The few that tell most are found without a list of all pairs.
        chosen += _first(wanted, filter(may_play, situation.telling()), recent)
        if chosen:
            return chosen
    possible = [*filter(may_play, meetings)]
    if matchmaker not in (information_gain, round_robin):
        sure = situation.confidence()
        unsettled = [pair for pair in possible if sure[pair] < threshold]
        # Settled pairs are played only if there is nothing else.
        possible = unsettled or ([] if chosen else possible)
    return chosen + _first(wanted, matchmaker(situation, possible), recent)


def _first(count: int, ranked: Iterable[Pair], recent: Collection[Pair]) -> list[Pair]:
    """Return the first so many of some pairs, recent ones last."""
    rested, later = list[Pair](), list[Pair]()
    for pair in ranked:
        (later if pair in recent else rested).append(pair)
        if len(rested) == count:
            break
    return [*rested, *later][:count]


def opening(meetings: Meetings, min_meetings: int) -> Iterator[Pair]:
    """Yield the pairs of the opening that have still to meet, those that have met least first, in the circle's order.

    All have to meet `min_meetings` times. Where that is 0, as many pairs meet once as connect all.
    """
    needed = max(1, min_meetings)
    least = min(meetings.values(), default=needed)
    if least >= needed:
        return
    names = tuple(dict.fromkeys(chain.from_iterable(meetings)))
    for met in range(least, needed):
        pairs = (each for pair in circle_order(names) for each in (pair, pair[::-1]) if each in meetings)
        for pair in pairs if min_meetings else islice(pairs, len(names) - 1):
            if meetings[pair] == met:
                yield pair


@cache
def circle_order(participants: tuple[str, ...]) -> list[Pair]:
    """Return every pair once, round by round of a round robin by the circle method.

    In each round all play once; if their number is odd, one sits out. All but one stand in a circle: those
    equally far to the left and right of one member play each other, and that member plays the one left out of the
    circle. Two rounds in a row form one chain of all, so the first n - 1 matches connect all.

    >>> circle_order(tuple("abcd"))
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
