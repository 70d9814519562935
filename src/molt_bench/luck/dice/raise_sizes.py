"""The sizes of raises that a policy mixes, as a few choices: a range, or a hundred sizes, are too many to follow."""

from bisect import bisect_right
from typing import Final, TypeAlias

from molt_bench.poker.betting import Betting

#: Ranges of sizes are cut at these percentages of the pot after a call, and what lies between two cuts is one choice.
CUTS: Final = (60, 120, 250, 600)
#: Single sizes that are choices of their own; more of them are put together as ranges are.
MOST_ALONE: Final = 8

#: The least and the greatest of some sizes, equally likely, and their probability.
Sized: TypeAlias = tuple[int, int, float]


def few_sizes(raises: list[Sized], betting: Betting) -> list[tuple[int, int, int, float]]:
    """Return the sizes that the seat to act may raise to as a few choices, as `grouped` does; all-in is one of them."""
    facing, pot = betting.bets[betting.actor] + betting.to_call, betting.chips + betting.to_call
    most = betting.max_raise_to
    return grouped(raises, [*[min(facing + pot * percent // 100, most) for percent in CUTS], most])


def grouped(raises: list[Sized], cuts: list[int]) -> list[tuple[int, int, int, float]]:
    """Return sizes and ranges of them, each with the size that stands for it and its probability.

    Where a size by itself lies in a range, it is not part of that any more. Such sizes come first: the first entry that
    holds a size is the one it belongs to.

    >>> grouped([(200, 599, 0.5), (300, 300, 0.25)], [400, 900])
    [(300, 300, 300, 0.25125), (200, 399, 299, 0.24875), (400, 599, 500, 0.25)]
    """
    alone: dict[int, float] = {}
    for low, high, chance in raises:
        if low == high:
            alone[low] = alone.get(low, 0.0) + chance
    groups = _Groups(cuts)
    if len(alone) > MOST_ALONE:
        for size, chance in alone.items():
            groups.add(bisect_right(cuts, size), size, size, chance, chance * size)
        alone = {}
    for first, last, chance in raises:
        if first < last:
            groups.add_range(first, last, chance / (last - first + 1), alone)
    return [(size, size, size, chance) for size, chance in alone.items()] + groups.listed()


class _Groups:
    """Sizes between cuts, put together."""

    def __init__(self, cuts: list[int]) -> None:
        self._cuts = cuts
        #: By cut: the least and the greatest size, their probability, and the sum of them times their probabilities.
        self._parts: dict[int, tuple[int, int, float, float]] = {}

    def add(self, at: int, low: int, high: int, chance: float, total: float) -> None:
        """Add sizes to the group before a cut."""
        if at in self._parts:
            least, most, before, of_all = self._parts[at]
            low, high, chance, total = min(least, low), max(most, high), before + chance, of_all + total
        self._parts[at] = low, high, chance, total

    def add_range(self, first: int, last: int, each: float, alone: dict[int, float]) -> None:
        """Add a range of sizes with this probability each; those that are alone get theirs."""
        cuts = self._cuts
        inside = [size for size in alone if first <= size <= last]
        for size in inside:
            alone[size] += each
        low = first
        for at in range(bisect_right(cuts, first), len(cuts) + 1):
            high = min(last, cuts[at] - 1) if at < len(cuts) else last
            if low <= high:
                taken = [size for size in inside if low <= size <= high]
                count = high - low + 1
                total = (low + high) * count // 2 - sum(taken)
                self.add(at, low, high, each * (count - len(taken)), each * total)
                low = high + 1

    def listed(self) -> list[tuple[int, int, int, float]]:
        """Return the groups, each with its mean size."""
        return [
            (low, high, min(max(round(total / chance), low), high), chance)
            for low, high, chance, total in self._parts.values()
            if chance > 0
        ]
