"""What a seat sees as an array, for learners.

- 0 to 51: 1 for each own card, from 2c to As
- 52 to 103: 1 for each open board card
- 104 to 107: 1 for the street: preflop, flop, turn, river
- 108: 1 with the button
- 109 to 116, as shares of all chips in play: pot, own stack, other stack, own bet, other bet, to call, the smallest and
  the largest legal raise

Then the betting of the hand: 8 actions for each street from preflop to river, oldest first, 4 numbers each.

- 1 if it was one's own
- 1 if it was the other's
- 1 for a raise; 0 for a check, a call or a fold
- what it raised to, as a share of all chips in play; 0 if it was no raise

On a street with more than 8 actions, these are the last 8.
"""

from typing import Any, Final, TypeAlias

import numpy as np

from molt_bench.poker.actions import STREETS
from molt_bench.poker.observation import Observation

View: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]

_BOARD, _STREET, _BUTTON, _CHIPS, _BETTING = 52, 104, 108, 109, 117
_ACTIONS, _NUMBERS = 8, 4
#: How many numbers a view has.
VIEW_LENGTH: Final = _BETTING + len(STREETS) * _ACTIONS * _NUMBERS


def view_of(seen: Observation) -> View:
    """Return what the seat to act sees."""
    view = np.zeros(VIEW_LENGTH, np.float32)
    me = seen.seat
    view[[*seen.cards, *[_BOARD + card for card in seen.board]]] = 1
    view[_STREET + STREETS.index(seen.street)] = 1
    view[_BUTTON] = me == seen.button
    stacks, bets = seen.stacks, seen.bets
    chips = (
        *(seen.pot, stacks[me], stacks[1 - me], bets[me], bets[1 - me]),
        *(seen.to_call, seen.min_raise_to, seen.max_raise_to),
    )
    in_play = sum(seen.starting_stacks)
    view[_CHIPS:_BETTING] = np.divide(chips, in_play)
    betting = view[_BETTING:].reshape(len(STREETS), _ACTIONS, _NUMBERS)
    for number, street in enumerate(STREETS):
        log = [done for done in seen.log if done.street == street][-_ACTIONS:]
        for at, done in enumerate(log):
            raised = done.kind == "raiseTo"
            betting[number, at] = (done.seat == me, done.seat != me, raised, raised * done.amount / in_play)
    return view
