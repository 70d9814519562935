"""A trained policy as a participant: it sees the same arrays as in the PettingZoo environment."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from molt_bench.plugins.adapters.action_numbers import POT_PERCENTS, ActionNumbers, EveryChip, SizeMenu
from molt_bench.plugins.adapters.observation_arrays import one_version, view_of
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation

#: Returns the number of an action for an observation of the environment: its array and its mask.
NumberPolicy: TypeAlias = Callable[[dict[str, Any]], int]


class PolicyAgent:
    """Plays by a policy that was trained in the environment.

    Args:
        policy: Takes `{"observation": array, "action_mask": array}`, and returns the number of an action. For games
            that can be repeated, it must always answer the same.
        name: Name in records.
        raw: Whether it was trained with `raw`, where a number is offered for every number of chips.
        pot_percents: The sizes of the menu it was trained with.
        version: The version of the environment that it was trained in: 0, or 1 with the betting of the hand.
    """

    def __init__(
        self,
        policy: NumberPolicy,
        *,
        name: str,
        raw: bool = False,
        pot_percents: Sequence[int] = POT_PERCENTS,
        version: int = 0,
    ) -> None:
        self.name = name
        self._version = one_version(version)
        self._policy = policy
        self._menu = None if raw else SizeMenu(pot_percents)

    def act(self, observation: Observation) -> Action:
        """Ask the policy."""
        numbers: ActionNumbers = self._menu or EveryChip(sum(observation.starting_stacks))
        asked = {"observation": view_of(observation, self._version), "action_mask": numbers.mask(observation)}
        return numbers.action(observation, int(self._policy(asked)))
