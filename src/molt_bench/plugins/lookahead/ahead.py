"""Looking ahead from drawn decisions: their true odds first, stand-ins after them, all of them at once.

The luck of a draw is the value of what was drawn minus the mean value of what could have been drawn. Its mean is 0 for
any values that were fixed before the draw. So a value may know all cards of the hand, also those to come, and stand-ins
that were fitted to earlier rounds; it never depends on what was drawn in its own match. The stand-ins decide how much
luck is removed, never what is left on average.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import At, Deals, chips_in, edge, moved
from molt_bench.plugins.lookahead.classes import KINDS, amounts_of
from molt_bench.plugins.lookahead.learned import StandIns
from molt_bench.plugins.lookahead.visited import Visited
from molt_bench.poker.arrays import Floats, Ints

#: What is less likely than this, given the decision that is looked at, is not looked into.
_LEAST_CHANCE: Final = 0.001
#: Decisions that are looked ahead from together.
_TOGETHER: Final = 200
#: What a change of equity is worth of the pot before it, by street from the flop on: without a raise on the street
#: before, and with one.
_DEALS: Final = ((1.0, 1.3, 1.3), (1.5, 1.8, 1.8))


class _Actions(NamedTuple):
    """Actions that may be taken at some moments.

    Attributes:
        at: The place of the moment.
        classes: The class of each.
        amounts: What a raise is to.
        chances: How likely each is.
    """

    at: Ints
    classes: Ints
    amounts: Ints
    chances: Floats


class _Level(NamedTuple):
    """Actions, what they are worth to seat 0, and which of them are looked into."""

    at: Ints
    chances: Floats
    worth: Floats
    further: Ints


def surpluses(played: Visited, stand_ins: StandIns) -> Floats:
    """Return for every decision the mean over possible draws minus the actual draw, in chips of seat 0; 0 if none."""
    found = np.zeros(len(played.stated))
    known = np.flatnonzero(played.stated)
    for start in range(0, len(known), _TOGETHER):
        some = known[start : start + _TOGETHER]
        first = _listed(played.chances[some], played.amounts[some])
        worth = _worth(_levels(played.moments[:, some], first, played.deals, stand_ins))
        drawn = first.classes == played.done[some][first.at]
        found[some] = np.bincount(first.at, (first.chances - drawn) * worth, len(some))
    return found


def _levels(moments: Ints, actions: _Actions, deals: Deals, stand_ins: StandIns) -> list[_Level]:
    """Follow actions, and what may come after them, until it is over or too unlikely."""
    levels = []
    reached = np.ones(moments.shape[1])
    while True:
        before = moments[:, actions.at]
        after, over, ended = moved(before, deals, np.array(KINDS)[actions.classes], actions.amounts)
        reached = reached[actions.at] * actions.chances
        worth = np.where(over, ended, _guess(after, deals))
        opened = np.flatnonzero(~over & (after[At.STREET] != before[At.STREET]))
        luck = np.zeros(len(worth))
        luck[opened] = _luck(before[:, opened], after[:, opened], deals)
        further = np.flatnonzero(~over & (reached >= _LEAST_CHANCE))
        worth[further] = 0.0
        worth -= luck
        levels.append(_Level(actions.at, actions.chances, worth, further))
        if not len(further):
            return levels
        moments, reached = after[:, further], reached[further]
        actions = _listed(stand_ins.odds(moments, deals), amounts_of(moments))


def _listed(chances: Floats, amounts: Ints) -> _Actions:
    """Return classes as actions; those that are not likely at all are left out."""
    at, classes = np.nonzero(chances)
    return _Actions(at, classes, amounts[at, classes], chances[at, classes])


def _worth(levels: Sequence[_Level]) -> Floats:
    """Return what each of the first actions is worth, from what the last ones are."""
    worth = levels[-1].worth
    for level, below in zip(levels[-2::-1], levels[:0:-1], strict=True):
        means = np.bincount(below.at, below.chances * worth, len(level.further))
        worth = level.worth
        worth[level.further] += means
    return worth


def _guess(moments: Ints, deals: Deals) -> Floats:
    """Return what moments are worth if the seat to act calls where its equity pays, and no seat bets after that."""
    seat, call = moments[At.ACTOR], moments[At.CALL]
    paid, other = chips_in(moments, deals, seat), chips_in(moments, deals, 1 - seat)
    called = edge(moments, deals) * np.minimum(paid + call, other)
    folded = np.where(seat > 0, np.minimum(called, paid), np.maximum(called, -paid))
    found: Floats = np.where(call > 0, folded, called)
    return found


def _luck(before: Ints, after: Ints, deals: Deals) -> Floats:
    """Return about the luck of the cards that opened streets, which the core takes out."""
    hand, street = after[At.HAND], after[At.STREET]
    weights = np.array(_DEALS)[(before[At.RAISES] > 0).astype(np.int64), street - 1]
    found: Floats = weights * after[At.POT] * (deals.equities[hand, street] - deals.equities[hand, street - 1])
    return found
