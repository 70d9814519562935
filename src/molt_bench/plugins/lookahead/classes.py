"""Classes of actions that stand-ins tell apart: fold, check or call, raises by their price, and all-in."""

from typing import Final

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import CALL, FOLD, RAISE, At, Deals, of_seat, pot_to_win, raise_range
from molt_bench.plugins.lookahead.features import ONE
from molt_bench.poker.arrays import Flags, Ints
from molt_bench.poker.betting import Betting

#: Thousandths of the pot after a call at which the next class of raises begins.
CUTS: Final = (600, 1200)
#: What raises of these classes cost, all-in aside.
_PRICES: Final = (400, 850, 1700)
#: How many classes there are; raises begin with `FIRST_RAISE`, and the last is all-in.
CLASSES: Final = 6
FIRST_RAISE: Final = RAISE
ALL_IN: Final = CLASSES - 1
#: The kind of action of each class.
KINDS: Final = (FOLD, CALL, RAISE, RAISE, RAISE, RAISE)


def class_of_raise(amount: int, betting: Betting) -> int:
    """Return the class of a raise."""
    if amount >= min(betting.limits):
        return ALL_IN
    facing = betting.bets[betting.actor] + betting.to_call
    of_pot = ONE * (amount - facing) // (betting.chips + betting.to_call)
    return FIRST_RAISE + sum([of_pot >= cut for cut in CUTS])


def legal_classes(moments: Ints, deals: Deals) -> Flags:
    """Return which classes there are at each moment: no fold where a check is free."""
    found = np.zeros((moments.shape[1], CLASSES), bool)
    found[:, FOLD] = moments[At.CALL] > 0
    found[:, CALL] = True
    found[:, FIRST_RAISE:] = (raise_range(moments, deals)[1] > 0)[:, None]
    return found


def amounts_of(moments: Ints, deals: Deals) -> Ints:
    """Return what each class of raises is to at each moment."""
    least, most = raise_range(moments, deals)
    facing = of_seat(moments, At.BET, 1 - moments[At.ACTOR])
    pot = pot_to_win(moments) + moments[At.CALL]
    found = np.empty((len(least), CLASSES - FIRST_RAISE), np.int64)
    found[:, :-1] = np.clip(facing[:, None] + np.array(_PRICES) * pot[:, None] // ONE, least[:, None], most[:, None])
    found[:, -1] = most
    return found
