"""Whole ranges of hands on some boards, for `local_best_response.py`: what a bot does with them, and who is ahead."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import Any

import msgspec
import numpy as np

from molt_bench.plugins.reference.range_equity import edges, hole_cards, hole_strengths, holes_with
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.mix import Mix, RaiseRange
from molt_bench.poker.observation import Observation

#: All hands of two cards, by their number.
HOLES: tuple[Hole, ...] = tuple((low, high) for low, high in hole_cards().tolist())
#: Turns of a deck, and rivers of each.
TURNS, RIVERS = 2, 4


def without(cards: Sequence[int]) -> Any:
    """Return which hands hold none of these cards."""
    return ~holes_with()[list(cards)].any(axis=0)


def range_policy(agent: Any, seen: Observation) -> tuple[list[Action], Any]:
    """Return a bot's actions at a decision, and their probabilities for each hand it could hold."""
    published = getattr(agent, "range_policy", None)
    if published is not None:
        found = published(seen)
        return [*found.actions], np.asarray(found.chances)
    rows: list[dict[Action, float]] = []
    for hole, possible in zip(HOLES, without(seen.board), strict=True):
        rows.append(_chances(agent.act(msgspec.structs.replace(seen, cards=hole))) if possible else {})
    actions = list(dict.fromkeys(action for row in rows for action in row))
    return actions, np.array([[row.get(action, 0.0) for action in actions] for row in rows])


def _chances(answer: Action | Mix) -> dict[Action, float]:
    """Return how likely each action of an answer is; the middle of a range stands for all of it."""
    if isinstance(answer, Action):
        return {answer: 1.0}
    found: dict[Action, float] = {}
    for entry, weight in answer.entries:
        action = Action.raise_to((entry.low + entry.high) // 2) if isinstance(entry, RaiseRange) else entry
        found[action] = found.get(action, 0.0) + weight / answer.total
    return found


def met(weights: Any) -> Any:
    """Return for each hand the weight of all hands that share no card with it."""
    by_card = holes_with() @ weights
    low, high = hole_cards().T
    return np.maximum(weights.sum() - by_card[low] - by_card[high] + weights, 0.0)


def times(matrix: Any, weights: Any) -> Any:
    """Return a product, with the 32 bits of the matrix: with 64 it would be copied each time."""
    return (matrix @ weights.astype(np.float32)).astype(np.float64)


class Deck:
    """Some boards, and what every hand wins from every other on each of them for 1 chip, without more bets.

    Boards share a flop; it has some turns, and each of these some rivers.
    """

    def __init__(self, cards: Sequence[int]) -> None:
        self._cards = tuple(cards)
        self._edges: dict[Board, Any] = {}

    def after(self, board: Board) -> list[Board]:
        """Return the boards that follow one: each is as likely as any other, given what is on the table."""
        if not board:
            return [self._cards[:3]]
        if len(board) == 3:
            return [(*board, card) for card in self._cards[3 : 3 + TURNS]]
        first = 3 + TURNS + RIVERS * (self._cards.index(board[3]) - 3)
        return [(*board, card) for card in self._cards[first : first + RIVERS]]

    def edges(self, board: Board) -> Any:
        """Return what each hand (row) wins from each other on average; 0 where they share a card."""
        if not board:
            return _preflop_edges()
        if board not in self._edges:
            self._edges[board] = _edges_on(board)
        return self._edges[board]


@cache
def _preflop_edges() -> Any:
    return np.array([edges((high, low), ()) for low, high in HOLES], np.float32)


@cache
def _apart() -> Any:
    """Return for all pairs of hands whether they share no card."""
    return np.array([without(hole) for hole in HOLES])


def _edges_on(board: Board) -> Any:
    holes = np.flatnonzero(without(board))
    rest = [card for card in range(52) if card not in board]
    wins = np.zeros((len(holes), len(holes)), np.int16)
    for drawn in combinations(rest, 5 - len(board)):
        free = without(drawn)[holes]
        own = np.full(len(holes), -1, np.int16)
        own[free] = hole_strengths(holes[free], np.array([(*board, *drawn)]))[:, 0]
        wins += own[:, None] > np.where(free, own, np.int16(1 << 14))[None]
    found = np.zeros((len(HOLES), len(HOLES)), np.float32)
    runouts = comb(48 - len(board), 5 - len(board))
    found[np.ix_(holes, holes)] = (wins - wins.T) * _apart()[np.ix_(holes, holes)] / np.float32(runouts)
    return found
