"""Ranks: those that the claimed orders of two leave possible for each participant.

Where no order of two is claimed, their ranges overlap, and neither is said to be above the other.
"""

from collections.abc import Iterable, Sequence

from molt_bench.specs import Pair


def rank_ranges(order: Sequence[str], above: Iterable[Pair]) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank of each participant that leave each first of these pairs above the second.

    Being above is transitive. Pairs against the `order`, best first, do not count.

    >>> rank_ranges("abcd", [("a", "b"), ("b", "d")])
    {'a': (1, 2), 'b': (2, 3), 'c': (1, 4), 'd': (3, 4)}
    """
    below = _below(order, above)
    over = [sum(found >> at & 1 for found in below[:at]) for at in range(len(order))]
    return {name: (1 + over[at], len(order) - below[at].bit_count()) for at, name in enumerate(order)}


def open_runs(order: Sequence[str], above: Iterable[Pair]) -> list[tuple[int, int]]:
    """Return the longest runs of neighbours in the order that are not told apart, by their first and last place.

    >>> open_runs("abcd", [("a", "c"), ("b", "d")])
    [(0, 1), (1, 2), (2, 3)]
    """
    below = _below(order, above)
    found: list[tuple[int, int]] = []
    last = 0
    for start in range(len(order)):
        last = max(last, start)  # what is not told apart from the one before is not, either, from this one on
        while last + 1 < len(order) and not any(each >> last + 1 & 1 for each in below[start : last + 1]):
            last += 1
        if last > start and (not found or last > found[-1][1]):
            found.append((start, last))
    return found


def _below(order: Sequence[str], above: Iterable[Pair]) -> list[int]:
    """Return the places of all who are below each in the order, as bits of a number."""
    place = {name: at for at, name in enumerate(order)}
    direct: list[list[int]] = [[] for _ in order]
    for first, second in above:
        if first in place and place.get(second, -1) > place[first]:
            direct[place[first]].append(place[second])
    below = [0] * len(order)
    for at in reversed(range(len(order))):
        for other in direct[at]:
            below[at] |= below[other] | 1 << other
    return below
