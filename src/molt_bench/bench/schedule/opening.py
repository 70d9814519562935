"""The opening: a round robin by the circle method, until everybody is connected and has met often enough.

Everybody plays in each of its rounds, so that games connect everybody as soon as possible and all ratings are on one
scale.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from molt_bench.bench.schedule.situation import Situation
from molt_bench.specs import Pair

#: Among this few, any two pairs share a member, so once all are connected, any order is as good as another.
_ANY_ORDER: Final = 3


def opening_pair(
    situation: Situation, possible: Sequence[Pair], *, recent: Sequence[Pair], chosen: Sequence[Pair]
) -> Pair | None:
    """Return the next pair of the opening; None once everybody is connected and has met often enough.

    Pairs follow the circle method, but those come first that connect separate groups, that have met least, and whose
    members are not yet playing in this round.
    """
    meetings = situation.meetings
    if min(meetings.values(), default=0) >= max(1, situation.min_meetings):
        return None  # all have met, so nobody has to be connected
    order = _circle_numbers(tuple(meetings))
    group = _groups(meetings)
    together = len({*group.values()}) <= 1
    apart = [] if together else [pair for pair in possible if group[pair[0]] != group[pair[1]]]
    least = min(map(meetings.__getitem__, apart or possible), default=0)
    if not apart and (least >= situation.min_meetings or len(group) <= _ANY_ORDER):
        return None
    fewest = [pair for pair in apart or possible if meetings[pair] == least]
    rested = [pair for pair in fewest if pair not in recent] or fewest
    busy = Counter(name for pair in chosen for name in pair)
    if not busy:
        return min(rested, key=order.__getitem__)
    return min(rested, key=lambda pair: (busy[pair[0]] + busy[pair[1]], order[pair]))


def circle_order(participants: Sequence[str]) -> list[Pair]:
    """Return every pair once, round by round of a round robin by the circle method.

    In each round everybody plays once; if their number is odd, one sits out. All but one stand in a circle: those
    equally far to the left and right of one member play each other, and that member plays the one left out of the
    circle. Two rounds in a row form one chain of everybody, so the first n - 1 matches connect all.

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


@lru_cache(maxsize=8)
def _circle_numbers(pairs: tuple[Pair, ...]) -> dict[Pair, int]:
    """Return the number of each pair in the order of the circle method."""
    participants = tuple(dict.fromkeys(name for pair in pairs for name in pair))
    number = {frozenset(pair): at for at, pair in enumerate(circle_order(participants))}
    return {pair: number[frozenset(pair)] for pair in pairs}


def connected(meetings: Mapping[Pair, int]) -> bool:
    """Return whether matches connect all participants."""
    return len({*_groups(meetings).values()}) <= 1


def _groups(meetings: Mapping[Pair, int]) -> dict[str, str]:
    """Return, for each participant, a representative of its group connected by matches."""
    members = {name: [name] for name in dict.fromkeys(chain.from_iterable(meetings))}
    group = {name: name for name in members}
    for (first, second), met in meetings.items():
        if len(members) == 1:
            break
        if met and group[first] != group[second]:
            joined = members.pop(group[second])
            members[group[first]] += joined
            group.update(dict.fromkeys(joined, group[first]))
    return group
