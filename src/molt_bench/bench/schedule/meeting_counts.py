"""How often each pair has met: who has met least and whether matches connect all are known without counting anew."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from molt_bench.specs import Pair


class Meetings(dict[Pair, int]):
    """How often each pair that may play has met; counts only grow.

    With a thousand participants there are half a million pairs, and to go through all of them before every round takes
    longer than most games.
    """

    def __init__(self, counts: Mapping[Pair, int]) -> None:
        super().__init__(counts)
        self._order: list[Pair] = []
        self._levels = Counter(self.values())
        names = dict.fromkeys(chain.from_iterable(self))
        self._group = {name: name for name in names}
        self._members = {name: [name] for name in names}
        #: All before it in the order of the circle method have met more than the least often.
        self._first = 0
        for pair, met in self.items() if len(self._levels) > 1 or self.least else ():
            if met:
                self._join(pair)

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
            self._join(pair)

    @classmethod
    def counted(cls, counts: Mapping[Pair, int]) -> "Meetings":
        """Return meetings of their own that begin with these counts."""
        return counts.copy() if isinstance(counts, Meetings) else cls(counts)

    def copy(self) -> "Meetings":
        """Return a copy that can be counted on."""
        found = Meetings.__new__(Meetings)
        dict.update(found, self)
        found._order, found._levels, found._first = self.in_order, self._levels.copy(), self._first
        found._group = self._group if self.connected else self._group.copy()
        found._members = {name: [*members] for name, members in self._members.items()}
        return found

    @property
    def least(self) -> int:
        """How often those have met that have met least."""
        return min(self._levels, default=0)

    @property
    def connected(self) -> bool:
        """Whether matches connect all participants."""
        return len(self._members) <= 1

    @property
    def in_order(self) -> list[Pair]:
        """All pairs in the order of the circle method."""
        if not self._order and self:
            names = tuple(self._group)
            self._order = [pair if pair in self else pair[::-1] for pair in circle_order(names)]
            if len(self) < len(self._order):  # a gauntlet
                self._order = [pair for pair in self._order if pair in self]
        return self._order

    def apart(self) -> Iterator[Pair]:
        """Yield the pairs whose match would connect two groups, in the order of the circle method."""
        group = self._group
        return (pair for pair in self.in_order if group[pair[0]] != group[pair[1]])

    def by_count(self) -> Iterator[tuple[int, Iterator[Pair]]]:
        """Yield how often some pairs have met, fewest first, and those pairs in the order of the circle method."""
        for met in sorted(self._levels):
            yield met, self._that_met(met)

    def _that_met(self, met: int) -> Iterator[Pair]:
        order = self.in_order
        if met == self.least:
            while self[order[self._first]] != met:
                self._first += 1
            order_left: Iterator[Pair] = islice(order, self._first, None)
        else:
            order_left = iter(order)
        return (pair for pair in order_left if self[pair] == met)

    def _join(self, pair: Pair) -> None:
        one, other = (self._group[name] for name in pair)
        if one != other:
            joined = self._members.pop(other)
            self._members[one] += joined
            self._group.update(dict.fromkeys(joined, one))


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
