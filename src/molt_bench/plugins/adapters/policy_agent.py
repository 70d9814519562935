"""A trained policy as a participant: it sees the same arrays as in the PettingZoo environment."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from molt_bench.plugins.adapters.action_numbers import POT_PERCENTS, SizeMenu
from molt_bench.plugins.adapters.observation_arrays import view_of
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
        pot_percents: The sizes of the menu it was trained with.
    """

    def __init__(self, policy: NumberPolicy, *, name: str, pot_percents: Sequence[int] = POT_PERCENTS) -> None:
        self.name = name
        self._policy, self._menu = policy, SizeMenu(pot_percents)

    def act(self, observation: Observation) -> Action:
        """Ask the policy."""
        asked = {"observation": view_of(observation), "action_mask": self._menu.mask(observation)}
        return self._menu.action(observation, int(self._policy(asked)))
