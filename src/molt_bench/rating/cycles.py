"""Cycles among participants that are not due to chance: all their edges together are significant."""

from collections import deque
from collections.abc import Iterator, Mapping

import msgspec

from molt_bench.rating.model import MarginModel
from molt_bench.rating.verdicts import Judge


class Cycle(msgspec.Struct, frozen=True):
    """Participants who each beat the next, and the last the first; `sure` is that of the least certain edge."""

    members: tuple[str, ...]
    sure: float


def significant_cycles(model: MarginModel, judge: Judge) -> tuple[Cycle, ...]:
    """Return the cycles in which every edge is significant by this judge.

    The error is shared among all pairs that have met (Bonferroni), so the probability that any edge, and thus any
    cycle, is wrong is at most that of one verdict. Lists all cycles of three, and for each edge that is only in longer
    ones, a shortest of these.
    """
    names = model.participants
    beats: dict[str, dict[str, float]] = {name: {} for name in names}
    met = sum(1 for pair in model.pairs if model.count(*pair))
    for each in judge.head_to_head(model, judge.error / max(1, met)):
        if each.kind == "ordered":
            beats[each.above][each.below] = each.sure
    found: dict[tuple[str, ...], float] = {}
    for trail in _cycles(beats):
        start = trail.index(min(trail, key=names.index))
        members = trail[start:] + trail[:start]
        found[members] = min(beats[one][two] for one, two in zip(members, members[1:] + members[:1], strict=True))
    order = sorted(found, key=lambda members: (len(members), [names.index(name) for name in members]))
    return tuple(Cycle(members, found[members]) for members in order)


def _cycles(beats: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, ...]]:
    """Yield all cycles of three, and a shortest one for every other edge that is in a cycle."""
    for winner, losers in beats.items():
        for loser in losers:
            thirds = [name for name in beats[loser] if winner in beats[name]]
            yield from ((winner, loser, third) for third in thirds)
            if not thirds and (way := _way(beats, loser, winner)):
                yield (winner, *way[:-1])


def _way(beats: Mapping[str, Mapping[str, float]], start: str, end: str) -> tuple[str, ...]:
    """Return a shortest path between two participants, both included; empty if there is none."""
    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    waiting = deque([start])
    while waiting and end not in ways:
        here = waiting.popleft()
        for name in beats[here]:
            if name not in ways:
                ways[name] = (*ways[here], name)
                waiting.append(name)
    return ways.get(end, ())
