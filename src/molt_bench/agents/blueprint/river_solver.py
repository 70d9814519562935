"""Solves the betting on a river for two ranges, by counterfactual regret minimisation.

Hands of a seat are put into classes by strength; all hands of a class play alike. The algorithm is CFR+ (Tammelin,
2014) with the averages weighted by the number of the round, on the sequence form: one row for each sequence of a
seat's own actions. A round costs a few matrix products.

The same bytes come out everywhere. Matrix products, whose terms libraries add up in any order, are of whole numbers
below 2**53, so that every order gives the same sum. All else goes number by number, or adds up a few rows in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from molt_bench.agents.blueprint.river_tree import RiverTree
from molt_bench.lazy_import import lazy_import

if TYPE_CHECKING:
    import numpy as np

    from molt_bench.agents.blueprint.tree import Array
else:
    np = lazy_import("numpy")

ROUNDS: Final = 60
CLASSES: Final = 64
#: The range of whole numbers that stand for chances of reaching a point, for how often classes meet, and for chips.
_REACH: Final = 1 << 12
_MEETINGS: Final = 1 << 12
_CHIPS: Final = 1 << 14


def strength_classes(strengths: Array, weights: Array) -> Array:
    """Return the class of each hand, from weakest to strongest: at most `CLASSES`, of about the same weight each.

    Hands of equal strength share a class. Weights are whole numbers.
    """
    _, of_hand = np.unique(strengths, return_inverse=True)
    mass = np.bincount(of_hand, weights)
    below = np.cumsum(mass) - mass
    _, classes = np.unique(CLASSES * below // mass.sum(), return_inverse=True)
    found: Array = classes[of_hand]
    return found


def meetings(classes: Array, cards: Array, ranges: tuple[Array, Array]) -> Array:
    """Return how often a class of seat 0 meets one of seat 1: the products of weights of hands that share no card.

    The ranges are the weights of the hands of each seat, in whole numbers.
    """
    count = int(classes.max()) + 1
    weight, with_card = [], []
    for each in ranges:
        weight.append(np.bincount(classes, each, count))
        cells = (52 * classes[:, None] + cards).ravel()
        with_card.append(np.bincount(cells, np.repeat(each, 2), 52 * count).reshape(count, 52))
    # Pairs that share one card are taken away; a pair of the same two cards twice, so it is given back once.
    found: Array = np.outer(*weight) - with_card[0] @ with_card[1].T
    found[np.diag_indices(count)] += np.bincount(classes, ranges[0] * ranges[1], count)
    return found


class _Seat:
    """One seat's decisions, by the number of own actions before them, and its strategy so far.

    Rows are sequences of own actions: row 0 is none, then as many rows for each decision as any has actions.

    Attributes:
        rows: How many there are.
        reach: For each row how likely the seat plays so now, by class.
    """

    def __init__(self, tree: RiverTree, seat: int, classes: int) -> None:
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

    def ending_rows(self, tree: RiverTree, seat: int) -> list[int]:
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

    def learn(self, worth: Array, turn: int) -> None:
        """Update regrets and averages from what each row is worth by the endings that follow it directly."""
        below = worth[1:].reshape(self.now.shape)
        value = np.zeros((len(self.now), self.now.shape[2]))
        for level in reversed(self.levels):
            found = (self.now[level] * below[level]).sum(axis=1)
            value[level] = found
            np.add.at(worth, self.above[level], found)
        self.sums += turn * self.now * self.reach[self.above][:, None]
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


def solve(tree: RiverTree, met: Array) -> Array:
    """Return the strategy at the current decision of a tree: a row for each class, the chances of its actions.

    `met` says how often a class of seat 0 (rows) meets a class of seat 1, both from weakest to strongest.
    """
    count = len(met)
    order = np.arange(count)
    ahead = np.sign(order[:, None] - order[None, :])
    seats = [_Seat(tree, seat, count) for seat in (0, 1)]
    rows = [each.ending_rows(tree, seat) for seat, each in enumerate(seats)]
    most = max([ending.stake for ending in tree.endings])
    chips = [_CHIPS * ending.stake // most for ending in tree.endings]
    games = []
    for seat in (0, 1):
        # A seat's rows may be scaled one by one: its strategy stays the same.
        mine = met if seat == 0 else met.T
        scaled = np.floor(mine * _MEETINGS / mine.max(axis=1, keepdims=True))
        won = np.zeros((2, seats[seat].rows, seats[1 - seat].rows))
        for at, ending in enumerate(tree.endings):
            shown = ending.folded < 0
            sign = -1 if ending.folded == seat else 1
            won[int(shown), rows[seat][at], rows[1 - seat][at]] += sign * chips[at]
        # Seat 1 is ahead where seat 0 is behind, and rows are its own classes in both cases.
        games.append((won, scaled.T, (scaled * ahead).T))
    for turn in range(1, ROUNDS + 1):
        for seat, (won, folds, shows) in enumerate(games):
            theirs = np.floor(seats[1 - seat].reach * _REACH)
            worth = won[0] @ (theirs @ folds) + won[1] @ (theirs @ shows)
            seats[seat].learn(worth, turn)
    acting = tree.decisions[tree.current]
    found: Array = seats[acting.seat].average(tree.current)[: len(acting.actions)].T
    return found
