"""The pairs of participants: all of them, their order in a round robin, and whom matches connect."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations

from molt_bench.specs import Pair


def all_pairs(participants: Sequence[str], reference: str | None = None) -> list[Pair]:
    """Return every pair of participants in the order they were declared; in a gauntlet, those with the reference."""
    return [pair for pair in combinations(participants, 2) if reference is None or reference in pair]


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
def places_of(pairs: tuple[Pair, ...]) -> dict[Pair, int]:
    """Return the place of each pair in the order of the circle method."""
    participants = tuple(dict.fromkeys(name for pair in pairs for name in pair))
    place = {frozenset(pair): at for at, pair in enumerate(circle_order(participants))}
    return {pair: place[frozenset(pair)] for pair in pairs}


def connected(meetings: Mapping[Pair, int]) -> bool:
    """Return whether matches connect all participants."""
    return len({*groups_of(meetings).values()}) <= 1


def groups_of(meetings: Mapping[Pair, int]) -> dict[str, str]:
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
