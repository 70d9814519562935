"""Many moments of betting at once, as columns of whole numbers: what `molt_bench.poker.betting` does one by one."""

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from molt_bench.poker.actions import STREETS
from molt_bench.poker.arrays import Flags, Floats, Ints
from molt_bench.poker.betting import Betting
from molt_bench.specs import Pair

#: Kinds of actions as numbers; a call may be a check.
FOLD, CALL, RAISE = range(3)
_RIVER: Final = len(STREETS) - 1
_STREET_NUMBERS: Final = {street: number for number, street in enumerate(STREETS)}


class At(IntEnum):
    """The rows of an array of moments; each moment is a column."""

    HAND = 0  # the place of its hand in `Deals`
    STREET = 1
    ACTOR = 2
    LIMIT = 3  # of seat 0, as in `Betting.limits`; that of seat 1 follows
    BET = 5  # of seat 0, as in `Betting.bets`; that of seat 1 follows
    POT = 7
    CALL = 8
    STEP = 9
    OPEN = 10
    SETTLED = 11
    RAISES = 12  # on this street
    EARLIER = 13  # raises on streets before
    RAISER = 14  # who raised last: 1 for seat 0, 2 for seat 1, 0 for none


class Deals(NamedTuple):
    """The hands of a game, to which moments belong: arrays have a row for each.

    Attributes:
        stacks: Chips before antes and blinds, by seat.
        button: The seat with the button.
        equities: Seat 0's equity on each street.
        cards: By street, seat and number, what `molt_bench.plugins.lookahead.features` looks at in the cards.
        agents: Who sits in each seat.
        big_blind: The big blind.
        cap: Raises allowed on a street.
    """

    stacks: Ints
    button: Ints
    equities: Floats
    cards: Ints
    agents: Pair
    big_blind: int
    cap: int


def column_of(betting: Betting, hand: int) -> tuple[int, ...]:
    """Return a moment as a column."""
    street = betting.street
    raises = [done for done in betting.log if done.kind == "raiseTo"]
    here = sum([done.street == street for done in raises])
    return (
        hand,
        _STREET_NUMBERS[street],
        betting.actor,
        *betting.limits,
        *betting.bets,
        betting.pot,
        betting.to_call,
        betting.raise_step,
        int(betting.raising_open),
        int(betting.settled),
        here,
        len(raises) - here,
        raises[-1].seat + 1 if raises else 0,
    )


def of_seat(moments: Ints, first: At, seat: Ints) -> Ints:
    """Return what belongs to a seat in each moment."""
    found: Ints = moments[first + seat, np.arange(moments.shape[1])]
    return found


def raise_range(moments: Ints) -> tuple["Ints", "Ints"]:
    """Return the smallest and the largest bet that each actor may raise to; 0 where no raise is legal."""
    actor = moments[At.ACTOR]
    facing, limit = of_seat(moments, At.BET, 1 - actor), of_seat(moments, At.LIMIT, actor)
    other = of_seat(moments, At.LIMIT, 1 - actor)
    legal = (moments[At.OPEN] > 0) & (facing < limit) & (facing != other)
    return np.minimum(facing + moments[At.STEP], limit) * legal, limit * legal


def pot_to_win(moments: Ints) -> Ints:
    """Return the chips that each actor can win, as in `Betting.chips`."""
    actor = moments[At.ACTOR]
    facing, limit = of_seat(moments, At.BET, 1 - actor), of_seat(moments, At.LIMIT, actor)
    found: Ints = moments[At.POT] + moments[At.BET] + moments[At.BET + 1] - np.maximum(facing - limit, 0)
    return found


def chips_in(moments: Ints, deals: Deals, seat: Ints) -> Ints:
    """Return the chips that a seat has put in: what a fold costs it."""
    stacks = deals.stacks[moments[At.HAND], seat]
    found: Ints = stacks - of_seat(moments, At.LIMIT, seat) + of_seat(moments, At.BET, seat)
    return found


def edge(moments: Ints, deals: Deals) -> Floats:
    """Return twice seat 0's equity, less 1."""
    found: Floats = 2 * deals.equities[moments[At.HAND], moments[At.STREET]] - 1
    return found


def moved(moments: Ints, deals: Deals, kinds: Ints, amounts: Ints) -> tuple["Ints", "Flags", "Floats"]:
    """Return the moments after an action at each, where the betting is over, and what it is worth to seat 0 there.

    `amounts` are those that raises raise to. Moments at which it is over mean nothing.
    """
    after, every = moments.copy(), np.arange(moments.shape[1])
    actor = moments[At.ACTOR]
    other = 1 - actor
    facing, limit = of_seat(moments, At.BET, other), of_seat(moments, At.LIMIT, actor)
    other_limit = of_seat(moments, At.LIMIT, other)
    raised, called = kinds == RAISE, kinds == CALL
    bet = np.where(raised, amounts, of_seat(moments, At.BET, actor) + moments[At.CALL] * called)
    after[At.BET + actor, every] = bet
    after[At.ACTOR] = other
    after[At.CALL] = np.where(raised, np.minimum(bet, other_limit) - facing, 0)
    after[At.STEP] = np.where(raised, np.maximum(moments[At.STEP], bet - facing), moments[At.STEP])
    after[At.RAISES] += raised
    after[At.RAISER] = np.where(raised, actor + 1, moments[At.RAISER])
    after[At.OPEN] = np.where(raised, after[At.RAISES] < deals.cap, moments[At.OPEN])
    ends = called & ((moments[At.SETTLED] > 0) | (bet == limit) | (facing == other_limit))
    after[At.SETTLED] = 1
    shown = _next_street(after, deals, ends)
    folded = kinds == FOLD
    lost = chips_in(moments, deals, actor)
    worth = np.where(folded, np.where(actor > 0, lost, -lost), edge(after, deals) * after[At.POT] / 2)
    return after, folded | shown, worth


def _next_street(after: Ints, deals: Deals, ends: Flags) -> Flags:
    """Open the next street where one ends, and return where the betting is over then."""
    at = np.flatnonzero(ends)
    ended = after[:, at]
    matched = np.minimum(ended[At.BET], ended[At.BET + 1])
    ended[At.LIMIT] -= matched
    ended[At.LIMIT + 1] -= matched
    ended[At.POT] += 2 * matched
    shown = (ended[At.STREET] == _RIVER) | (ended[At.LIMIT] == 0) | (ended[At.LIMIT + 1] == 0)
    on = ~shown
    ended[At.STREET] += on
    ended[At.ACTOR] = 1 - deals.button[ended[At.HAND]]
    ended[At.BET] = ended[At.BET + 1] = ended[At.CALL] = 0
    ended[At.STEP] = deals.big_blind
    ended[At.OPEN], ended[At.SETTLED] = 1, 0
    ended[At.EARLIER] += ended[At.RAISES]
    ended[At.RAISES] = 0
    after[:, at] = ended
    found = np.zeros(after.shape[1], bool)
    found[at[shown]] = True
    return found
