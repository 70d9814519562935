"""How often each pair has met: who has met least and whether matches connect all are known without counting anew."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from molt_bench.specs import Pair


class Meetings(dict[Pair, int]):
    """How often each pair that may play has met; counts only grow.

    With a thousand participants there are half a million pairs, and to go through all of them before every round takes
    longer than most games.

    Attributes:
        groups: The group of each participant; matches connect those of the same.
    """

    def __init__(self, counts: Mapping[Pair, int]) -> None:
        super().__init__(counts)
        self._levels = Counter(self.values())
        #: All before it in the order of the circle method have met more than the least often.
        self._first = 0
        self.groups = {name: name for pair in self for name in pair}
        for pair, met in self.items():
            if met:
                connect(self.groups, pair)

    def __setitem__(self, pair: Pair, met: int) -> None:
        before, least = self[pair], self.least
        super().__setitem__(pair, met)
        self._levels[before] -= 1
        self._levels[met] += 1
        if not self._levels[before]:
            del self._levels[before]
        if self.least != least:
            self._first = 0
        if met and not before:
            connect(self.groups, pair)

    @property
    def least(self) -> int:
        """How often those have met that have met least."""
        return min(self._levels, default=0)

    @property
    def connected(self) -> bool:
        """Whether matches connect all participants."""
        return len({*self.groups.values()}) <= 1

    @cached_property
    def in_order(self) -> list[Pair]:
        """All pairs in the order of the circle method."""
        circle = circle_order(tuple(self.groups))
        return [each for pair in circle for each in (pair, pair[::-1]) if each in self]

    def by_count(self) -> Iterator[tuple[int, Iterator[Pair]]]:
        """Yield how often some pairs have met, fewest first, and those pairs in the order of the circle method."""
        while self and self[self.in_order[self._first]] != self.least:
            self._first += 1
        for met in sorted(self._levels):
            start = self._first if met == self.least else 0
            yield met, (pair for pair in islice(self.in_order, start, None) if self[pair] == met)


def connect(groups: dict[str, str], pair: Pair) -> None:
    """Make one group of those of two participants."""
    one, other = (groups[name] for name in pair)
    if one != other:
        groups.update({name: one for name, group in groups.items() if group == other})


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
