"""Ranks: those that each participant may have, given what is known of its lead over each of the others.

A participant is surely below all those that lead it by a significant margin, and surely above all those it leads so.
The rest may be on either side. The tests are those of the stop rule, so what they say stays valid although the run
looks after every round; and a lead that rests on a pairing without games is unknown, so both
orders stay possible. The error of one interval is shared among its comparisons (Holm 1979; Mogstad, Romano, Shaikh and
Wilhelm 2024, "Inference for ranks"); with `familywise`, that of all intervals among all comparisons. So two ranks never
differ for sure where the verdict on the two is open.

`rank_ranges` is what is printed as the rank of somebody, everywhere: the ranks that all orders which are claimed leave
possible. Where no order of two is claimed, their ranges overlap, and nobody is said to be above the other.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.sequential_batch import doubts as doubts_of
from molt_bench.rating.verdicts import holm
from molt_bench.specs import Pair


def rank_intervals(
    model: MarginModel,
    test: Horizon,
    *,
    error: float = 0.05,
    apart: Collection[str] = (),
    familywise: bool = False,
) -> dict[str, tuple[int, int]]:
    """Return each participant's best and worst rank, each interval wrong with probability `error` at most.

    Those `apart` have no rank; the others are ranked among themselves. With `familywise`, the error is that of all
    intervals together.
    """
    return intervals_of(sure_leads(model, test, error=error, apart=apart, familywise=familywise))


def intervals_of(known: Mapping[str, Mapping[str, bool]]) -> dict[str, tuple[int, int]]:
    """Return the same from the sure leads of everybody."""
    return {
        name: (1 + [*leads.values()].count(False), len(known) - [*leads.values()].count(True))
        for name, leads in known.items()
    }


def sure_leads(
    model: MarginModel, test: Horizon, *, error: float, apart: Collection[str] = (), familywise: bool = False
) -> dict[str, dict[str, bool]]:
    """Return for each participant those it surely leads, as True, and those it surely trails, as False."""
    names = [name for name in model.participants if name not in apart]
    pairs_of_all = list(combinations(names, 2))
    leads = dict(zip(pairs_of_all, model.leads(pairs_of_all), strict=True))
    doubts = dict(zip(leads, doubts_of(test, [*leads.values()]), strict=True))
    together = dict(zip(doubts, holm(list(doubts.values()), error), strict=True)) if familywise else {}
    own: dict[str, list[Pair]] = {name: [] for name in names}
    for pair in leads:
        own[pair[0]].append(pair)
        own[pair[1]].append(pair)
    found: dict[str, dict[str, bool]] = {}
    for name, pairs in own.items():
        allowed = [together[pair] for pair in pairs] if familywise else holm([doubts[pair] for pair in pairs], error)
        sure = [pair for pair, most in zip(pairs, allowed, strict=True) if doubts[pair] <= most]
        found[name] = {
            pair[1] if pair[0] == name else pair[0]: (leads[pair].mean > 0) == (pair[0] == name) for pair in sure
        }
    return found


def agreed(known: Mapping[str, Mapping[str, bool]]) -> set[Pair]:
    """Return the pairs of which the first is surely above, by the leads of both."""
    return {
        (name, other)
        for name, leads in known.items()
        for other, above in leads.items()
        if above and known[other].get(name) is False
    }


def rank_ranges(order: Sequence[str], above: Iterable[Pair]) -> dict[str, tuple[int, int]]:
    """Return the best and the worst rank of everybody that leave each first of these pairs above the second.

    Who is above somebody is above all whom that one is above, too. Pairs against the `order`, best first, do not count.

    >>> rank_ranges("abcd", [("a", "b"), ("b", "d")])
    {'a': (1, 2), 'b': (2, 3), 'c': (1, 4), 'd': (3, 4)}
    """
    below = _below(order, above)
    over = [sum(found >> at & 1 for found in below[:at]) for at in range(len(order))]
    return {name: (1 + over[at], len(order) - below[at].bit_count()) for at, name in enumerate(order)}


def open_runs(order: Sequence[str], above: Iterable[Pair]) -> list[tuple[int, int]]:
    """Return the longest runs of neighbours in the order of whom no two are told apart, by their first and last place.

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
