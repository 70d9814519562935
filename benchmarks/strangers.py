"""Ten agents of known strength that had no part in making the exam; each says how it mixes, so its loss is known."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from bots import Bot

from molt_bench.agents.base import PokerAgent, Policy
from molt_bench.agents.scripted import ScriptedAgent
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.seeds import Seed, derive

_SHARE = 2**64


class Mixture(ScriptedAgent):
    """Lets one of several agents decide, each with its chance."""

    kind = "mixture"

    def __init__(self, parts: Sequence[tuple[PokerAgent, float]], *, seed: Seed) -> None:
        super().__init__(seed=seed)
        self._parts = parts

    def act(self, observation: Observation) -> Action:
        """Throw for who decides."""
        thrown = self.throw(observation) / _SHARE
        below = accumulate(chance for _, chance in self._parts)
        at = next((at for at, each in enumerate(below) if thrown < each), len(self._parts) - 1)
        return self._parts[at][0].act(observation)  # type: ignore[return-value]

    def policy(self, observation: Observation) -> Policy:
        """Return what all of them together do."""
        return tuple(
            (action, chance * share)
            for agent, chance in self._parts
            for action, share in agent.policy(observation)  # type: ignore[attr-defined]
        )


class Mixed:
    """How a mixture is made."""

    def __init__(self, parts: Sequence[tuple[Bot, float]]) -> None:
        self._parts = parts

    def make(self, seed: Seed) -> PokerAgent:
        """Make the agent."""
        made = [(bot.make(derive(seed, at)), chance) for at, (bot, chance) in enumerate(self._parts)]
        return Mixture(made, seed=seed)


TEN: Mapping[str, Bot | Mixed] = {
    "blueprint 10%": Mixed([(Bot("blueprint"), 0.9), (Bot("random"), 0.1)]),
    "blueprint 30%": Mixed([(Bot("blueprint"), 0.7), (Bot("random"), 0.3)]),
    "half maniac": Mixed([(Bot("blueprint"), 0.5), (Bot("maniac"), 0.5)]),
    "half station": Mixed([(Bot("tag", publish=True), 0.5), (Bot("callstation"), 0.5)]),
    "tight-passive": Bot("habits", habits=(0.1, 0.9, 0.0, 50)),
    "over-bluffer": Bot("habits", habits=(0.0, 0.6, 0.5, 75)),
    "value only": Bot("habits", habits=(0.03, 0.7, 0.0, 66)),
    "pot odds": Bot("habits", habits=(0.0, 2.0, 0.0, 75)),
    "small bets": Bot("habits", habits=(0.0, 0.55, 0.15, 25)),
    "big bets": Bot("habits", habits=(0.02, 0.7, 0.15, 200)),
}
