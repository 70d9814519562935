"""LLMAgent: a language model that plays."""

from molt_bench.llm.conversation import Conversation
from molt_bench.llm.gateway import Gateway
from molt_bench.llm.harness import Harness
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Said
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.specs import GameFacts, GameLabel


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

    def __init__(self, name: str, settings: LLMSettings, gateway: Gateway | Harness, *, game: GameLabel) -> None:
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
        exchange = await self._gateway.ask(
            self.name,
            self._game,
            (Said("user", self._conversation.message(observation)),),
            hand=observation.hand_number,
            decision=len(observation.log),
            attempt=self._attempt,
        )
        return self._conversation.take_reply(observation, exchange)
