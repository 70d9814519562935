"""Rank intervals: the ranks a participant may have, given what the margin model knows."""

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

from molt_bench.rating.margin import MarginModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    FloatArray: TypeAlias = NDArray[np.float64]
    IntArray: TypeAlias = NDArray[np.int64]

Member = TypeVar("Member", bound=Hashable)
#: Stands in for the infinite scale of an unknown margin, in thousandths of a big blind per hand.
_ANYTHING: Final = 1e6


def rank_intervals(
    model: MarginModel, *, seed: int, level: float = 0.95, draws: int = 4000, apart: Collection[str] = ()
) -> dict[str, tuple[int, int]]:
    """Return each participant's best and worst rank at this confidence level, by simulation.

    The margin of two that have not met could be anything, so it is not drawn: the interval covers every rank that any
    value of it could give. Those `apart` have no rank; the others are ranked among themselves.
    """
    import numpy as np  # here, since it is slow to load

    # The numbers of the legacy generator are frozen, so every version of numpy draws the same.
    dice = np.random.RandomState(seed % 2**32)
    known = [model.margin(*pair) for pair in model.pairs]
    drawn = np.array([each.mean + min(each.scale, _ANYTHING) * dice.standard_t(each.free, draws) for each in known])
    names = [name for name in model.participants if name not in apart]
    if not names:
        return {}
    weights = [model.strength_weights(name) for name in names]
    table = np.array([[each.get(pair, 0.0) for pair in model.pairs] for each in weights])
    unmet = np.array([not model.count(*pair) for pair in model.pairs])
    drawn[unmet] = 0.0
    if not table[:, unmet].any():
        best = worst = (-(table @ drawn)).argsort(axis=0).argsort(axis=0) + 1
    elif model.additive:
        best, worst = _ranks_of_groups(model, drawn, names)
    else:
        best, worst = _rank_bounds(table @ drawn, table[:, unmet])
    tail = (1 - level) / 2
    low = np.quantile(best, tail, axis=1, method="inverted_cdf")
    high = np.quantile(worst, 1 - tail, axis=1, method="inverted_cdf")
    return {name: (int(low[at]), int(high[at])) for at, name in enumerate(names)}


def _ranks_of_groups(model: MarginModel, drawn: "FloatArray", names: Sequence[str]) -> "tuple[IntArray, IntArray]":
    """Return the best and the worst ranks where skills add up, but games do not connect everybody.

    Within a group that games connect, skills are known. Every other group may be above or below it as a whole.
    """
    import numpy as np  # here, since it is slow to load

    linked = [pair for pair in model.pairs if model.count(*pair)]
    best = np.ones((len(names), drawn.shape[1]), dtype=int)
    worst = best.copy()
    for everybody in _groups(model.participants, linked):
        group = [name for name in everybody if name in names]
        if not group:
            continue
        weights = [model.skill_weights(name, group[0]) if name != group[0] else {} for name in group]
        skills = np.array([[each.get(pair, 0.0) for pair in model.pairs] for each in weights]) @ drawn
        for name, skill in zip(group, skills, strict=True):
            at, above = names.index(name), (skills > skill).sum(axis=0)
            best[at] += above
            worst[at] += above + len(names) - len(group)
    return best, worst


def _groups(members: Sequence[Member], linked: Iterable[tuple[Member, Member]]) -> list[list[Member]]:
    """Return the groups of members that are linked, directly or through others."""
    group = {one: [one] for one in members}
    for one, two in linked:
        if group[one] is not group[two]:
            together = group[one] + group[two]
            group.update(dict.fromkeys(together, together))
    return list({id(each): each for each in group.values()}.values())


def _rank_bounds(strengths: "FloatArray", unmet: "FloatArray") -> "tuple[IntArray, IntArray]":
    """Return everybody's best and worst rank over all possible margins of those who have not met.

    A participant with an unplayed opponent that counts may be anywhere. The others are bounded: of two that have not
    met, one wins what the other loses, so a group of them can trade strength among themselves, but keeps its mean.
    `strengths` are everybody's in each draw, with unplayed margins at 0; `unmet` the weights of these in them.
    """
    import numpy as np  # here, since it is slow to load

    count = len(strengths)
    counts = [np.flatnonzero(column) for column in unmet.T]
    loose = [int(at) for at in np.flatnonzero(unmet.any(axis=1))]
    fixed = [at for at in range(count) if at not in loose]
    best, worst = np.ones(strengths.shape, dtype=int), np.full(strengths.shape, count)
    alone = {int(who[0]) for who in counts if len(who) == 1}  # what an anchor wins, nobody else loses
    worst[fixed] = 1
    for at in fixed:
        above = (strengths[fixed] > strengths[at]).sum(axis=0)
        best[at] += above
        worst[at] += above
    for group in _groups(loose, [(int(who[0]), int(who[1])) for who in counts if len(who) == 2]):
        # In units of each one's own field, so that a margin adds to one what it takes from the other.
        sizes = 1 / abs(unmet[group]).max(axis=1)
        mean = sizes @ strengths[group] / sizes.sum()
        for at in fixed:
            ahead = mean > strengths[at]
            best[at] += 0 if alone.intersection(group) else ahead
            worst[at] += len(group) if alone.intersection(group) else len(group) - 1 + ahead
    return best, worst
