"""A trained policy as a participant: it sees the same arrays as in the PettingZoo environment."""

from collections.abc import Callable
from typing import Any

from molt_bench.plugins.adapters.action_numbers import action_of, mask_of
from molt_bench.plugins.adapters.observation_arrays import view_of
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation


class PolicyAgent:
    """Plays by a policy that was trained in the environment.

    Args:
        policy: Takes `{"observation": array, "action_mask": array}`, and returns the number of an action. For games
            that can be repeated, it must always answer the same.
        name: Name in records.
    """

    def __init__(self, policy: Callable[[dict[str, Any]], int], *, name: str) -> None:
        self.name = name
        self._policy = policy

    def act(self, observation: Observation) -> Action:
        """Ask the policy."""
        asked = {"observation": view_of(observation), "action_mask": mask_of(observation)}
        return action_of(observation, int(self._policy(asked)))
