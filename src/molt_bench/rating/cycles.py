"""Cycles of three that are not due to chance: all their edges together are significant."""

import msgspec

from molt_bench.rating.model import MarginModel
from molt_bench.rating.verdicts import Judge


class Cycle(msgspec.Struct, frozen=True):
    """Three participants who each beat the next, and the last the first; `sure` is that of the least certain edge."""

    members: tuple[str, ...]
    sure: float


def significant_cycles(model: MarginModel, judge: Judge) -> tuple[Cycle, ...]:
    """Return the cycles of three in which every edge is significant by this judge.

    The error is shared among all pairs that have met (Bonferroni), so the probability that any edge, and thus any
    cycle, is wrong is at most that of one verdict. Where all edges are significant, a longer cycle has one of three
    in it.
    """
    names = model.participants
    beats: dict[str, dict[str, float]] = {name: {} for name in names}
    met = sum(1 for pair in model.pairs if model.count(*pair))
    for each in judge.head_to_head(model, judge.error / max(1, met)):
        if each.kind == "ordered":
            beats[each.above][each.below] = each.sure
    place = {name: at for at, name in enumerate(names)}
    return tuple(
        Cycle((one, two, three), min(beats[one][two], beats[two][three], beats[three][one]))
        for one in names
        for two in sorted(beats[one], key=place.__getitem__)
        for three in sorted(beats[two], key=place.__getitem__)
        if one in beats[three] and place[one] < min(place[two], place[three])
    )
