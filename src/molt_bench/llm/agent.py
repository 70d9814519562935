"""LLMAgent: a language model that plays."""

from typing import Final

from molt_bench.llm.after_failure import RequestLimits
from molt_bench.llm.conversation import Conversation
from molt_bench.llm.gateway import Gateway
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Question, Said
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.specs import MODEL_TIMEOUT_S, GameFacts, GameLabel

#: Seconds for which a single game waits for a model that cannot be reached.
_LONE_PAUSE_S: Final = 30.0


class LLMAgent:
    """A model that plays one game.

    It enforces the time limit itself, since waiting for a turn to be asked does not count.

    Args:
        name: Its name.
        settings: How it is asked.
        gateway: Asks it.
        game: The game that it plays.
    """

    keeps_time = True

    def __init__(self, name: str, settings: LLMSettings, gateway: Gateway, *, game: GameLabel) -> None:
        self.name = name
        self._settings = settings
        self._gateway = gateway
        self._game = game
        self._facts: GameFacts | None = None
        self.reset()

    async def greet(self) -> None:
        """Check before the first card that the model can be asked."""
        await self._gateway.greet(self.name)

    def told_game(self, facts: GameFacts) -> None:
        """Take what is known about the game, before it starts."""
        self._facts = facts
        self.reset()

    def reset(self) -> None:
        """Forget everything: no memory crosses the seat swap."""
        self._attempt = 0
        self._conversation = Conversation(self._settings, self._facts)

    def on_hand_complete(self, result: HandResult) -> None:
        """Remember the hand."""
        self._conversation.take_result(result)

    async def act(self, observation: Observation) -> Action | Mix:
        """Ask the model."""
        self._attempt = self._attempt + 1 if observation.previous_error is not None else 1
        question = Question(
            self._game,
            observation.hand_number,
            len(observation.log),
            self._attempt,
            (Said("user", self._conversation.message(observation)),),
        )
        return self._conversation.take_reply(observation, await self._gateway.ask(self.name, question))


def lone_agent(name: str, settings: LLMSettings, *, action_timeout_s: float = MODEL_TIMEOUT_S) -> LLMAgent:
    """Make an agent for single games, with a gateway of its own. Nothing is recorded."""
    limits = RequestLimits(timeout_s=action_timeout_s, pause_after_s=_LONE_PAUSE_S)
    gateway = Gateway({name: settings}, limits=limits)
    return LLMAgent(name, settings, gateway, game=GameLabel(0, 0, "AB"))
