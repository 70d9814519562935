"""`resolver`: plays as `blueprint` does up to the turn, and solves the river when it comes to it.

The table of the blueprint knows how strong a hand is on a board, but not which hands got there. On the river both
ranges are known: how likely each hand is, if both seats have played as the blueprint would. The betting that is left is
solved for these two ranges, at every decision anew. The probabilities depend on what both seats know and on nothing
else, so they are published exactly.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from molt_bench.agents.blueprint.action_translation import followed
from molt_bench.agents.blueprint.agent import BlueprintAgent, RangePolicy
from molt_bench.agents.blueprint.buckets import collides
from molt_bench.agents.blueprint.river_solver import meetings, solve, strength_classes
from molt_bench.agents.blueprint.river_tree import RiverTree
from molt_bench.agents.blueprint.state import PublicState, public_state
from molt_bench.agents.blueprint.tracked_ranges import tracked_ranges
from molt_bench.lazy_import import lazy_import
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.poker.range_equity import HOLES, hole_cards, hole_number, hole_strengths

if TYPE_CHECKING:
    import numpy as np

    from molt_bench.agents.blueprint.tree import Array
    from molt_bench.poker.arrays import Floats
else:
    np = lazy_import("numpy")


class ResolverAgent(BlueprintAgent):
    """Plays the blueprint's table and solves the river anew; stronger than `blueprint`, and slower."""

    kind = "resolver"

    def odds(self, observation: Observation) -> list[tuple[Action, float]]:
        """Return every action with its probability, 0 included."""
        if observation.street != "river":
            return super().odds(observation)
        found = _solved(public_state(observation), can_raise=observation.max_raise_to > 0)
        chances = found.chances[found.classes[hole_number(observation.cards)]]
        return list(zip(found.actions, chances.tolist(), strict=True))

    def range_policy(self, observation: Observation) -> RangePolicy:
        """Return the probabilities of every hole that the seat to act could hold: those of `policy`, bit by bit."""
        if observation.street != "river":
            return super().range_policy(observation)
        found = _solved(public_state(observation), can_raise=observation.max_raise_to > 0)
        return RangePolicy(found.actions, found.chances[found.classes])


class _Solved(NamedTuple):
    """What the seat to act does on a river."""

    actions: tuple[Action, ...]
    classes: Array  # of every hole; any for holes with a card of the board
    chances: Floats  # for each class, of each action


@lru_cache(maxsize=4096)
def _solved(state: PublicState, *, can_raise: bool) -> _Solved:
    """Solve a river; remembered, since the policy is asked for more than once."""
    on_river = [done for done in state.log if done.street == "river"]
    before = msgspec.structs.replace(state, log=state.log[: len(state.log) - len(on_river)])
    tree = RiverTree(followed(before)[1], on_river, can_raise=can_raise)
    possible = np.flatnonzero(~collides(state.board))
    first, second = (each[possible] for each in tracked_ranges(before))
    of_possible = strength_classes(hole_strengths(possible, np.array([state.board]))[:, 0], first + second)
    classes = np.zeros(HOLES, np.int8)
    classes[possible] = of_possible
    chances = solve(tree, meetings(of_possible, hole_cards()[possible], (first, second)))
    return _Solved(tree.decisions[tree.current].actions, classes, chances)
