"""Models that a Python agent asks through the run: with its purse, its limits and its record, like models that play.

A question is known by what is asked, and by how often the same was asked in this game before. So an agent that asks the
same questions again, as after a kill, gets the same replies, and pays nothing twice.
"""

import asyncio
import inspect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, cast

from molt_bench.agents.settings_base import checked
from molt_bench.errors import AgentFailed, ConfigError, GameUnfinished
from molt_bench.llm.gateway import Gateway
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange, Said
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.poker.observation import Observation
from molt_bench.specs import GameLabel

#: A prompt: one message of a user, or messages as providers have them: `{"role": "user", "content": "..."}`.
Messages: TypeAlias = str | Sequence[Mapping[str, str]]
_ROLES: Final = ("system", "user", "assistant")
#: Settings that a question may change.
_PER_QUESTION: Final = dict.fromkeys(
    ("temperature", "top_p", "seed", "max_tokens", "reasoning_effort", "thinking_tokens", "extra_body")
)


class Models:
    """The models that one agent may ask in one game.

    Attributes:
        trouble: Why the game cannot go on, if a question showed that.
        clock: Limits the time of the agent; it stands still while a model is waited for.

    Args:
        gateway: Asks them.
        participant: Whose they are.
        game: The game that it plays.
        models: The models that it may ask, and how.
    """

    def __init__(self, gateway: Gateway, participant: str, game: GameLabel, models: Iterable[LLMSettings]) -> None:
        self._models = {each.model: each for each in models}
        self._gateway = gateway
        self._participant = participant
        self._game = game
        self._asked: Counter[tuple[str, tuple[Said, ...]]] = Counter()
        self._waiting = 0
        self._left_s = 0.0
        self.trouble: GameUnfinished | None = None
        self.clock: asyncio.Timeout | None = None

    async def ask(self, model: str, messages: Messages, **settings: Any) -> Exchange:
        """Ask a model, and return its reply once it is on record: `text`, `thoughts`, `tokens`, `cost_usd` and more.

        Args:
            model: One of those that the participant's `models` names.
            messages: What to say.
            settings: Settings of the model for this question, such as `temperature` or `max_tokens`.

        Raises:
            AgentFailed: There is no reply: the prompt was refused, or no reply came in time.
            ConfigError: There is no such model, message or setting.
            GameUnfinished: The money is spent, or the run is halted.
        """
        said = _said(messages)
        exchange = await self._recorded(model, said, settings)
        if exchange.outcome != "reply":
            raise AgentFailed(exchange.outcome, exchange.text)
        return exchange

    async def _recorded(self, model: str, said: tuple[Said, ...], settings: Mapping[str, Any]) -> Exchange:
        base = self._models.get(model)
        if base is None:
            raise ConfigError("model", model, f"one of the participant's models: {', '.join(self._models)}")
        if fixed := sorted(settings.keys() - _PER_QUESTION):
            raise ConfigError(fixed[0], settings[fixed[0]], f"a setting of a question: {', '.join(_PER_QUESTION)}")
        given = checked(LLMSettings, {**base.model_dump(exclude_unset=True), **settings, "model": base.model})
        question = (given.model_dump_json(), said)
        self._asked[question] += 1
        self._wait(1)
        try:
            return await self._gateway.ask_for(self._participant, given, self._game, said, self._asked[question])
        except GameUnfinished as trouble:
            self.trouble = trouble
            raise
        finally:
            self._wait(-1)

    def _wait(self, more: int) -> None:
        """Wait for one reply more, or less: the clock stops with the first, and goes on after the last."""
        before, self._waiting = self._waiting, self._waiting + more
        now, clock = asyncio.get_running_loop().time(), self.clock
        if clock is None or clock.expired():
            return
        if not before:
            self._left_s = (clock.when() or now) - now
            clock.reschedule(None)
        elif not self._waiting:
            clock.reschedule(now + self._left_s)


class AskingAgent:
    """An agent that may ask models: the time in which it waits for them is not its own.

    Args:
        agent: The agent.
        models: The models that it asks.
        timeout_s: Seconds for one answer, without those.
    """

    keeps_time = True

    def __init__(self, agent: Any, models: Models, *, timeout_s: float) -> None:
        self._agent = agent
        self._models = models
        self._timeout_s = timeout_s

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    async def act(self, observation: Observation) -> Action | Mix:
        """Ask the agent; raises AgentFailed if it takes too long, GameUnfinished if a model cannot be asked."""
        answer = self._agent.act(observation)
        if inspect.isawaitable(answer):
            try:
                async with asyncio.timeout(self._timeout_s) as clock:
                    self._models.clock = clock
                    answer = await answer
            except TimeoutError:
                if not clock.expired():
                    raise
                told = f"no answer within {self._timeout_s:g} s, without the time of models"
                raise AgentFailed("timeout", told) from None
            finally:
                self._models.clock = None
        if self._models.trouble is not None:  # whatever the agent made of it
            raise self._models.trouble
        return cast("Action | Mix", answer)


def _said(messages: Messages) -> tuple[Said, ...]:
    """Return messages as they are recorded; raises ConfigError if they are none."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    found = []
    for each in messages:
        role, text = each.get("role"), each.get("content")
        if role not in _ROLES or not isinstance(text, str):
            raise ConfigError("messages", dict(each), f"a role ({', '.join(_ROLES)}) and a content, which is a text")
        found.append(Said(cast(Literal["system", "user", "assistant"], role), text))
    if not found or found[-1].role != "user":
        raise ConfigError("messages", len(found), "messages of which the last one is a user's")
    return tuple(found)
