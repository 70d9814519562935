"""Solves the betting on a street for two ranges, by counterfactual regret minimisation.

All hands of a class play alike (`street_cards.py`). The algorithm is CFR+ (Tammelin, 2014) with the averages weighted
by the square of the round's number, on the sequence form: one row for each sequence of a seat's own actions. A round
costs a few matrix products. What later streets add is learnt at the same time (`later_betting.py`).

The same bytes come out everywhere. Matrix products, whose terms libraries add up in any order, are of whole numbers
below 2**53, so that every order gives the same sum. All else goes number by number, or adds up a few rows in order.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from molt_bench.plugins.reference.later_betting import LaterBetting
from molt_bench.plugins.reference.street_cards import StreetCards
from molt_bench.plugins.reference.street_tree import StreetTree
from molt_bench.plugins.reference.tree import Array

#: The range of whole numbers that stand for chances of reaching a point, for how often classes meet, and for chips.
_REACH: Final = 1 << 12
_MEETINGS: Final = 1 << 12
_CHIPS: Final = 1 << 14


class _Seat:
    """One seat's decisions, by the number of own actions before them, and its strategy so far.

    Rows are sequences of own actions: row 0 is none, then as many rows for each decision as any has actions.

    Attributes:
        rows: How many there are.
        reach: For each row how likely the seat plays so now, by class.
    """

    def __init__(self, tree: StreetTree, seat: int, classes: int) -> None:
        own = [at for at, each in enumerate(tree.decisions) if each.seat == seat]
        self.index = {number: at for at, number in enumerate(own)}
        self.width = max([len(tree.decisions[at].actions) for at in own], default=1)
        befores = [tree.decisions[at].before[seat] for at in own]
        self.above = np.array([self._row(before) for before in befores], np.int64)
        self.rows = 1 + len(own) * self.width
        offered = np.zeros((len(own), self.width, 1))
        for at, number in enumerate(own):
            offered[at, : len(tree.decisions[number].actions)] = 1
        self.offered = offered
        self.even = offered / np.maximum(offered.sum(axis=1, keepdims=True), 1)
        self.now = np.repeat(self.even, classes, axis=2)
        self.regrets = np.zeros_like(self.now)
        self.sums = np.zeros_like(self.now)
        self.levels = self._levels()
        self.reach = self._reach()

    def _row(self, step: Any) -> int:
        return 1 + self.index[step.decision] * self.width + step.action if step else 0

    def ending_rows(self, tree: StreetTree, seat: int) -> list[int]:
        """Return the row that each ending belongs to."""
        return [self._row(ending.before[seat]) for ending in tree.endings]

    def _levels(self) -> list[Array]:
        """Return the decisions with no own action before, then those with one, and so on."""
        depth: list[int] = []
        for above in self.above.tolist():
            depth.append(depth[(above - 1) // self.width] + 1 if above else 0)
        return [np.flatnonzero(np.array(depth) == level) for level in range(max(depth, default=-1) + 1)]

    def _reach(self) -> Array:
        """Return for each row how likely the seat plays so, by class."""
        found = np.ones((self.rows, self.now.shape[2]))
        below = found[1:].reshape(self.now.shape)
        for level in self.levels:
            below[level] = self.now[level] * found[self.above[level]][:, None]
        return found

    def learn(self, worth: Array, weight: int) -> None:
        """Update regrets and averages from what each row is worth by the endings that follow it directly.

        The average counts what is played now with a weight.
        """
        below = worth[1:].reshape(self.now.shape)
        value = np.zeros((len(self.now), self.now.shape[2]))
        for level in reversed(self.levels):
            found = (self.now[level] * below[level]).sum(axis=1)
            value[level] = found
            np.add.at(worth, self.above[level], found)
        self.sums += weight * self.now * self.reach[self.above][:, None]
        self.regrets = np.maximum(self.regrets + (below - value[:, None]) * self.offered, 0.0)
        self.now = _shares(self.regrets, self.even)
        self.reach = self._reach()

    def average(self, number: int) -> Array:
        """Return the average strategy at a decision of the tree: for each class the chance of each action."""
        at = self.index[number]
        found: Array = _shares(self.sums[at : at + 1], self.now[at : at + 1])[0]
        return found


def _shares(amounts: Array, otherwise: Array) -> Array:
    """Return amounts as shares of their sum over the actions; where it is 0, something else."""
    whole = amounts.sum(axis=1, keepdims=True)
    none = whole == 0
    found: Array = amounts / (whole + none)
    np.copyto(found, otherwise, where=none)
    return found


class _Game:
    """What one seat learns from: what its rows are worth against the rows of the other seat."""

    def __init__(self, tree: StreetTree, seat: int, seats: list[_Seat], cards: StreetCards, chips: list[int]) -> None:
        # A seat's rows may be scaled one by one: its strategy stays the same.
        met, ahead = (cards.met, cards.ahead) if seat == 0 else (cards.met.T, -cards.ahead.T)
        most = np.maximum(met.max(axis=1, keepdims=True), 1.0)
        self._scale = _MEETINGS / most
        # Seat 1 is ahead where seat 0 is behind, and rows are its own classes in both cases.
        self._folds, self._shows = (np.trunc(each * _MEETINGS / most).T for each in (met, ahead))
        own, other = (np.array(seats[each].ending_rows(tree, each)) for each in (seat, 1 - seat))
        folded = np.array([ending.folded for ending in tree.endings])
        signed = np.where(folded == seat, -1.0, 1.0)[:, None] * np.array(chips)[:, None]
        ended, shown = np.flatnonzero(folded >= 0), np.flatnonzero(folded < 0)
        going = np.flatnonzero([ending.behind > 0 for ending in tree.endings])
        #: The rows of both seats that lead to folds and to showdowns, and the chips that are won there.
        self._ends = [(own[each], other[each], signed[each]) for each in (ended, shown)]
        self._going = own[going], other[going]
        self._seat, self._rows, self._other = seat, seats[seat].rows, seats[1 - seat]

    def worth(self, later: LaterBetting | None, slips: int) -> Array:
        """Return what each of the seat's rows is worth by the endings that follow it directly, by class."""
        theirs = np.floor(self._other.reach * (_REACH - slips)) + slips
        found = np.zeros((self._rows, self._folds.shape[1]))
        for (own, other, chips), meetings in zip(self._ends, (self._folds, self._shows), strict=True):
            np.add.at(found, own, chips * (theirs[other] @ meetings))
        if later is not None:
            own, other = self._going
            np.add.at(found, own, later.learn(self._seat, theirs[other]) * self._scale.T)
        return found


def solve(
    tree: StreetTree, cards: StreetCards, *, first: int, rounds: int, power: int = 2, slips: int = 1
) -> list[Array]:
    """Return the strategy at every decision of a tree: a row for each class, the chances of its actions.

    Args:
        tree: The betting.
        cards: Both ranges.
        first: The seat that acts first on later streets.
        rounds: How many rounds are played.
        power: A round counts in the average with its number to this power.
        slips: How often in 4,096 a seat is taken to do anything, so that answers to unusual actions are learnt, too.
    """
    most = max([ending.stake + ending.behind for ending in tree.endings])
    chips = [_CHIPS * ending.stake // most for ending in tree.endings]
    seats = [_Seat(tree, seat, len(cards.met)) for seat in (0, 1)]
    games = [_Game(tree, seat, seats, cards, chips) for seat in (0, 1)]
    going = [(_CHIPS * each.stake // most, _CHIPS * each.behind // most) for each in tree.endings if each.behind]
    later = LaterBetting(cards.later, *np.array(going).T, first=first) if cards.later and going else None
    for turn in range(1, rounds + 1):
        for seat, game in zip(seats, games, strict=True):
            seat.learn(game.worth(later, slips), turn**power)
    return [seats[each.seat].average(at)[: len(each.actions)].T for at, each in enumerate(tree.decisions)]
