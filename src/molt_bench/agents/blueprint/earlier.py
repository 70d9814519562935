"""`blueprint` and `resolver` as earlier bench versions played them, so that their stored runs can be worked out again.

Up to version 14, both took a raise below the smallest size of the table for that size, and `resolver` solved the river
alone, with the same few sizes for both seats.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, cast

from molt_bench.agents.base import PokerAgent, PolicyOf
from molt_bench.agents.blueprint.agent import BlueprintAgent
from molt_bench.agents.blueprint.resolver import Decided, ResolverAgent
from molt_bench.agents.blueprint.state import PublicState, public_state
from molt_bench.agents.blueprint.street_cards import street_cards
from molt_bench.agents.blueprint.street_solver import solve
from molt_bench.agents.blueprint.street_tree import Sizes, StreetTree
from molt_bench.agents.blueprint.tracked_ranges import tracked_ranges
from molt_bench.poker.observation import Observation

#: The last bench version that played so.
LAST: Final = 14
_SIZES: Final[Sizes] = ((50, 100), (100,), (100,))
_ROUNDS: Final = 60


class EarlierBlueprint(BlueprintAgent):
    """`blueprint` up to version 14."""

    reads_tiny = False


class EarlierResolver(ResolverAgent):
    """`resolver` up to version 14."""

    reads_tiny = False

    def decided(self, observation: Observation) -> Decided | None:
        """Return what the seat to act does on the river; None before, where the table says it."""
        if observation.street != "river":
            return None
        return _on_river(public_state(observation), can_raise=observation.max_raise_to > 0)


@lru_cache(maxsize=1024)
def _on_river(state: PublicState, *, can_raise: bool) -> Decided:
    start, real = state.split("river")
    tree = StreetTree(start.hand(), (_SIZES, _SIZES), real, can_raise=can_raise)
    cards = street_cards(start.board, tracked_ranges(start, tiny=False))
    at = tree.follow(real)
    found = solve(tree, cards, first=1 - start.button, rounds=_ROUNDS, power=1, slips=0)[at]
    return Decided(tree.decisions[at].actions, cards.classes, found)


def as_played(agent: PokerAgent, version: int) -> PokerAgent:
    """Return an agent as a bench version had it: `blueprint` and `resolver` may be others."""
    if version > LAST:
        return agent
    if type(agent) is BlueprintAgent:
        return EarlierBlueprint(seed=agent.seed, name=agent.name)
    return EarlierResolver(seed=agent.seed, name=agent.name) if type(agent) is ResolverAgent else agent


def of_version(policies: Mapping[str, PolicyOf], version: int) -> dict[str, PolicyOf]:
    """Return policies as a bench version had them."""
    found = dict(policies)
    for name, policy in policies.items():
        bot = getattr(policy, "__self__", None)
        if isinstance(bot, BlueprintAgent):
            found[name] = cast(BlueprintAgent, as_played(bot, version)).policy
    return found
