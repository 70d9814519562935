"""Classes of actions: fold, check or call, raises by their price, and all-in.

Stand-ins tell no others apart, and what could have been drawn from a mix is followed class by class: ranges and many
sizes of raises would be too many to follow.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import CALL, FOLD, RAISE, At, of_seat, pot_to_win, raise_range
from molt_bench.plugins.lookahead.features import ONE
from molt_bench.poker.actions import Action
from molt_bench.poker.arrays import Flags, Ints
from molt_bench.poker.betting import Betting
from molt_bench.poker.mix import RaiseRange

#: Thousandths of the pot after a call at which the next class of raises begins.
_CUTS: Final = (600, 1200)
#: What raises of these classes cost, all-in aside.
_PRICES: Final = (400, 850, 1700)
#: How many classes there are; raises begin with `RAISE`, and the last is all-in.
CLASSES: Final = 6
#: The kind of action of each class.
KINDS: Final = (FOLD, CALL, RAISE, RAISE, RAISE, RAISE)


class Choices(NamedTuple):
    """What could have been done at a decision.

    Attributes:
        chances: How likely each class was.
        amounts: The mean of what its raises were to; 0 for other actions.
        done: The class of what was done.
    """

    chances: list[float]
    amounts: list[int]
    done: int


def choices_of(entries: Iterable[tuple[Action | RaiseRange, float]], done: Action, betting: Betting) -> Choices:
    """Return the choices at a moment, by the chance of every entry and what was done."""
    facing, pot = betting.bets[betting.actor] + betting.to_call, betting.chips + betting.to_call
    most = min(betting.limits)
    bounds = [*[min(facing + -(-pot * cut // ONE), most) for cut in _CUTS], most]
    chances, sums = [0.0] * CLASSES, [0.0] * CLASSES
    for entry, chance in entries:
        if isinstance(entry, Action) and entry.kind != "raiseTo":
            chances[FOLD if entry.kind == "fold" else CALL] += chance
            continue
        low, high = (entry.low, entry.high) if isinstance(entry, RaiseRange) else (entry.amount, entry.amount)
        for number, (first, end) in enumerate(zip([low, *bounds], [*bounds, high + 1], strict=True)):
            start, last = max(first, low), min(end - 1, high)
            if start <= last:
                share = chance * (last - start + 1) / (high - low + 1)
                chances[RAISE + number] += share
                sums[RAISE + number] += share * (start + last) / 2
    amounts = [round(each / chance) if chance else 0 for each, chance in zip(sums, chances, strict=True)]
    number = FOLD if done.kind == "fold" else CALL
    return Choices(chances, amounts, RAISE + bisect_right(bounds, done.amount) if done.kind == "raiseTo" else number)


def legal_classes(moments: Ints) -> Flags:
    """Return which classes there are at each moment: no fold where a check is free."""
    found = np.zeros((moments.shape[1], CLASSES), bool)
    found[:, FOLD] = moments[At.CALL] > 0
    found[:, CALL] = True
    found[:, RAISE:] = (raise_range(moments)[1] > 0)[:, None]
    return found


def amounts_of(moments: Ints) -> Ints:
    """Return what each class of raises is to at each moment; 0 for other classes."""
    least, most = raise_range(moments)
    facing = of_seat(moments, At.BET, 1 - moments[At.ACTOR])
    pot = pot_to_win(moments) + moments[At.CALL]
    found = np.zeros((len(least), CLASSES), np.int64)
    prices = np.array(_PRICES) * pot[:, None] // ONE
    found[:, RAISE:-1] = np.clip(facing[:, None] + prices, least[:, None], most[:, None])
    found[:, -1] = most
    return found
