"""Two ranges on a board, for the solver of a street: classes of hands, how often they meet, and what comes later.

On the river, hands are in classes by strength; before, in the buckets of the blueprint. What later streets bring is
seen on some boards of five cards: all rivers on the turn, and evenly spaced ones before.

All numbers are whole, so that every platform gets the same. Suits are named anew first, so that their names do not
matter where boards are chosen.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np

from molt_bench.plugins.reference.buckets import buckets, canonical, collides, preflop_buckets, renamed_holes
from molt_bench.plugins.reference.range_equity import HOLES, edges, hole_cards, hole_strengths, holes_with
from molt_bench.plugins.reference.tree import Array
from molt_bench.poker.cards import Board
from molt_bench.poker.equity import PREFLOP_WHOLE
from molt_bench.seeds import derive

#: Classes by strength on the river, and on each board that may come later.
CLASSES: Final = 64
LATER_CLASSES: Final = 12
#: Bets that stand for all betting on later streets, in percent of the pot, by the number of cards to come.
LATER_SIZES: Final = {1: (60, 150), 2: (100, 300), 5: (150, 600)}
#: How far apart turn and river are, in the order of the unseen cards: each step gives one board for each card.
_STEPS: Final = (11,)
#: Boards that stand for all before the flop.
_PREFLOP_BOARDS: Final = 40


class Later(NamedTuple):
    """What both ranges become on boards that may come.

    Attributes:
        weights: For each seat the weight of the hands of a class (rows) that are in a class by strength on each of the
            boards, weakest first: shape (classes, boards * `LATER_CLASSES`).
        boards: How many boards there are.
        per_pair: On how many of them a pair of hands can meet, on average.
        sizes: The bets that stand for all betting on later streets, in percent of the pot.
    """

    weights: tuple[Array, Array]
    boards: int
    per_pair: float
    sizes: tuple[int, ...]


class StreetCards(NamedTuple):
    """Two ranges on a board.

    Attributes:
        classes: The class of every hole, any for those with a card of the board.
        met: How often a class of seat 0 (rows) meets one of seat 1.
        ahead: The same, weighted by what seat 0 wins of 1 chip at a showdown.
        later: What comes later; None on the river.
    """

    classes: Array
    met: Array
    ahead: Array
    later: Later | None


def street_cards(board: Board, ranges: tuple[Array, Array]) -> StreetCards:
    """Return classes and meetings of two ranges: the weight of each hole of each seat, in whole numbers."""
    if not board:
        return _preflop()
    named, renamings = canonical(board)
    to_named = renamed_holes()[renamings[0]]
    first, second = np.zeros(HOLES), np.zeros(HOLES)
    first[to_named], second[to_named] = ranges
    possible = np.flatnonzero(~collides(named))
    weights = first[possible], second[possible]
    if len(board) == 5:
        strengths = hole_strengths(possible, np.array([named]))[:, 0]
        of_possible = strength_classes(strengths, weights[0] + weights[1], CLASSES)
    else:
        _, of_possible = np.unique(buckets(named)[possible], return_inverse=True)
    met = meetings(of_possible, hole_cards()[possible], weights)
    if len(board) == 5:
        order = np.arange(len(met))
        later, ahead = None, met * np.sign(order[:, None] - order[None, :])
    else:
        boards = later_boards(named)
        shown = _strengths(possible, boards)
        later = _later(of_possible, shown, weights, unseen=52 - len(board))
        ahead = _ahead(of_possible, possible, shown, weights) / later.per_pair
    classes = np.zeros(HOLES, np.int64)
    classes[possible] = of_possible
    return StreetCards(classes[to_named], met, ahead, later)


@cache
def _preflop() -> StreetCards:
    """Return the 169 classes of starting hands, all hands equally likely."""
    classes, every = preflop_buckets().astype(np.int64), np.ones(HOLES)
    sizes = np.bincount(classes)
    rows = []
    for each in range(len(sizes)):
        low, high = hole_cards()[int(np.flatnonzero(classes == each)[0])].tolist()
        won = np.rint(edges((high, low), ()) * PREFLOP_WHOLE)
        rows.append(np.bincount(classes, won) * sizes[each] / PREFLOP_WHOLE)
    cards = range(52)
    boards = np.array([sorted(cards, key=lambda card: derive("board", at, card))[:5] for at in range(_PREFLOP_BOARDS)])
    later = _later(classes, _strengths(np.arange(HOLES), boards), (every, every), unseen=52)
    return StreetCards(classes, meetings(classes, hole_cards(), (every, every)), np.array(rows), later)


def later_boards(named: tuple[int, ...]) -> Array:
    """Return boards of five that may follow: all after a turn, and after a flop those with every card equally often."""
    unseen = [card for card in range(52) if card not in named]
    if len(named) == 4:
        return np.array([(*named, river) for river in unseen])
    return np.array(
        [(*named, turn, unseen[(at + step) % len(unseen)]) for step in _STEPS for at, turn in enumerate(unseen)]
    )


def strength_classes(strengths: Array, weights: Array, count: int) -> Array:
    """Return the class of each hand, from weakest to strongest: at most `count`, of about the same weight each.

    Hands of equal strength share a class. Weights are whole numbers.
    """
    _, of_hand = np.unique(strengths, return_inverse=True)
    mass = np.bincount(of_hand, weights)
    below = np.cumsum(mass) - mass
    _, classes = np.unique(count * below // max(mass.sum(), 1.0), return_inverse=True)
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


def _strengths(holes: Array, boards: Array) -> Array:
    """Return the strengths of holes on boards of five, shape (boards, holes); -1 for those with a card of the board."""
    found = np.full((len(boards), len(holes)), -1, np.int16)
    for row, board in zip(found, boards, strict=True):
        free = np.flatnonzero(~holes_with()[board][:, holes].any(axis=0))
        row[free] = hole_strengths(holes[free], board[None])[:, 0]
    return found


@cache
def _apart() -> Array:
    """Return for all pairs of holes whether they share no card."""
    low, high = hole_cards().T
    shared = (low[:, None] == low) | (low[:, None] == high) | (high[:, None] == low) | (high[:, None] == high)
    found: Array = (~shared).astype(np.int8)
    return found


def _ahead(classes: Array, holes: Array, strengths: Array, ranges: tuple[Array, Array]) -> Array:
    """Return how much more often a class of seat 0 wins than it loses against one of seat 1, added up over boards."""
    wins = np.zeros((len(holes), len(holes)), np.int8)
    for own in strengths:
        wins += own[:, None] > np.where(own < 0, np.int16(1 << 14), own)[None]
    edge = (wins - wins.T) * _apart()[holes[:, None], holes]
    order = np.argsort(classes, kind="stable")
    starts = np.searchsorted(classes[order], np.arange(classes.max() + 1))
    # Whole numbers far below 2**53: sums are exact in any order.
    columns = np.add.reduceat((edge[order] * ranges[1])[:, order], starts, axis=1)
    found: Array = np.add.reduceat(columns * ranges[0][order][:, None], starts, axis=0)
    return found


def _later(classes: Array, strengths: Array, ranges: tuple[Array, Array], *, unseen: int) -> Later:
    """Put the hands into classes by strength on every board; `unseen` are the cards that are not on the table yet."""
    count, boards = int(classes.max()) + 1, len(strengths)
    both = ranges[0] + ranges[1]
    cells, held = [], []
    for at, own in enumerate(strengths):
        shown = np.flatnonzero(own >= 0)
        by_strength = strength_classes(own[shown], both[shown], LATER_CLASSES)
        cells.append((classes[shown] * boards + at) * LATER_CLASSES + by_strength)
        held.append(shown)
    where, who = np.concatenate(cells), np.concatenate(held)
    first, second = (
        np.bincount(where, each[who], count * boards * LATER_CLASSES).reshape(count, -1) for each in ranges
    )
    per_pair = float(boards)
    for card in range(unseen - 47):
        per_pair *= (unseen - 4 - card) / (unseen - card)
    return Later((first, second), boards, per_pair, LATER_SIZES[unseen - 47])
