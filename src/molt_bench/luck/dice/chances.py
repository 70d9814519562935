"""The probabilities of a policy at one decision: of a fold, of a check or call, and of raises by price."""

from bisect import bisect_right
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np

from molt_bench.agents.base import Policy, Sizes
from molt_bench.agents.pot_raises import PotRaises
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation

#: Bins of the price of a raise begin at these percentages of the pot after a call; all-in is the last bin.
PRICES: Final = (150,)
BINS: Final = len(PRICES) + 2
#: By how much the sum of a policy's probabilities may miss 1.
TOLERANCE: Final = 1e-9
#: Up to so many sizes are added faster one by one.
_FEW: Final = 16


class PolicyError(Exception):
    """A policy that cannot be how the agent played; the message says why."""


class NoChanceError(PolicyError):
    """A policy that gives no chance to what the agent did."""


class Chances(NamedTuple):
    """What a policy could have drawn.

    Attributes:
        fold: The probability of a fold.
        passive: Of a check or call.
        raised: Of a raise, by the bins of `PRICES`, all-in last.
        sizes: By bin, the sum of the sizes times their probabilities.
        taken: The probability of what was done, or of its range of sizes.
    """

    fold: float
    passive: float
    raised: list[float]
    sizes: list[float]
    taken: float


def policy_failed(error: Exception) -> PolicyError:
    """Return what is said of foreign code: whatever it raises or returns must not break the analysis."""
    return PolicyError(f"its policy failed: {type(error).__name__}: {error}")


def limits_of(seen: Observation) -> tuple[int, int]:
    """Return the most each seat could bet on this street in total, as in `Hand.limits`."""
    stacks, bets = seen.stacks, seen.bets
    return stacks[0] + bets[0], stacks[1] + bets[1]


def prices(seen: Observation) -> list[int]:
    """Return the sizes at which a new bin of prices begins, all-in last."""
    all_in = min(limits_of(seen))
    facing = seen.bets[seen.seat] + seen.to_call
    pot = seen.pot + seen.to_call
    return [min(facing - (-pot * percent // 100), all_in) for percent in PRICES] + [all_in]


def checked_chances(policy: Policy, seen: Observation, begins: list[int], action: Action) -> Chances:
    """Return the probabilities of a policy, for an action that was taken.

    Raises:
        NoChanceError: What was done has no chance.
        PolicyError: They cannot be right.
    """
    try:
        if isinstance(policy, PotRaises) and policy.distinct:
            found = _of_pot_raises(policy, begins, action)
        else:
            found = _of_list(policy, seen, begins, action)
    except PolicyError:
        raise
    except Exception as error:
        raise policy_failed(error) from error
    if abs(found.fold + found.passive + sum(found.raised) - 1) > TOLERANCE:
        raise PolicyError("the probabilities of its policy do not add up to 1")
    if not found.taken > 0:
        raise NoChanceError(f"its policy gives what it did, {action.kind}, no chance")
    return found


def _of_list(policy: Policy, seen: Observation, begins: list[int], action: Action) -> Chances:
    least, most = seen.min_raise_to, seen.max_raise_to
    drawn = action.amount if action.kind == "raiseTo" else 0
    chances = {"fold": 0.0, "call" if seen.to_call else "check": 0.0}
    raised, sizes, taken = [0.0] * BINS, [0.0] * BINS, 0.0
    for choice, stated in policy:
        if not -TOLERANCE <= stated <= 1 + TOLERANCE:
            raise PolicyError(f"its policy has {stated} as a probability")
        chance = float(stated)  # of any type that is a number, such as those of numpy
        if isinstance(choice, Sizes):
            low, high = choice.low, choice.high
        elif choice.kind == "raiseTo":
            low = high = choice.amount
        else:
            if choice.kind not in chances:
                raise PolicyError(f"its policy has {choice.kind}, and legal is: {seen.legal}")
            chances[choice.kind] += chance
            continue
        if type(low) is not int or type(high) is not int or not 0 < least <= low <= high <= most:
            raise PolicyError(f"its policy has {choice}, and legal is: {seen.legal}")
        if low <= drawn <= high:
            taken += chance
        if low == high:
            at = bisect_right(begins, low)
            raised[at] += chance
            sizes[at] += chance * low
        else:
            _spread(low, high, chance, begins, raised, sizes)
    fold, passive = chances.values()
    return Chances(fold, passive, raised, sizes, chances.get(action.kind, taken))


def _spread(low: int, high: int, chance: float, begins: list[int], raised: list[float], sizes: list[float]) -> None:
    """Add a range of sizes, each equally likely, to the bins of prices: what a bin gets is exact."""
    each = chance / (high - low + 1)
    for at in range(bisect_right(begins, low), BINS):
        last = min(high, begins[at] - 1) if at < len(begins) else high
        if last >= low:
            count = each * (last - low + 1)
            raised[at] += count
            sizes[at] += count * (low + last) / 2
            low = last + 1


def _of_pot_raises(policy: PotRaises, begins: list[int], action: Action) -> Chances:
    """Return the same of all sizes at once; all are different but for the least and the most legal one."""
    sizes = _PotSizes(policy.facing, policy.pot, policy.least, policy.most, policy.percents, policy.chances[1])
    raised, total = _by_price(sizes, tuple(begins))
    if action.kind == "raiseTo":
        taken = policy.chance_of(policy.times(action.amount))
    else:
        taken = policy.chances[0] if action.kind == policy.passive.kind else 0.0
    return Chances(0.0, policy.chances[0], list(raised), list(total), taken)


class _PotSizes(NamedTuple):
    """The sizes of `PotRaises`, and the probability of a raise."""

    facing: int
    pot: int
    least: int
    most: int
    percents: tuple[int, int]
    chance: float

    @property
    def shares(self) -> int:
        """How many percentages there are."""
        return self.percents[1] - self.percents[0] + 1

    def chance_of(self, times: int) -> float:
        """Return the probability of a size that so many percentages lead to."""
        return times * self.chance / self.shares

    def below(self, size: int) -> int:
        """Return how many percentages lead to less than a size."""
        return min(max(-(-100 * (size - self.facing) // self.pot) - self.percents[0], 0), self.shares)

    def added(self, start: float, first: int, end: int) -> float:
        """Add the sizes of some of the percentages, each times its probability: one after another, to the last bit."""
        each, first, end = self.chance_of(1), self.percents[0] + first, self.percents[0] + end
        if end - first <= _FEW:
            for percent in range(first, end):
                start += each * (self.facing + self.pot * percent // 100)
            return start
        sums = np.empty(end - first + 1)
        sums[0] = start
        np.multiply(np.arange(first, end, dtype=np.int64) * self.pot // 100 + self.facing, each, out=sums[1:])
        # Accumulated from left to right, unlike numpy's sum.
        return float(np.add.accumulate(sums)[-1])


@lru_cache(maxsize=1 << 12)
def _by_price(of: _PotSizes, begins: tuple[int, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the probabilities of raises by price, and the sums of their sizes times that, but for those all-in."""
    raised, sizes = [0.0] * (len(begins) + 1), [0.0] * (len(begins) + 1)
    each = of.chance_of(1)
    # How many percentages lead to no more than the least size, and how many to less than the most.
    low, high = of.below(of.least + 1), of.below(of.most)
    if of.least == of.most:
        low = high = of.shares
    if low:
        at, chance = bisect_right(begins, of.least), of.chance_of(low)
        raised[at], sizes[at] = chance, chance * of.least
    start = low
    for at, begin in enumerate(begins):
        end = min(of.below(begin), high)
        if end > start:
            sizes[at] = of.added(sizes[at], start, end)
            raised[at] = _repeated(raised[at], each, end - start)
            start = end
    if high > start:
        raised[-1] = _repeated(raised[-1], each, high - start)
    if high < of.shares:
        at, chance = bisect_right(begins, of.most), of.chance_of(of.shares - high)
        raised[at] += chance
        sizes[at] += chance * of.most
    return tuple(raised), tuple(sizes)


@cache
def _repeated(start: float, each: float, times: int) -> float:
    """Add a probability so many times."""
    for _ in range(times):
        start += each
    return start
