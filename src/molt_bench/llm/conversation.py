"""The conversation with a model in one game: what it is told, what it replies, and what it is reminded of.

The agent uses it to ask a model, and the viewer to show what was asked. What it holds follows from the game and the
replies alone, so it is the same whenever a game is played again from its records. It ends with the game.
"""

from molt_bench.errors import AgentFailed
from molt_bench.llm.memory import HandMemory, SessionMemory
from molt_bench.llm.prompt import decision_prompt
from molt_bench.llm.reply import read_reply
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange
from molt_bench.poker.actions import Action
from molt_bench.poker.hand import HandRules
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.specs import GameFacts


class Conversation:
    """The conversation with one model in one game.

    Args:
        settings: What the model remembers and what it is told.
        game: What is known about the game.
    """

    def __init__(self, settings: LLMSettings, game: GameFacts | None = None) -> None:
        self._settings = settings
        self._game = game
        self._rules: HandRules | None = game.rules if game is not None else None
        self._session = SessionMemory()
        self._thoughts = HandMemory()
        self._rejected = ""

    def message(self, observation: Observation) -> str:
        """Return the message that asks for a decision."""
        settings, self._rules = self._settings, observation.rules
        if observation.previous_error is None:
            self._rejected = ""
        session = self._session.text() if settings.memory == "session" else ""
        return decision_prompt(
            observation,
            settings,
            game=self._game,
            memory=session,
            thoughts=self._thoughts.text(observation) if settings.memory != "none" else "",
            rejected=self._rejected,
        )

    def take_reply(self, observation: Observation, exchange: Exchange) -> Action | Mix:
        """Return the action that the model chose, or the mix, and remember why; AgentFailed if there is none."""
        self._rejected = exchange.text if exchange.outcome == "reply" else ""
        if exchange.outcome != "reply":
            raise AgentFailed(exchange.outcome, exchange.text)
        reply = read_reply(exchange.text, exchange.finish, strategy=self._settings.reply == "strategy")
        if self._settings.memory != "none":
            self._thoughts.add(observation, reply.reasoning)
        return reply.answer

    def take_result(self, result: HandResult) -> None:
        """Remember a finished hand as the table saw it."""
        if self._rules is not None and self._settings.memory == "session":
            self._session.add(result, self._rules)
