"""LiveAgent: an agent that came to the table by itself, as the game sees it; and the kind of such agents."""

import hmac
from collections.abc import Callable
from typing import Final, NoReturn

import msgspec
from pydantic import Field

from molt_bench import Action, AgentSettings, ConfigError, HandResult, Mix, Observation, ParticipantSpec
from molt_bench.plugin import ComingRun, Context, Kind, Sitting
from molt_bench.plugins.live.mailbox import Mailbox
from molt_bench.specs import MODEL_TIMEOUT_S, GameLabel

#: What is expected where there is no server.
NO_SERVER: Final = "a run started with `molt-bench serve`, since live agents connect by themselves"


class LiveSettings(AgentSettings):
    """An agent that connects to us."""

    max_concurrent: int = Field(
        default=1, ge=1, le=1000, strict=True, description="Games that it plays at the same time."
    )


class LiveAgent:
    """An agent that connects to us, in one game: it plays in the slot of a mailbox, and limits its own time.

    `on_close` is called once the slot is free again.
    """

    keeps_time = True
    #: It goes on when our server is started again, and may remember.
    keeps_memory = True

    def __init__(
        self,
        name: str,
        mailbox: Mailbox,
        *,
        game: GameLabel,
        action_timeout_s: float | None = None,
        on_close: Callable[[], None] = lambda: None,
    ) -> None:
        self.name = name
        self._mailbox = mailbox
        self._game = game
        self._limit_s = action_timeout_s or MODEL_TIMEOUT_S
        self._on_close = on_close
        self._seated = False
        self._hands = 0

    async def act(self, observation: Observation) -> Action | Mix:
        """Put the decision into the mailbox and wait for the answer."""
        self._sit(observation)
        token = turn_token(self._mailbox.secret, self._game, observation.hand_number, len(observation.log))
        return await self._mailbox.ask(observation, token, self._limit_s)

    async def on_hand_complete(self, outcome: HandResult) -> None:
        """Tell the agent how the hand ended."""
        self._sit(outcome)
        self._mailbox.hand_over(outcome)

    async def close(self) -> None:
        """Leave the table; the agent waits for its next game."""
        self._mailbox.stand_up(self._hands)
        self._on_close()

    def _sit(self, seen: Observation | HandResult) -> None:
        self._hands = seen.hand_number
        if not self._seated:
            self._seated = True
            self._mailbox.sit(seen.seat, game_id(self._mailbox.secret, self._game))


def turn_token(secret: bytes, game: GameLabel, hand: int, decision: int) -> str:
    """Return the token of a decision: the same after a restart, and impossible to guess."""
    named = msgspec.json.encode((game, hand, decision))
    return hmac.digest(secret, b"turn" + named, "sha256").hex()[:32]


def game_id(secret: bytes, game: GameLabel) -> str:
    """Return a name for a game that tells nothing about it."""
    return hmac.digest(secret, b"game" + msgspec.json.encode(game), "sha256").hex()[:16]


class Live(Kind):
    """An agent that connects to us by itself; see molt-bench serve."""

    name = "live"
    usage = "live"
    settings = LiveSettings
    timeout_s = MODEL_TIMEOUT_S
    waits = True
    remote = True
    remembers = True
    recorded = True
    comes = True

    def make(self, spec: ParticipantSpec, context: Context) -> NoReturn:
        """Refuse to make one: it comes by itself, to a server."""
        raise ConfigError("type", "live", NO_SERVER)

    def open(self, run: ComingRun) -> Sitting:
        """Return the server that seats them; raises ConfigError without one."""
        if run.server is None:
            raise ConfigError("type", "live", NO_SERVER)
        return run.server
