"""What a seat sees as an array, for learners.

- 0 to 51: 1 for each own card, from 2c to As
- 52 to 103: 1 for each open board card
- 104 to 107: 1 for the street: preflop, flop, turn, river
- 108: 1 with the button
- 109 to 116, as shares of all chips in play: pot, own stack, other stack, own bet, other bet, to call, the smallest and
  the largest legal raise
"""

from typing import Any, Final, TypeAlias

import numpy as np

from molt_bench.poker.actions import STREETS
from molt_bench.poker.observation import HandResult, Observation

View: TypeAlias = np.ndarray[Any, np.dtype[np.float32]]

_BOARD, _STREET, _BUTTON, _CHIPS = 52, 104, 108, 109
#: Length of a view.
VIEW_LENGTH: Final = 117


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
    view[_CHIPS:] = np.divide(chips, sum(seen.starting_stacks))
    return view


def view_after(result: HandResult) -> View:
    """Return what a seat sees of a hand that is over: its cards, the board, its position and the stacks."""
    view = np.zeros(VIEW_LENGTH, np.float32)
    me = result.seat
    view[[*result.cards, *[_BOARD + card for card in result.board]]] = 1
    view[_BUTTON] = me == result.button
    stacks = [start + won for start, won in zip(result.starting_stacks, result.net, strict=True)]
    view[_CHIPS + 1 : _CHIPS + 3] = np.divide((stacks[me], stacks[1 - me]), sum(stacks))
    return view
