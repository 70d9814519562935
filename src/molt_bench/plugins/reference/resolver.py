"""`resolver`: solves the betting of every street when it comes to it.

At the start of a street both ranges are known: how likely each hand is, if both seats have played the solutions of the
streets before. The betting is solved for these two ranges, with few sizes for the seat that is played for, many for the
other, and whatever was really bet. The probabilities depend on what both seats know and on nothing else.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from molt_bench.errors import ConfigError
from molt_bench.plugins.reference.agent import BlueprintAgent, RangePolicy
from molt_bench.plugins.reference.buckets import collides
from molt_bench.plugins.reference.range_equity import HOLES, hole_number
from molt_bench.plugins.reference.state import PublicState, public_state
from molt_bench.plugins.reference.street_cards import street_cards
from molt_bench.plugins.reference.street_solver import solve
from molt_bench.plugins.reference.street_tree import StreetTree, sizes_for
from molt_bench.plugins.reference.tree import Array
from molt_bench.poker.actions import Action
from molt_bench.poker.arrays import Floats
from molt_bench.poker.observation import Observation

#: Rounds of solving a street, unless its params say otherwise.
ROUNDS: Final = 40
#: The weight of the likeliest hand of a range, in whole numbers. No hand has less than 1.
_HEAVIEST: Final = 1024
#: Chance that the other seat does anything with any hand.
_ODD: Final = 0.01


class ResolverAgent(BlueprintAgent):
    """Solves the betting of each street with the real bets in it; stronger than `blueprint`, and slower."""

    kind = "resolver"
    takes = (*BlueprintAgent.takes, "rounds")

    def __init__(self, *, name: str = "", rounds: int = ROUNDS) -> None:
        if type(rounds) is not int or rounds < 1:
            raise ConfigError("rounds", rounds, "a whole number, at least 1")
        super().__init__(name=name)
        self._rounds = rounds

    def odds(self, observation: Observation) -> list[tuple[Action, float]]:
        """Return every action with its probability, 0 included."""
        found = self.decided(observation)
        if found is None:
            return super().odds(observation)
        chances = found.chances[found.classes[hole_number(observation.cards)]]
        return list(zip(found.actions, chances.tolist(), strict=True))

    def range_policy(self, observation: Observation) -> RangePolicy:
        """Return the probabilities of every hole that the seat to act could hold: those of `odds`, bit by bit."""
        found = self.decided(observation)
        if found is None:
            return super().range_policy(observation)
        return RangePolicy(found.actions, found.chances[found.classes])

    def decided(self, observation: Observation) -> Decided | None:
        """Return what the seat to act does with every class of hands; None if the table says it."""
        state, seat = public_state(observation), observation.seat
        start, real = state.split(observation.street)
        if observation.max_raise_to or not state.hand().raise_range()[1]:
            solved = _solved_with(start, real, seat, self._rounds)
        else:  # a hand that takes too long ends without raises, which only the observation knows
            solved = _solved(start, real, seat, self._rounds, can_raise=False)
        at = solved.tree.follow(real)
        return Decided(solved.tree.decisions[at].actions, solved.classes, solved.strategies[at])


class Decided(NamedTuple):
    """What the seat to act does."""

    actions: tuple[Action, ...]
    classes: Array  # of every hole; any for holes with a card of the board
    chances: Floats  # for each class, of each action


class _Solved(NamedTuple):
    """A street that was solved for one seat."""

    tree: StreetTree
    classes: Array
    strategies: list[Array]  # of every decision: a row for each class


def _solved_with(start: PublicState, real: tuple[Action, ...], seat: int, rounds: int) -> _Solved:
    """Solve a street with all of the real actions in its tree; only those that it lacks are added."""
    for count in range(len(real)):
        if _tree(start, real[:count], seat).follow(real) >= 0:
            return _solved(start, real[:count], seat, rounds, can_raise=True)
    return _solved(start, real, seat, rounds, can_raise=True)


@lru_cache(maxsize=1024)
def _tree(start: PublicState, real: tuple[Action, ...], seat: int, *, can_raise: bool = True) -> StreetTree:
    hand = start.hand()
    return StreetTree(hand, sizes_for(hand.street, seat), real, can_raise=can_raise)


@lru_cache(maxsize=1024)
def _solved(start: PublicState, real: tuple[Action, ...], seat: int, rounds: int, *, can_raise: bool) -> _Solved:
    """Solve a street; remembered, since it is asked for more than once."""
    tree = _tree(start, real, seat, can_raise=can_raise)
    cards = street_cards(start.board, _ranges(start, seat, rounds))
    return _Solved(tree, cards.classes, solve(tree, cards, first=1 - start.button, rounds=rounds))


@lru_cache(maxsize=1024)
def _ranges(start: PublicState, seat: int, rounds: int) -> tuple[Array, Array]:
    """Return how likely each hole of each seat is at the start of a street, in whole numbers."""
    if not start.log:
        return np.ones(HOLES), np.ones(HOLES)
    before, real = start.split(start.log[-1].street)
    solved = _solved_with(before, real[:-1], seat, rounds)
    ranges = [*_ranges(before, seat, rounds)]
    for at, action in enumerate(real):
        number = solved.tree.follow(real[:at])
        here = solved.tree.decisions[number]
        chances = solved.strategies[number][:, here.actions.index(action)]
        if here.seat != seat:
            chances = (1 - _ODD) * chances + _ODD
        ranges[here.seat] = ranges[here.seat] * chances[solved.classes]
    possible = ~collides(start.board)
    first, second = (np.floor(_HEAVIEST * each / max(float((each * possible).max()), 1e-300)) for each in ranges)
    return np.maximum(first, 1.0), np.maximum(second, 1.0)
