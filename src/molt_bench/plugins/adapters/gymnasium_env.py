"""The game as a Gymnasium environment: one learner against a bot."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeAlias

import gymnasium

from molt_bench import BUILTIN_AGENTS, PokerAgent, make_agent
from molt_bench.errors import ConfigError
from molt_bench.plugins.adapters.pettingzoo_env import PLAYERS, HoldemEnv
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix

#: The name of a built-in bot, or what makes an agent of one's own.
Opponent: TypeAlias = str | Callable[[], PokerAgent]

_LEARNER, _BOT = PLAYERS


class LearnerEnv(gymnasium.Env):  # type: ignore[misc]
    """Heads-up no-limit hold'em of one learner against a bot: `gymnasium.make("molt_bench/Holdem-v0")`.

    An episode is one game. Games in which the learner has nothing to decide, since the bot folds before, are skipped.

    Attributes:
        table: The game, as the environment of PettingZoo has it; the learner is its `player_0`.

    Args:
        opponent: The name of a built-in bot, or a function that makes an agent for each game.
        options: Those of the environment of PettingZoo.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(self, opponent: Opponent = "tight", **options: Any) -> None:
        if isinstance(opponent, str) and opponent not in BUILTIN_AGENTS:
            raise ConfigError("opponent", opponent, f"a function that makes an agent, or {', '.join(BUILTIN_AGENTS)}")
        self.table = HoldemEnv(**options)
        self.render_mode = self.table.render_mode
        self.observation_space = self.table.observation_space(_LEARNER)
        self.action_space = self.table.action_space(_LEARNER)
        self._opponent = opponent
        self._bot: PokerAgent | None = None
        self._won_before = 0.0

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a game against a new bot, and go on to the learner's first decision."""
        super().reset(seed=seed)
        self._deal(seed, options)
        while not self._waits():
            self._deal(None, options)
        # Hands that ended before the learner could act count for its first step.
        self._won_before = self.table._cumulative_rewards[_LEARNER]
        return self.table.observe(_LEARNER), {}

    def step(self, action: int) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        """Play an action, and go on to the learner's next decision or to the end of the game."""
        self.table.step(int(action))
        self._waits()
        won, self._won_before = self._won_before + self.table._cumulative_rewards[_LEARNER], 0.0
        return self.table.observe(_LEARNER), won, self.table.terminations[_LEARNER], False, {}

    def render(self) -> str | None:
        """Return the table as text, where that is the mode."""
        return self.table.render()

    def close(self) -> None:
        """End the game; the bot is told."""
        self.table.close()
        self._leave()

    def _deal(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Start a game with a new bot, which is told so, as in a run."""
        self._leave()
        self._bot = make_agent(self._opponent) if isinstance(self._opponent, str) else self._opponent()
        self.table.listeners = {_BOT: self._bot}
        _tell(self._bot, "reset")
        self.table.reset(seed=seed, options=options)

    def _leave(self) -> None:
        """Let the bot of the last game release what it holds."""
        if self._bot is not None:
            _tell(self._bot, "close")
            self._bot = None

    def _waits(self) -> bool:
        """Let the bot act until it is the learner's turn, and return whether it is; if not, the game is over."""
        while (seen := self.table.seen) is not None:
            if self.table.agent_selection == _LEARNER:
                return True
            assert self._bot is not None
            answer = self._bot.act(seen)
            if not isinstance(answer, Action | Mix):
                raise ConfigError(
                    "opponent", self._opponent, "an agent whose `act` returns an Action or a Mix, and is not async"
                )
            self.table.play(answer)
        return False


def _tell(bot: PokerAgent, hook: str) -> None:
    if hasattr(bot, hook):
        getattr(bot, hook)()
