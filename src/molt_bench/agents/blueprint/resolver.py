"""`resolver`: solves the betting of every street when it comes to it.

At the start of a street both ranges are known: how likely each hand is, if both seats have played the solutions of the
streets before. The betting is solved for these two ranges, with few sizes for the seat that is played for, many for the
other, and whatever was really bet. The probabilities depend on what both seats know and on nothing else, so they are
published exactly.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from molt_bench.agents.blueprint.agent import BlueprintAgent, RangePolicy
from molt_bench.agents.blueprint.buckets import collides
from molt_bench.agents.blueprint.state import PublicState, public_state
from molt_bench.agents.blueprint.street_cards import street_cards
from molt_bench.agents.blueprint.street_solver import solve
from molt_bench.agents.blueprint.street_tree import StreetTree
from molt_bench.errors import ConfigError
from molt_bench.lazy_import import lazy_import
from molt_bench.poker.actions import OPEN_CARDS, STREETS, Action, LoggedAction, Street
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation
from molt_bench.poker.range_equity import HOLES, hole_number
from molt_bench.seeds import Seed

if TYPE_CHECKING:
    import numpy as np

    from molt_bench.agents.blueprint.tree import Array
    from molt_bench.poker.arrays import Floats
else:
    np = lazy_import("numpy")

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

    def __init__(self, *, seed: Seed = 0, name: str = "", rounds: int = ROUNDS) -> None:
        if type(rounds) is not int or rounds < 1:
            raise ConfigError("rounds", rounds, "a whole number, at least 1")
        super().__init__(seed=seed, name=name)
        self._rounds = rounds

    def odds(self, observation: Observation) -> list[tuple[Action, float]]:
        """Return every action with its probability, 0 included."""
        found = self._decided(observation)
        chances = found.chances[found.classes[hole_number(observation.cards)]]
        return list(zip(found.actions, chances.tolist(), strict=True))

    def range_policy(self, observation: Observation) -> RangePolicy:
        """Return the probabilities of every hole that the seat to act could hold: those of `policy`, bit by bit."""
        found = self._decided(observation)
        return RangePolicy(found.actions, found.chances[found.classes])

    def _decided(self, observation: Observation) -> _Decided:
        state, seat = public_state(observation), observation.seat
        start, real = _split(state, observation.street)
        if observation.max_raise_to or not _hand(state).raise_range()[1]:
            solved = _solved_with(start, real, seat, self._rounds)
        else:  # a hand that takes too long ends without raises, which only the observation knows
            solved = _solved(start, real, seat, self._rounds, can_raise=False)
        at = solved.tree.follow(real)
        return _Decided(solved.tree.decisions[at].actions, solved.classes, solved.strategies[at])


class _Decided(NamedTuple):
    """What the seat to act does."""

    actions: tuple[Action, ...]
    classes: Array  # of every hole; any for holes with a card of the board
    chances: Floats  # for each class, of each action


class _Solved(NamedTuple):
    """A street that was solved for one seat."""

    tree: StreetTree
    classes: Array
    strategies: list[Array]  # of every decision: a row for each class


def _hand(state: PublicState) -> Hand:
    """Return the hand at a state; its cards mean nothing."""
    hand = state.opening()
    for done in state.log:
        hand.apply(Action(done.kind, done.amount))
    return hand


def _split(state: PublicState, street: Street) -> tuple[PublicState, tuple[Action, ...]]:
    """Return the state at the start of a street, and the actions on it."""
    before = tuple([done for done in state.log if STREETS.index(done.street) < STREETS.index(street)])
    real = tuple([_action(done) for done in state.log if done.street == street])
    return msgspec.structs.replace(state, log=before, board=state.board[: OPEN_CARDS[street]]), real


def _action(done: LoggedAction) -> Action:
    """Return an action as a tree has it: only raises have an amount."""
    return Action(done.kind, done.amount if done.kind == "raiseTo" else 0)


def _solved_with(start: PublicState, real: tuple[Action, ...], seat: int, rounds: int) -> _Solved:
    """Solve a street with all of the real actions in its tree; only those that it lacks are added."""
    count = 0
    while _tree(start, real[:count], seat).follow(real) < 0:
        count += 1
    return _solved(start, real[:count], seat, rounds, can_raise=True)


@lru_cache(maxsize=1024)
def _tree(start: PublicState, real: tuple[Action, ...], seat: int) -> StreetTree:
    return StreetTree(_hand(start), seat, real)


@lru_cache(maxsize=1024)
def _solved(start: PublicState, real: tuple[Action, ...], seat: int, rounds: int, *, can_raise: bool) -> _Solved:
    """Solve a street; remembered, since the policy is asked for more than once."""
    tree = _tree(start, real, seat) if can_raise else StreetTree(_hand(start), seat, real, can_raise=False)
    cards = street_cards(start.board, _ranges(start, seat, rounds))
    return _Solved(tree, cards.classes, solve(tree, cards, first=1 - start.button, rounds=rounds))


@lru_cache(maxsize=1024)
def _ranges(start: PublicState, seat: int, rounds: int) -> tuple[Array, Array]:
    """Return how likely each hole of each seat is at the start of a street, in whole numbers."""
    if not start.log:
        return np.ones(HOLES), np.ones(HOLES)
    before, real = _split(start, start.log[-1].street)
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
