"""Actions as numbers, for learners: a short menu of sizes, and a mask of what it offers."""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from molt_bench.errors import ConfigError
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation, raise_by_pot

Mask: TypeAlias = np.ndarray[Any, np.dtype[np.int8]]

#: The raises of the menu between the smallest one and all-in, in percent of the pot after a call.
POT_PERCENTS: Final = (50, 100, 200)

_FOLD, _CALL, _RAISE = 0, 1, 2


class SizeMenu:
    """Fold, check or call, the smallest raise, raises by shares of the pot, all-in, in this order.

    A share is offered where it lies between the smallest raise and all-in, and where no smaller share gives the same
    chips. Where all-in is the smallest raise, only all-in is offered. Folding is not offered where checking is free.

    Attributes:
        count: How many numbers there are, from 0.
    """

    def __init__(self, percents: Sequence[int] = POT_PERCENTS) -> None:
        rising = all(type(percent) is int and percent > 0 for percent in percents)
        if not rising or [*percents] != sorted({*percents}):
            raise ConfigError("pot_percents", percents, f"whole numbers above 0 that rise, such as {POT_PERCENTS}")
        self.count = _RAISE + 2 + len(percents)
        self._percents = tuple(percents)

    def mask(self, seen: Observation) -> Mask:
        """Return 1 for every number that is offered, 0 for all others."""
        mask = np.zeros(self.count, np.int8)
        mask[_FOLD] = seen.to_call > 0
        mask[_CALL] = 1
        for number in self._raises(seen):
            mask[number] = 1
        return mask

    def action(self, seen: Observation, number: int) -> Action:
        """Return the action that a number stands for; one that is not offered may be illegal."""
        if not 0 <= number < self.count:
            raise ConfigError("action", number, f"0 to {self.count - 1}")
        if number == _FOLD:
            return FOLD
        if number == _CALL:
            return CALL if seen.to_call else CHECK
        return Action("raiseTo", self._amount(seen, number))

    def number(self, seen: Observation, action: Action) -> int:
        """Return the number of an action; of a raise, that of the closest one offered."""
        if action.kind != "raiseTo":
            return _FOLD if action.kind == "fold" else _CALL
        return min(self._raises(seen), key=lambda number: abs(self._amount(seen, number) - action.amount))

    def _raises(self, seen: Observation) -> list[int]:
        """Return the numbers of the raises that are offered."""
        if not seen.max_raise_to:
            return []
        found, last, all_in = [], seen.min_raise_to - 1, self.count - 1
        for number in range(_RAISE, all_in):
            amount = self._amount(seen, number)
            if last < amount < seen.max_raise_to:
                found.append(number)
                last = amount
        return [*found, all_in]

    def _amount(self, seen: Observation, number: int) -> int:
        if number == _RAISE:
            return seen.min_raise_to
        if number == self.count - 1:
            return seen.max_raise_to
        return raise_by_pot(seen, self._percents[number - _RAISE - 1]).amount
