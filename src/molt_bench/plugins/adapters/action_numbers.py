"""Actions as numbers, for learners: a short menu of sizes, and a mask of what it offers.

Fold, check or call, the smallest raise, raises by shares of the pot, all-in, in this order. A share is offered where it
lies between the smallest raise and all-in, and where no smaller share gives the same chips. Where all-in is the
smallest raise, only all-in is offered. Folding is not offered where checking is free.
"""

from typing import Any, Final, TypeAlias

import numpy as np

from molt_bench.errors import ConfigError
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation, raise_by_pot

Mask: TypeAlias = np.ndarray[Any, np.dtype[np.int8]]

#: The raises between the smallest one and all-in, in percent of the pot after a call.
_POT_PERCENTS: Final = (50, 100, 200)
_FOLD, _CALL, _RAISE = 0, 1, 2
_ALL_IN: Final = _RAISE + 1 + len(_POT_PERCENTS)
#: How many numbers there are, from 0.
ACTIONS: Final = _ALL_IN + 1


def mask_of(seen: Observation) -> Mask:
    """Return 1 for every number that is offered, 0 for all others."""
    mask = np.zeros(ACTIONS, np.int8)
    mask[_FOLD] = seen.to_call > 0
    mask[[_CALL, *_raises(seen)]] = 1
    return mask


def action_of(seen: Observation, number: int) -> Action:
    """Return the action that a number stands for; one that is not offered may be illegal."""
    if not 0 <= number < ACTIONS:
        raise ConfigError("action", number, f"0 to {ACTIONS - 1}")
    if number == _FOLD:
        return FOLD
    if number == _CALL:
        return CALL if seen.to_call else CHECK
    return Action("raiseTo", _amount(seen, number))


def _raises(seen: Observation) -> list[int]:
    """Return the numbers of the raises that are offered."""
    if not seen.max_raise_to:
        return []
    found, last = [], seen.min_raise_to - 1
    for number in range(_RAISE, _ALL_IN):
        amount = _amount(seen, number)
        if last < amount < seen.max_raise_to:
            found.append(number)
            last = amount
    return [*found, _ALL_IN]


def _amount(seen: Observation, number: int) -> int:
    if number == _RAISE:
        return seen.min_raise_to
    if number == _ALL_IN:
        return seen.max_raise_to
    return raise_by_pot(seen, _POT_PERCENTS[number - _RAISE - 1]).amount
