"""A policy of raises by percentages of the pot: a hundred sizes at a decision, listed only when somebody reads them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, overload

from molt_bench.agents.base import Sizes
from molt_bench.poker.actions import CALL, CHECK, Action
from molt_bench.poker.observation import Observation


class PotRaises(Sequence[tuple[Action | Sizes, float]]):
    """The policy of an agent that raises by any percentage of the pot in a range, and else checks or calls.

    Attributes:
        percents: The least and the greatest percentage; all between them are equally likely.
        chances: The probability of a check or call, and of a raise.
        passive: The check or call.
        facing: The bet that a raise adds to.
        pot: The pot after a call.
        least: The least legal size.
        most: The most legal size.
    """

    __slots__ = ("_choices", "chances", "facing", "least", "most", "passive", "percents", "pot")

    def __init__(self, observation: Observation, percents: tuple[int, int], chances: tuple[float, float]) -> None:
        self.percents = percents
        self.chances = chances
        self.passive = CALL if observation.to_call else CHECK
        self.facing = observation.bets[observation.seat] + observation.to_call
        self.pot = observation.pot + observation.to_call
        self.least, self.most = observation.min_raise_to, observation.max_raise_to
        self._choices: tuple[tuple[Action | Sizes, float], ...] = ()

    @property
    def distinct(self) -> bool:
        """Whether different percentages lead to different sizes, but for the least and the most legal one."""
        return 100 <= self.pot < 1 << 40

    def chance_of(self, times: int) -> float:
        """Return the probability of a size that so many percentages lead to."""
        low, high = self.percents
        return times * self.chances[1] / (high - low + 1)

    def times(self, size: int) -> int:
        """Return how many percentages lead to a legal size, if different ones lead to different sizes."""
        low, high = self.percents
        # The percentages that lead to less than the size, and to no more than it.
        less, upto = (-(-100 * (each - self.facing) // self.pot) - 1 for each in (size, size + 1))
        first = low - 1 if size <= self.least else less
        last = high if size >= self.most else upto
        return max(0, min(last, high) - max(first, low - 1)) if self.least <= size <= self.most else 0

    def _listed(self) -> tuple[tuple[Action | Sizes, float], ...]:
        if not self._choices:
            low, high = self.percents
            facing, pot, least, most = self.facing, self.pot, self.least, self.most
            sizes = Counter([min(max(facing + pot * each // 100, least), most) for each in range(low, high + 1)])
            raises = [(Action("raiseTo", size), self.chance_of(times)) for size, times in sizes.items()]
            self._choices = (self.passive, self.chances[0]), *raises
        return self._choices

    def __len__(self) -> int:
        return len(self._listed())

    @overload
    def __getitem__(self, at: int) -> tuple[Action | Sizes, float]: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[tuple[Action | Sizes, float], ...]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return self._listed()[at]

    def __iter__(self) -> Iterator[tuple[Action | Sizes, float]]:
        return iter(self._listed())
