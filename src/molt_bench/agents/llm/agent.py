"""LLMAgent: a language model in a seat."""

from pathlib import Path

from molt_bench.agents.llm.exchange import Exchange
from molt_bench.agents.llm.gateway import Desk, Question, RequestLimits
from molt_bench.agents.llm.memory import HandMemory, SessionMemory
from molt_bench.agents.llm.model_settings import LLMSettings
from molt_bench.agents.llm.prompt import decision_prompt, made_hand
from molt_bench.agents.llm.reply import Reply, read_reply
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.specs import MODEL_TIMEOUT_S, GameLabel


class LLMAgent:
    """A model that plays one game.

    It limits the time of its answers itself: waiting for its turn is not the model's time.

    Attributes:
        name: Name in records.
    """

    keeps_time = True

    def __init__(
        self, name: str, settings: LLMSettings, desk: Desk, *, game: GameLabel, may_put_back: bool = False
    ) -> None:
        self.name = name
        self._settings = settings
        self._desk = desk
        self._game = game
        self._may_put_back = may_put_back
        self.reset()

    async def greet(self) -> None:
        """Find out before the first card whether the model can be asked."""
        await self._desk.greet(self.name)

    def reset(self) -> None:
        """Forget everything: no memory crosses the seat swap."""
        self._attempt = 0
        self._thoughts = HandMemory()
        self._session = SessionMemory(self._settings.shown_hands)

    def on_hand_complete(self, result: HandResult) -> None:
        """Remember what the table saw."""
        if self._settings.memory == "session":
            self._session.add(result)

    async def act(self, observation: Observation) -> Action:
        """Ask the model."""
        settings = self._settings
        self._attempt = self._attempt + 1 if observation.previous_error is not None else 1
        message = decision_prompt(
            observation,
            memory=self._session.text() if settings.memory == "session" else "",
            thoughts=self._thoughts.text(observation.hand_number) if settings.memory != "none" else "",
            track=settings.track,
            comprehension=settings.comprehension,
        )
        question = Question(
            self._game,
            observation.hand_number,
            len(observation.log),
            self._attempt,
            message,
            made_hand(observation.cards, observation.board),
            observation.to_call,
        )
        exchange = await self._desk.ask(self.name, question, may_put_back=self._may_put_back)
        reply = reply_in(exchange)
        action = reply.action
        if settings.memory != "none" and observation.legal.allows(action):
            said = f"{action.kind} {action.amount}" if action.kind == "raiseTo" else action.kind
            self._thoughts.add(observation.hand_number, observation.street, reply.reasoning, said)
        return action


def lone_agent(
    name: str, settings: LLMSettings, *, action_timeout_s: float = MODEL_TIMEOUT_S, folder: Path | None = None
) -> LLMAgent:
    """Make an agent for single games, with a gateway of its own. Nothing is recorded, so `folder` is not used."""
    desk = Desk({name: settings}, limits=RequestLimits(timeout_s=action_timeout_s))
    return LLMAgent(name, settings, desk, game=GameLabel(0, 0, "AB"))


def reply_in(exchange: Exchange) -> Reply:
    """Return what a model said in an exchange.

    Raises:
        AgentFailed: It gave no answer; the kind says in what way.
    """
    if exchange.outcome != "reply":
        raise AgentFailed(exchange.outcome, exchange.text)
    return read_reply(exchange.text, exchange.finish, exchange.mode)
