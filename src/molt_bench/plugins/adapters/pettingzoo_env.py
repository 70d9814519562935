"""The game as a PettingZoo environment: agents take turns (AEC), with a mask of what they may do.

One episode is one game of `play/game.py`, so rules, cards, faults and records are those of every other game here.
"""

import secrets
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Unpack

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from msgspec.structs import replace
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from molt_bench import PokerAgent
from molt_bench.errors import ConfigError
from molt_bench.play.game import GameEvents, game_events
from molt_bench.play.hooks import Hook, Notice
from molt_bench.plugins.adapters.action_numbers import ACTIONS, action_of, mask_of
from molt_bench.plugins.adapters.observation_arrays import VIEW_LENGTH, view_of
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.records import GameRecord
from molt_bench.seeds import Seed, derive, derived_seed
from molt_bench.specs import SEATINGS, GameOptions, GameSpec

PLAYERS: Final = ("player_0", "player_1")
_HOOKS: Final[tuple[Hook, ...]] = ("on_hand_complete",)


class HoldemEnv(AECEnv):  # type: ignore[misc]
    """Heads-up no-limit hold'em; see `env`.

    Attributes:
        seen: What the player to act sees, as agents of molt-bench get it; None once the game is over.
        record: The record of the last finished game; None before.
        listeners: Agents by player, which are told how hands end if they want to know.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "holdem_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(self, *, hands: int = 1, render_mode: str | None = None, **game: Unpack[GameOptions]) -> None:
        super().__init__()
        if "seating" in game:
            raise ConfigError("seating", game["seating"], "reset(options={'seating': ...}), since it is by episode")
        game.setdefault("max_retries", 0)
        self._spec = GameSpec(seed=0, hands=hands, players=PLAYERS, **game)
        self.render_mode = render_mode
        self.seen: Observation | None = None
        self.record: GameRecord | None = None
        self.listeners: dict[str, PokerAgent] = {}
        self.possible_agents = [*PLAYERS]
        self._seed: Seed | None = None
        self._episode = 0
        self.action_spaces = {name: Discrete(ACTIONS) for name in PLAYERS}
        arrays = {
            "observation": Box(0.0, 1.0, (VIEW_LENGTH,), np.float32),
            "action_mask": Box(0, 1, (ACTIONS,), np.int8),
        }
        self.observation_spaces = {name: Dict(arrays) for name in PLAYERS}

    def observation_space(self, agent: str) -> Any:
        """Return the space of what a player sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of a player's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a game; a seed starts a series of games, of which the first has the decks of that seed."""
        if seed is not None:
            self._seed, self._episode = seed, 0
        elif self._seed is None:
            self._seed = secrets.token_hex(16)
        else:
            self._episode += 1
        seed_of_game = derived_seed(self._seed, "episode", self._episode) if self._episode else self._seed
        seating = (options or {}).get("seating", SEATINGS[derive(seed_of_game, "seating") & 1])
        spec = replace(self._spec, seed=seed_of_game, seating=seating)
        #: The players in seats 0 and 1.
        self._names = PLAYERS if spec.seating == "AB" else PLAYERS[::-1]
        self.agents = [*PLAYERS]
        self.rewards = dict.fromkeys(PLAYERS, 0.0)
        self._cumulative_rewards = dict.fromkeys(PLAYERS, 0.0)
        self.terminations = dict.fromkeys(PLAYERS, False)
        self.truncations = dict.fromkeys(PLAYERS, False)
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in PLAYERS}
        self._views = {name: np.zeros(VIEW_LENGTH, np.float32) for name in PLAYERS}
        self.agent_selection = self._names[0]
        self._game: GameEvents = game_events(spec, listening=(_HOOKS, _HOOKS))
        self._go_on(None)
        self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what a player saw at its last turn. Only who is to act has a mask."""
        seen = self.seen if agent == self.agent_selection else None
        mask = np.zeros(ACTIONS, np.int8) if seen is None else mask_of(seen)
        return {"observation": self._views[agent].copy(), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the action of the player to act; an illegal one folds the hand, and is recorded as a fault."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert self.seen is not None
        assert action is not None
        self.play(action_of(self.seen, int(action)))

    def play(self, action: Action | Mix) -> None:
        """Play any action or mix of the player to act, whether or not it has a number."""
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self._go_on(action)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the table as text, where that is the mode."""
        seen = self.seen
        if self.render_mode is None or seen is None:
            return None if self.render_mode is None else "the game is over"
        return (
            f"hand {seen.hand_number}, {seen.street}: {self.agent_selection} has {seen.cards_text}, board "
            f"{seen.board_text or '-'}, pot {seen.pot}, stacks {seen.stacks}; {seen.legal}"
        )

    def close(self) -> None:
        """End the game."""
        if hasattr(self, "_game"):
            self._game.close()

    def _go_on(self, action: Action | Mix | None) -> None:
        """Send an answer into the game, and go on to the next decision or to the end."""
        try:
            event = self._game.send(action)
            while isinstance(event, Notice):
                self._hand_over(event)
                event = self._game.send(None)
        except StopIteration as end:
            self.seen, self.record = None, end.value
            self.terminations = dict.fromkeys(PLAYERS, True)
            return
        self.seen = event
        self.agent_selection = name = self._names[event.seat]
        self._views[name] = view_of(event)

    def _hand_over(self, notice: Notice) -> None:
        """Pay a player what it won in a hand, in big blinds, and tell its agent."""
        (result,) = notice.arguments
        assert isinstance(result, HandResult)
        name = self._names[notice.seat]
        self.rewards[name] += result.net[notice.seat] / self._spec.big_blind
        if hasattr(self.listeners.get(name), notice.hook):
            getattr(self.listeners[name], notice.hook)(result)


def raw_env(**options: Any) -> HoldemEnv:
    """Return the environment without wrappers; for the options see `env`."""
    return HoldemEnv(**options)


def env(**options: Any) -> Any:
    """Return the environment.

    Args:
        options: `hands` of an episode (1); `render_mode`, None or "ansi"; and the fields of a `GameSpec`, such as
            `stack`, `big_blind` or `stacks`.
    """
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(HoldemEnv(**options)))
