"""The gateway: where all models of a run are asked. It keeps the limits, retries, records, and counts the cost."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

import msgspec

from molt_bench.agents.llm.client import Answer, ModelClient, RequestFailed
from molt_bench.agents.llm.exchange import Exchange, Exchanges, Question, settings_hash, unanswered
from molt_bench.agents.llm.model_settings import LLMSettings, OutputMode
from molt_bench.agents.llm.prices import ModelBudget, PriceList
from molt_bench.agents.llm.prompt import system_prompt
from molt_bench.agents.llm.rate_limits import ModelLimit
from molt_bench.agents.llm.reply import read_reply
from molt_bench.agents.llm.retries import RequestLimits, next_step
from molt_bench.errors import AgentFailed, ConfigError, GamePutBack, GameUnfinished, ProviderError
from molt_bench.specs import CONNECT_S, GameLabel

#: The game under which the preflight question is recorded, which every model is asked before the first card.
PREFLIGHT: Final = GameLabel(0, "preflight", "AB")
#: The system prompt and the message of that question, and how many tokens the answer may have.
PREFLIGHT_PROMPT: Final = ("Answer in one word.", "Are you ready?")
_PREFLIGHT_TOKENS: Final = 16


class _Participant:
    """One participant that is a model: its settings and its system prompt."""

    def __init__(self, name: str, settings: LLMSettings, skill: str) -> None:
        self.name = name
        self.settings = settings
        self.skill = skill
        self.hash = settings_hash(name, settings)

    def __str__(self) -> str:
        return f"{self.name} ({self.settings.model})"


class Gateway:
    """Asks the models of a run; raises ConfigError if a key, a package or a skill document is missing.

    Args:
        participants: The settings of every participant that is a model, by name.
        recorder: Holds the exchanges; None asks every time and keeps nothing, for single games.
        limits: How requests are limited and retried.
        prices: What the models cost.
        budget: What may be spent.
        on_exchange: Called with every new exchange.
    """

    def __init__(
        self,
        participants: Mapping[str, LLMSettings],
        *,
        recorder: Exchanges | None = None,
        limits: RequestLimits | None = None,
        prices: PriceList | None = None,
        budget: ModelBudget | None = None,
        on_exchange: Callable[[Exchange], None] | None = None,
    ) -> None:
        self.recorder = recorder
        self.limits = limits or RequestLimits()
        self.budget = budget or ModelBudget()
        self._prices = prices or PriceList({})
        self._on_exchange = on_exchange
        skills = dict(recorder.skills) if recorder is not None else {}
        asking = recorder is None or not recorder.read_only
        for name, settings in participants.items():
            if name not in skills:
                skills[name] = system_prompt(settings) if asking else ""
        self._participants = {name: _Participant(name, each, skills[name]) for name, each in participants.items()}
        self._clients: dict[str, ModelClient] = {}
        self._rates: dict[str, ModelLimit] = {}
        if asking:
            for name, settings in participants.items():
                self._clients[name] = ModelClient(settings, keep_alive=recorder is not None)
                self._rates[settings.endpoint] = self._rate(settings)
        if recorder is not None and asking:
            recorder.begin(skills)
        self._room = asyncio.Semaphore(self.limits.max_concurrent)
        self._under_way: set[asyncio.Task[Exchange]] = set()
        self._tries: dict[str, int] = {}
        self._closing = False
        self._sent = 0

    def _rate(self, settings: LLMSettings) -> ModelLimit:
        """Return the limit of a model; participants that share a model share the tightest of their limits."""
        endpoint, everybody = settings.endpoint, self._participants.values()
        alike = [each.settings for each in everybody if each.settings.endpoint == endpoint]
        paces = [each.requests_per_minute for each in alike if each.requests_per_minute is not None]
        most = min((each.max_concurrent for each in alike if each.max_concurrent is not None), default=None)
        return ModelLimit(most, per_minute=min(paces, default=None), timeout_s=self.limits.timeout_s)

    async def ask(self, participant: str, question: Question, *, may_put_back: bool) -> Exchange:
        """Return the exchange for a question: the recorded one, or a new one, recorded before it is returned.

        Raises:
            GamePutBack: There is no connection, and the game can be played again later: `may_put_back`.
            GameUnfinished: The budget is spent.
            ProviderError: The provider refuses for good.
        """
        asked = self._participants[participant]
        exchange = unanswered(question, participant, asked.hash, asked.skill)
        if self.recorder is not None:
            known = self.recorder.find(question.game, exchange.key)
            if known is not None:
                return known
            if self.recorder.read_only:
                raise ProviderError(
                    f"no exchange is recorded for {participant}, match {question.game.match}, seed "
                    f"{question.game.seed!r}, seating {question.game.seating}, hand {question.hand}"
                )
        return await self._shielded(self._ask(asked, question, exchange, may_put_back=may_put_back))

    async def greet(self, participant: str) -> None:
        """Check before the first card that a model can be asked: connect, and ask it one short question.

        The question is asked once in a run, and not at all if an exchange with the model is recorded. An unusable
        answer is no error here: the games deal with it. Only what would stop them is.

        Raises:
            ConfigError: There is no connection to the user's own server, or log-probabilities cannot be had.
            ProviderError: There is no connection to the provider, or it refuses for good.
        """
        asked = self._participants[participant]
        try:
            await self._clients[participant].connect(within_s=CONNECT_S)
        except RequestFailed as problem:
            if asked.settings.base_url is not None:
                expected = f"a server that answers ({problem})"
                raise ConfigError("baseUrl", asked.settings.base_url, expected) from None
            raise ProviderError(f"{asked} cannot be asked: {problem}") from None
        earlier = self.recorder.earlier if self.recorder is not None else ()
        if any(exchange.participant == participant for exchange in earlier):
            return
        try:
            await self._shielded(self._greet(asked))
        except ProviderError:
            raise
        except GameUnfinished:
            pass  # the budget is spent, which the games will notice

    async def _greet(self, asked: _Participant) -> Exchange:
        system, message = PREFLIGHT_PROMPT
        question = Question(PREFLIGHT, 0, 0, 0, message, "", 0)
        exchange = unanswered(question, asked.name, asked.hash, system)
        answer, started = await self._send(asked, system, message, "text", max_tokens=_PREFLIGHT_TOKENS)
        if isinstance(answer, Answer):
            return self._record(exchange, **self._reply(asked, answer, _now() - started))
        if answer.trouble == "fatal":
            raise ProviderError(f"{asked} cannot be asked: {answer}")
        if asked.settings.logprobs and "logprobs" in str(answer):
            raise ConfigError("logprobs", value=True, expected=f"false: {asked} does not give them ({answer})")
        outcome = "timeout" if answer.trouble == "timeout" else "transport"
        return self._record(exchange, outcome=outcome, text=str(answer))

    async def _ask(
        self, asked: _Participant, question: Question, exchange: Exchange, *, may_put_back: bool
    ) -> Exchange:
        """Ask until there is a reply, or none is to be had; `next_step` decides, and this does what it says."""
        client, rate = self._clients[asked.name], self._rates[asked.settings.endpoint]
        failures, tries = 0, self._tries.pop(exchange.key, 0)
        while True:
            mode = client.mode
            answer, started = await self._send(asked, asked.skill, question.message, mode)
            tries += 1
            if isinstance(answer, Answer):
                latency_s = _now() - started
                rate.succeeded(latency_s)
                reply = self._reply(asked, answer, latency_s)
                misread = _misread(answer, mode, question) if asked.settings.comprehension else None
                return self._record(exchange, mode=mode, tries=tries, misread=misread, **reply)
            step = next_step(
                answer,
                failures,
                self.limits,
                can_step_down=client.can_step_down(mode),
                ever_answered=bool(client.answered),
                at_floor=rate.at_floor,
                may_put_back=may_put_back,
            )
            if step.name == "stop":
                raise ProviderError(f"{asked} {step.reason}")
            if step.name == "step down":
                client.step_down(mode)
            if answer.trouble in ("busy", "timeout"):
                rate.slowed(started, step.pause_s)
            failures += step.counts
            if step.name == "put back":
                self._tries[exchange.key] = tries
                raise GamePutBack(str(answer))
            if step.name == "give up":
                late: dict[str, Any] = {"outcome": "timeout", "latency_s": self.limits.timeout_s}
                more = late if answer.trouble == "timeout" else {}
                return self._record(exchange, mode=mode, text=str(answer), tries=tries, **more)
            if answer.trouble != "busy":  # then nothing is sent to the model until the pause is over
                await asyncio.sleep(step.pause_s)

    async def _send(
        self, asked: _Participant, system: str, message: str, mode: OutputMode, *, max_tokens: int | None = None
    ) -> tuple[Answer | RequestFailed, float]:
        """Send one request when its turn comes; return the answer, or why there is none, and when it was sent."""
        client, rate = self._clients[asked.name], self._rates[asked.settings.endpoint]
        started = await rate.acquire()
        try:
            async with self._sending() as started:
                timeout_s = self.limits.timeout_s
                return await client.ask(system, message, mode, timeout_s=timeout_s, max_tokens=max_tokens), started
        except RequestFailed as problem:
            return problem, started
        finally:
            rate.release()

    @asynccontextmanager
    async def _sending(self) -> AsyncIterator[float]:
        """Wait until one more request may be under way, and yield the time it is sent at.

        Raises GameUnfinished if the budget is spent, or the gateway is closing.
        """
        async with self._room:
            if self._closing:
                raise GameUnfinished("no more questions are asked")
            self.budget.open()
            self._sent += 1
            try:
                yield _now()
            finally:
                self._sent -= 1
                self.budget.close()

    async def _shielded(self, asking: Coroutine[Any, Any, Exchange]) -> Exchange:
        """Wait for a task of its own: a reply that is paid for is recorded even if nobody waits for it any more."""
        task = asyncio.ensure_future(asking)
        self._under_way.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: "asyncio.Task[Exchange]") -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, in case nobody waits for it any more

    def _reply(self, asked: _Participant, answer: Answer, latency_s: float) -> dict[str, Any]:
        """Return the fields of an exchange that a reply fills in."""
        cost_usd = self._prices.cost(asked.settings, answer.tokens)
        known = {"outcome": "reply", "cost_usd": cost_usd, "latency_s": round(latency_s, 4)}
        return {**msgspec.structs.asdict(answer), **known}

    def _record(self, exchange: Exchange, **fields: object) -> Exchange:
        found = msgspec.structs.replace(exchange, **fields)
        if self.recorder is not None:
            self.recorder.add(found)
        self.budget.add(found)
        if self._on_exchange is not None:
            self._on_exchange(found)
        return found

    async def close(self, *, patience_s: float = 0.0) -> None:
        """Ask nothing more, wait a while for replies that are paid for, then close all connections."""
        self._closing = True
        until = _now() + patience_s
        while self._sent and _now() < until:
            await asyncio.wait(self._under_way, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
        for task in self._under_way:
            task.cancel()
        for client in self._clients.values():
            await client.close()

    @property
    def awaited(self) -> int:
        """Number of replies that are still to come."""
        return self._sent


def _now() -> float:
    return asyncio.get_running_loop().time()


def _misread(answer: Answer, mode: OutputMode, question: Question) -> tuple[str, ...] | None:
    """Return what a model misread of its hand and the price; None if its reply cannot be read at all."""
    try:
        reply = read_reply(answer.text, answer.finish, mode)
    except AgentFailed:
        return None
    hand = () if reply.hand == question.hand_held else ("hand",)
    return (*hand, *(() if reply.to_call == question.to_call else ("toCall",)))
