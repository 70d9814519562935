"""The luck of a raise by any of a hundred shares of the pot: all of them at once.

The sums are those of adding one size after another, to the last bit.
"""

from bisect import bisect_right
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from molt_bench.agents.scripted import PotRaises
from molt_bench.poker.actions import Action

if TYPE_CHECKING:
    import numpy as np  # here, since it is slow to load

_LOW, _HIGH = PotRaises.PERCENTS
_COUNT = _HIGH - _LOW + 1
_EACH = PotRaises.chance_of(1)
#: Up to so many are added faster one by one.
_FEW = 16


def pot_raise_chances(
    policy: PotRaises, begins: list[int], action: Action
) -> tuple[float, float, list[float], list[float], float]:
    """Return what `molt_bench.luck.dice.draws` needs to know of such a policy.

    Args:
        policy: The policy, whose sizes are all different but for the least and the most legal one.
        begins: The sizes at which a new bin of prices begins.
        action: What was done.

    Returns:
        The probability of a fold, of a check or call, and of raises by bin; by bin, the sum of the sizes times their
        probabilities; the probability of the action.
    """
    raised, sizes = _by_price(policy.facing, policy.pot, policy.least, policy.most, tuple(begins))
    if action.kind == "raiseTo":
        taken = PotRaises.chance_of(policy.times(action.amount))
    else:
        taken = policy.passive_chance if action.kind == policy.passive.kind else 0.0
    return 0.0, policy.passive_chance, list(raised), list(sizes), taken


@lru_cache(maxsize=1 << 12)
def _by_price(
    facing: int, pot: int, least: int, most: int, begins: tuple[int, ...]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the probabilities of raises by price, and the sums of their sizes times that, but for those all-in."""
    raised, sizes = [0.0] * (len(begins) + 1), [0.0] * (len(begins) + 1)
    # How many shares of the pot give no more than the least size, and how many less than the most.
    low, high = _below(facing, pot, least + 1), _below(facing, pot, most)
    if least == most:
        low = high = _COUNT
    if low:
        at, chance = bisect_right(begins, least), PotRaises.chance_of(low)
        raised[at], sizes[at] = chance, chance * least
    start = low
    for at, begin in enumerate(begins):
        end = min(_below(facing, pot, begin), high)
        if end > start:
            sizes[at] = _added(sizes[at], facing, pot, start, end)
            raised[at] = _repeated(raised[at], end - start)
            start = end
    if high > start:
        raised[-1] = _repeated(raised[-1], high - start)
    if high < _COUNT:
        at, chance = bisect_right(begins, most), PotRaises.chance_of(_COUNT - high)
        raised[at] += chance
        sizes[at] += chance * most
    return tuple(raised), tuple(sizes)


def _below(facing: int, pot: int, size: int) -> int:
    """Return how many shares of the pot give less than a size."""
    found = -(-100 * (size - facing) // pot) - _LOW
    return 0 if found < 0 else _COUNT if found > _COUNT else found


@cache
def _repeated(start: float, times: int) -> float:
    """Add the probability of a size so many times."""
    for _ in range(times):
        start += _EACH
    return start


@cache
def _percents() -> "np.ndarray[Any, np.dtype[np.int64]]":
    import numpy as np  # here, since it is slow to load

    return np.arange(_LOW, _HIGH + 1, dtype=np.int64)


def _added(start: float, facing: int, pot: int, first: int, end: int) -> float:
    """Add the sizes of some of the shares, each times its probability."""
    if end - first <= _FEW:
        for percent in range(_LOW + first, _LOW + end):
            start += _EACH * (facing + pot * percent // 100)
        return start
    import numpy as np  # here, since it is slow to load

    sums = np.empty(end - first + 1)
    sums[0] = start
    np.multiply(_percents()[first:end] * pot // 100 + facing, _EACH, out=sums[1:])
    # Accumulated from left to right, unlike numpy's sum.
    return float(np.add.accumulate(sums)[-1])
