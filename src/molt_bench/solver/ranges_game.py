"""A betting tree with two ranges and a board, solved by counterfactual regret minimisation on whole ranges.

Discounted CFR (Brown and Sandholm, 2019): the seats take turns, earlier regrets count less, and the average counts
later rounds more. As in CFR+ (Tammelin, 2014), regrets below 0 are forgotten. Strategies, regrets and values are arrays
of (points, boards, holes): one board on the first street, and on a later one a board for each way in which the cards up
to it can come. Points of the same depth and width are worked on together.

The same bytes come out everywhere with numpy: there are no matrix products, whose terms libraries add up in any order.
"""

from __future__ import annotations

from collections import defaultdict
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np

from molt_bench.poker.arrays import Array, Floats, Ints
from molt_bench.poker.cards import Board
from molt_bench.poker.range_equity import HOLES, holes_with
from molt_bench.solver.betting_tree import BettingTree
from molt_bench.solver.showdowns import Showdowns

#: Cards that neither seat holds and the table does not show, by the cards that it shows: the next one is any of these.
_UNSEEN: Final = {3: 45, 4: 44}
_WHOLE_BOARD: Final = 5
#: While a seat learns, the other takes every action of the first street at least this often. Otherwise nobody would
#: learn what to do after an action that is never taken, and its value would mean nothing.
_SLIP: Final = 1e-4


class _Group(NamedTuple):
    """Decisions of one seat at the same depth of a street, with the same number of actions."""

    seat: int
    points: Array  # their places on the street
    shape: tuple[int, int, int, int]  # decisions, actions, boards, holes
    first: int  # the place of the first child; children are together, decision by decision


class _Street:
    """The points of one street, by their places there: the children of decisions worked on together are together."""

    def __init__(self, tree: BettingTree, roots: list[int], boards: Ints, holes: int, arrays: Any) -> None:
        self.numbers = list(roots)
        self.unseen = _UNSEEN.get(boards.shape[1])
        self.groups: list[_Group] = []
        level = range(len(roots))
        while level:
            alike: dict[tuple[int, int], list[int]] = defaultdict(list)
            for place in level:
                point = tree.points[self.numbers[place]]
                if point.kind == "decision":
                    alike[point.seat, len(point.actions)].append(place)
            start = len(self.numbers)
            for (seat, width), places in sorted(alike.items()):
                shape = (len(places), width, len(boards), holes)
                self.groups.append(_Group(seat, arrays.asarray(places), shape, len(self.numbers)))
                for place in places:
                    self.numbers.extend(tree.points[self.numbers[place]].children)
            level = range(start, len(self.numbers))
        self.place_of = {number: place for place, number in enumerate(self.numbers)}
        kinds = [tree.points[number].kind for number in self.numbers]
        self.folds, self.showdowns, self.cards = (
            [place for place, kind in enumerate(kinds) if kind == wanted] for wanted in ("fold", "showdown", "card")
        )
        points = [tree.points[number] for number in self.numbers]
        #: For seat 0, what an end pays it by a fold, or at a showdown if it is ahead.
        self.fold_pays = np.array([points[at].stake * (-1 if points[at].seat == 0 else 1) for at in self.folds])
        self.showdown_pays = np.array([points[at].stake for at in self.showdowns])


class RangesGame:
    """What is left of a hand, for two ranges.

    Args:
        tree: The betting.
        board: Three cards to five.
        ranges: How likely each of the 1,326 holes of seat 0 and of seat 1 is, up to a factor.
        arrays: The library of the arrays: numpy, or one like it that computes elsewhere.
        precise: Whether to compute with 64 bits, not 32.

    Attributes:
        holes: The numbers of the holes that share no card with the board.
        rounds: How many rounds it was solved for.
    """

    showdowns = Showdowns

    def __init__(
        self,
        tree: BettingTree,
        board: Board,
        ranges: tuple[Floats, Floats],
        *,
        arrays: Any = None,
        precise: bool = True,
    ) -> None:
        self._arrays = arrays = np if arrays is None else arrays
        self._type = arrays.float64 if precise else arrays.float32
        self._tree = tree
        self.holes: Ints = np.flatnonzero(~holes_with()[list(board)].any(axis=0))
        count = len(self.holes)
        self._streets: list[_Street] = []
        self._held: list[Showdowns] = []
        #: Which holes can be held on which boards of the streets after the first.
        self._possible: list[Array] = []
        boards, roots = np.array([board]), [0]
        while True:
            street = _Street(tree, roots, boards, count, arrays)
            self._streets.append(street)
            over = boards.shape[1] == _WHOLE_BOARD
            self._held.append(self.showdowns(self.holes, boards if over else None, arrays))
            if over:
                break
            boards = _next_boards(boards)
            possible = ~np.array([holes_with()[each].any(axis=0)[self.holes] for each in boards[:, len(board) :]])
            self._possible.append(arrays.asarray(possible, self._type))
            roots = [tree.points[street.numbers[place]].children[0] for place in street.cards]
        self._roots = [arrays.asarray((each / each.max())[self.holes][None, None], self._type) for each in ranges]
        self._now = [[self._even(each.shape) for each in street.groups] for street in self._streets]
        self._regrets = [[arrays.zeros(each.shape, self._type) for each in street.groups] for street in self._streets]
        self._sums = [[arrays.zeros(each.shape, self._type) for each in street.groups] for street in self._streets]
        self.rounds = 0
        self._reaches = [self._reached(seat, self._now, slip=_SLIP) for seat in (0, 1)]

    def _even(self, shape: tuple[int, int, int, int]) -> Array:
        found: Array = self._arrays.full(shape, 1 / shape[1], self._type)
        return found

    def solve(self, rounds: int) -> None:
        """Go on for so many rounds."""
        for _ in range(rounds):
            self.rounds += 1
            for seat in (0, 1):
                self._learn(seat)

    def _learn(self, seat: int) -> None:
        """Update the regrets, the strategy and the average of one seat against the other's strategy of now."""
        self._values(seat, self._now, self._reaches[1 - seat], learn=True)
        self._reaches[seat] = self._reached(seat, self._now, slip=_SLIP)

    def _reached(self, seat: int, strategy: list[list[Array]], *, slip: float = 0.0) -> list[Array]:
        """Return how likely the seat holds each hole and plays to each point, for each street.

        On the first street every action is taken by mistake with the chance `slip`.
        """
        found: list[Array] = []
        for at, street in enumerate(self._streets):
            if not at:
                first = self._roots[seat]
            else:
                before = found[at - 1][street_places(self._arrays, self._streets[at - 1].cards)]
                possible = self._possible[at - 1]
                first = self._arrays.repeat(before, len(possible) // before.shape[1], axis=1)
                first *= possible
            reach = self._arrays.empty((len(street.numbers), *first.shape[1:]), self._type)
            reach[: len(first)] = first
            for group, chances in zip(street.groups, strategy[at], strict=True):
                own = chances if group.seat == seat else None
                self._pass_down(reach, group, own, slip=0.0 if at else slip)
            found.append(reach)
        return found

    def _pass_down(self, reach: Array, group: _Group, chances: Array | None, *, slip: float) -> None:
        """Write how likely a seat plays to what follows some decisions; its chances are None where the other acts."""
        count, width = group.shape[:2]
        children = reach[group.first : group.first + count * width].reshape(group.shape)
        children[...] = reach[group.points][:, None]
        if chances is not None:
            children *= chances * (1 - width * slip) + slip if slip else chances

    def _values(
        self, seat: int, strategy: list[list[Array]], theirs: list[Array], *, learn: bool = False, best: bool = False
    ) -> Array:
        """Return what each hole of a seat wins at each point of the first street.

        It is weighted by how likely the other seat plays to it. With `learn`, regrets and averages are updated on the
        way; with `best`, the seat plays what is best.
        """
        arrays = self._arrays
        values: Array
        later: Array | None = None
        for at in reversed(range(len(self._streets))):
            street, reach = self._streets[at], theirs[at]
            values = arrays.empty_like(reach)
            self._fill_endings(seat, at, reach, values)
            if later is not None:
                below = later[: len(street.cards)] * self._possible[at]
                below = below.reshape(len(street.cards), values.shape[1], -1, values.shape[2])
                values[street_places(arrays, street.cards)] = below.sum(axis=2) / street.unseen
            for number in reversed(range(len(street.groups))):
                group = street.groups[number]
                count, width = group.shape[:2]
                below = values[group.first : group.first + count * width].reshape(group.shape)
                if group.seat != seat:
                    values[group.points] = _added(below)
                elif best:
                    values[group.points] = below.max(axis=1)
                elif learn:
                    values[group.points] = self._update(at, number, below)
                else:
                    values[group.points] = _added(below * strategy[at][number])
            later = values
        return values

    def _update(self, at: int, number: int, below: Array) -> Array:
        """Update the regrets, the strategy and the average at some decisions; return what they were worth before."""
        group, arrays = self._streets[at].groups[number], self._arrays
        now, regrets = self._now[at][number], self._regrets[at][number]
        mean = _added(below * now)
        own = self._reaches[group.seat][at][group.points][:, None]
        before, after = float(self.rounds - 1), float(self.rounds)
        kept = before * sqrt(before)  # to the power of 1.5, alike on every platform
        sums = self._sums[at][number]
        sums *= (before / after) * (before / after) * (before / after) * (before / after)
        sums += now * own
        regrets *= kept / (kept + 1)
        regrets += below
        regrets -= mean[:, None]
        arrays.maximum(regrets, 0, out=regrets)
        self._now[at][number] = self._shares(regrets, group.shape)
        return mean

    def _shares(self, amounts: Array, shape: tuple[int, int, int, int]) -> Array:
        """Return amounts as shares of their sum over the actions; even ones where it is 0."""
        whole = _added(amounts)[:, None]
        none = (whole == 0).astype(self._type)
        found: Array = (amounts + none * (1 / shape[1])) / (whole + none)
        return found

    def _fill_endings(self, seat: int, at: int, reach: Array, values: Array) -> None:
        """Write what each hole wins at the ends of a street."""
        street, arrays, held = self._streets[at], self._arrays, self._held[at]
        sign = 1 if seat == 0 else -1
        if street.folds:
            places = street_places(arrays, street.folds)
            pays = arrays.asarray(sign * street.fold_pays, self._type)[:, None, None]
            values[places] = held.won_by_folds(reach[places]) * pays
        if street.showdowns:
            places = street_places(arrays, street.showdowns)
            pays = arrays.asarray(street.showdown_pays, self._type)[:, None, None]
            values[places] = held.won_at_showdown(reach[places]) * pays

    def average(self) -> list[list[Array]]:
        """Return the average strategy, street by street and group by group."""
        return [
            [self._shares(sums, group.shape) for sums, group in zip(of_street, street.groups, strict=True)]
            for of_street, street in zip(self._sums, self._streets, strict=True)
        ]

    def solution(self) -> Solution:
        """Return what the average strategies do and are worth."""
        average = self.average()
        reaches = [self._reached(seat, average) for seat in (0, 1)]
        values = [self._values(seat, average, reaches[1 - seat]) for seat in (0, 1)]
        best = [self._values(seat, average, reaches[1 - seat], best=True) for seat in (0, 1)]
        whole = float((self.met(self._roots[1]) * self._roots[0]).sum())
        gain = sum(float(((best[seat][0] - values[seat][0]) * self._roots[seat]).sum()) for seat in (0, 1)) / whole
        return Solution(self, average[0], values, best, [each[0] for each in reaches], max(0.0, gain / 2))

    def place(self, number: int) -> Place:
        """Return where a decision of the first street is."""
        street = self._streets[0]
        place = street.place_of[number]
        for at, group in enumerate(street.groups):
            rows = self.on_host(group.points).tolist()
            if place in rows:
                row, width = rows.index(place), group.shape[1]
                return Place(place, at, row, slice(group.first + row * width, group.first + (row + 1) * width))
        raise KeyError(number)

    def met(self, weights: Array) -> Array:
        """Return for each hole the weight of the other seat's holes that share no card with it; 1 where it is 0."""
        found = self.weight(weights)
        positive: Array = self._arrays.where(found > 0, found, 1)
        return positive

    def weight(self, weights: Array) -> Array:
        """Return for each hole the weight of the other seat's holes that share no card with it."""
        return self._held[0].won_by_folds(weights)

    def on_host(self, array: Array) -> Any:
        """Return an array as one of numpy."""
        return self._arrays.asnumpy(array) if hasattr(self._arrays, "asnumpy") else array


class Place(NamedTuple):
    """Where a decision is: its place on the street, its group, its row there, and the places of its children."""

    place: int
    group: int
    row: int
    children: slice


class Solution(NamedTuple):
    """What the average strategies of a game do on its first street, and what that is worth.

    Attributes:
        game: The game.
        average: The strategies, group by group.
        values: For each seat what holes win at each point if both play so.
        best: The same if the seat plays a best response.
        reaches: For each seat how likely it holds each hole and plays to each point.
        exploitability: What a best response gains, on average over both seats, in chips.
    """

    game: RangesGame
    average: list[Array]
    values: list[Array]
    best: list[Array]
    reaches: list[Array]
    exploitability: float

    def chances(self, number: int) -> Floats:
        """Return the chance of each action at a decision of the first street, a row for each of the 1,326 holes."""
        at = self.game.place(number)
        return self._every(self.average[at.group][at.row, :, 0])

    def action_values(self, number: int, seat: int, *, best: bool = False) -> Floats:
        """Return what each action at a decision of `seat` wins in the whole hand, in chips: a row for each hole.

        Both go on by the solution; with `best`, the seat goes on by what is best against it.
        """
        at = self.game.place(number)
        values = (self.best if best else self.values)[seat][at.children, 0]
        return self._every(values / self.game.met(self.reaches[1 - seat][at.place : at.place + 1])[0])

    def reached(self, number: int, seat: int) -> Floats:
        """Return how often the other seat plays to a decision of the first street, for each hole of `seat`."""
        at, other = self.game.place(number).place, self.reaches[1 - seat]
        here, whole = (self.game.weight(other[place : place + 1]) for place in (at, 0))
        return self._every(here[0] / self.game.met(other[:1])[0] * (whole[0] > 0))[:, 0]

    def _every(self, rows: Array) -> Floats:
        found = np.zeros((HOLES, len(rows)))
        found[self.game.holes] = self.game.on_host(rows).T
        return found


def _next_boards(boards: Ints) -> Ints:
    """Return every board with each card that may come next, board by board."""
    found = [[*board, card] for board in boards.tolist() for card in range(52) if card not in board]
    return np.array(found)


def street_places(arrays: Any, places: list[int]) -> Array:
    """Return places as an array that indexes another."""
    found: Array = arrays.asarray(places)
    return found


def _added(amounts: Array) -> Array:
    """Return the sum over the actions, added up in their order."""
    found = amounts[:, 0]
    for at in range(1, amounts.shape[1]):
        found = found + amounts[:, at]
    return found
