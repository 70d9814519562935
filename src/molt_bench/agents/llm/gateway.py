"""The desk: where all models of a run are asked. It keeps the limits, tries again, records and adds up."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from molt_bench.agents.llm.client import ModelClient, RequestFailed
from molt_bench.agents.llm.exchange import Exchange, Exchanges, Outcome, exchange_key, prompt_hash, settings_hash
from molt_bench.agents.llm.model_settings import LLMSettings, OutputMode
from molt_bench.agents.llm.prices import PriceList, Purse
from molt_bench.agents.llm.prompt import system_prompt
from molt_bench.agents.llm.rate_limits import ModelLimit
from molt_bench.agents.llm.reply import read_reply
from molt_bench.errors import AgentFailed, ConfigError, GamePutBack, GameUnfinished, ProviderError
from molt_bench.specs import CONNECT_S, MODEL_TIMEOUT_S, GameLabel

#: A provider that asks for a longer pause is not waited for.
LONGEST_PAUSE_S = 600.0
#: Where the question is recorded that every model is asked before the first card.
PREFLIGHT: Final = GameLabel(0, "preflight", "AB")
#: What is asked then, and how many tokens the answer may have.
PREFLIGHT_PROMPT: Final = ("Answer in one word.", "Are you ready?")
_PREFLIGHT_TOKENS: Final = 16
#: Tries are never further apart than this, unless the provider asks for it.
_LONGEST_BACKOFF_S = 60.0


class RequestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How models are asked.

    Attributes:
        timeout_s: Seconds for one answer.
        transport_retries: How often a request that brought no reply is sent again.
        backoff_s: Seconds before the first of those; doubled for every further one.
        max_concurrent: Requests at once, to all models together.
    """

    timeout_s: float = MODEL_TIMEOUT_S
    transport_retries: int = 5
    backoff_s: float = 1.0
    max_concurrent: int = 1000


class Question(msgspec.Struct, frozen=True):
    """One question to a model.

    Attributes:
        game: In which game.
        hand: Number of the hand.
        decision: How many actions the hand had before.
        attempt: Which try at the decision it is, from 1.
        message: What is asked.
        hand_held: What the model's hand is, for the check of its reading.
        to_call: What a call costs, for the same.
    """

    game: GameLabel
    hand: int
    decision: int
    attempt: int
    message: str
    hand_held: str
    to_call: int


class _Seat:
    """One participant: its settings, its system prompt, and how it is reached."""

    def __init__(self, name: str, settings: LLMSettings, skill: str) -> None:
        self.name = name
        self.settings = settings
        self.skill = skill
        self.asked = settings_hash(name, settings)


class Desk:
    """Asks the models of a run.

    Args:
        participants: The settings of everybody who is a model, by participant.
        recorder: Holds the exchanges; None asks every time and keeps nothing, for single games.
        limits: How models are asked.
        prices: What they cost.
        purse: What may be spent.
        heard: Is told of every new exchange.

    Raises:
        ConfigError: A key, a package or a skill document is missing.
    """

    def __init__(
        self,
        participants: Mapping[str, LLMSettings],
        *,
        recorder: Exchanges | None = None,
        limits: RequestLimits | None = None,
        prices: PriceList | None = None,
        purse: Purse | None = None,
        heard: Callable[[Exchange], None] | None = None,
    ) -> None:
        self.recorder = recorder
        self.limits = limits or RequestLimits()
        self.purse = purse or Purse()
        self._prices = prices or PriceList({})
        self._heard = heard
        skills = dict(recorder.skills) if recorder is not None else {}
        asking = recorder is None or not recorder.read_only
        for name, settings in participants.items():
            if name not in skills:
                skills[name] = system_prompt(settings) if asking else ""
        self._seats = {name: _Seat(name, settings, skills[name]) for name, settings in participants.items()}
        self._clients: dict[str, ModelClient] = {}
        self._limits: dict[str, ModelLimit] = {}
        if asking:
            for name, settings in participants.items():
                self._clients[name] = ModelClient(settings, keep_alive=recorder is not None)
                self._limits[settings.endpoint] = self._limit(settings)
        if recorder is not None and asking:
            recorder.begin(skills)
        self._room = asyncio.Semaphore(self.limits.max_concurrent)
        self._under_way: set[asyncio.Task[Exchange]] = set()
        self._tries: dict[str, int] = {}
        self._closing = False
        self._sent = 0

    def _limit(self, settings: LLMSettings) -> ModelLimit:
        """Return the limit of a model; participants that share it share the tightest."""
        alike = [seat.settings for seat in self._seats.values() if seat.settings.endpoint == settings.endpoint]
        paces = [each.requests_per_minute for each in alike if each.requests_per_minute is not None]
        most = min((each.max_concurrent for each in alike if each.max_concurrent is not None), default=None)
        return ModelLimit(most, per_minute=min(paces, default=None), timeout_s=self.limits.timeout_s)

    async def ask(self, participant: str, question: Question, *, may_put_back: bool) -> Exchange:
        """Return the exchange for a question: the recorded one, or a new one, recorded before it is returned.

        Args:
            participant: Who is asked.
            question: What is asked.
            may_put_back: Whether the game can be tried again later, should there be no connection.

        Raises:
            GamePutBack: There is no connection, and the game can be tried again later.
            GameUnfinished: There is no money for it.
            ProviderError: The provider refuses for good.
        """
        seat = self._seats[participant]
        sent = prompt_hash(seat.skill, question.message)
        place = (question.game, question.hand, question.decision, question.attempt)
        key = exchange_key(seat.asked, sent, *place)
        if self.recorder is not None:
            known = self.recorder.find(question.game, key)
            if known is not None:
                return known
            if self.recorder.read_only:
                raise ProviderError(
                    f"no exchange is recorded for {participant}, match {question.game.match}, seed "
                    f"{question.game.seed!r}, seating {question.game.seating}, hand {question.hand}"
                )
        # A task of its own: a reply that is paid for is recorded even if nobody waits for it any more.
        task = asyncio.ensure_future(self._ask(seat, question, key, sent, may_put_back=may_put_back))
        self._under_way.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    async def greet(self, participant: str) -> None:
        """Find out before the first card whether a model can be asked: connect, and ask it one short question.

        The question is asked once in a run: never of one that has an exchange recorded. That no usable answer comes
        is for the games to deal with; only what would stop them is an error.

        Raises:
            ConfigError: There is no connection to a server of the user's own.
            ProviderError: There is none to the provider, or it refuses for good.
        """
        seat = self._seats[participant]
        try:
            await self._clients[participant].connect(within_s=CONNECT_S)
        except RequestFailed as problem:
            if seat.settings.base_url is not None:
                expected = f"a server that answers ({problem})"
                raise ConfigError("baseUrl", seat.settings.base_url, expected) from None
            raise ProviderError(f"{seat.name} ({seat.settings.model}) cannot be asked: {problem}") from None
        earlier = self.recorder.earlier if self.recorder is not None else ()
        if any(exchange.participant == participant for exchange in earlier):
            return
        task = asyncio.ensure_future(self._greet(seat))
        self._under_way.add(task)
        task.add_done_callback(self._done)
        try:
            await asyncio.shield(task)
        except ProviderError:
            raise
        except GameUnfinished:
            pass  # there is no money for it, which the games will notice

    async def _greet(self, seat: _Seat) -> Exchange:
        client, limit = self._clients[seat.name], self._limits[seat.settings.endpoint]
        system, message = PREFLIGHT_PROMPT
        sent = prompt_hash(system, message)
        exchange = Exchange(
            key=exchange_key(seat.asked, sent, PREFLIGHT, 0, 0, 0),
            participant=seat.name,
            game=PREFLIGHT,
            hand=0,
            decision=0,
            attempt=0,
            prompt_hash=sent,
            mode="text",
            outcome="transport",
            text="",
        )
        await limit.acquire()
        try:
            async with self._asking() as started:
                answer = await client.ask(
                    system, message, "text", timeout_s=self.limits.timeout_s, max_tokens=_PREFLIGHT_TOKENS
                )
        except RequestFailed as problem:
            if problem.trouble == "fatal":
                raise ProviderError(f"{seat.name} ({seat.settings.model}) cannot be asked: {problem}") from None
            outcome: Outcome = "timeout" if problem.trouble == "timeout" else "transport"
            return self._record(exchange, outcome=outcome, text=str(problem))
        finally:
            limit.release()
        return self._record(
            exchange,
            outcome="reply",
            text=answer.text,
            finish=answer.finish,
            model=answer.model,
            tokens=answer.tokens,
            cost_usd=self._prices.cost(seat.settings, answer.tokens),
            latency_s=round(asyncio.get_running_loop().time() - started, 4),
        )

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[float]:
        """Wait for room for one more request, and see that there is money for it; gives the time it is sent at.

        Raises:
            GameUnfinished: There is no money for it, or nothing more is asked.
        """
        async with self._room:
            if self._closing:
                raise GameUnfinished("no more questions are asked")
            self.purse.open()
            self._sent += 1
            try:
                yield asyncio.get_running_loop().time()
            finally:
                self._sent -= 1
                self.purse.close()

    def _done(self, task: "asyncio.Task[Exchange]") -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # looked at, should nobody wait for it any more

    async def _ask(self, seat: _Seat, question: Question, key: str, sent: str, *, may_put_back: bool) -> Exchange:
        client, limit = self._clients[seat.name], self._limits[seat.settings.endpoint]
        exchange = Exchange(
            key=key,
            participant=seat.name,
            game=question.game,
            hand=question.hand,
            decision=question.decision,
            attempt=question.attempt,
            prompt_hash=sent,
            mode=client.mode,
            outcome="transport",
            text="",
        )
        failures, tries = 0, self._tries.pop(key, 0)
        while True:
            mode = client.mode
            started = await limit.acquire()
            try:
                async with self._asking() as started:
                    tries += 1
                    answer = await client.ask(seat.skill, question.message, mode, timeout_s=self.limits.timeout_s)
            except RequestFailed as failure:
                problem = failure
            else:
                latency_s = asyncio.get_running_loop().time() - started
                limit.succeeded(latency_s)
                return self._record(
                    exchange,
                    mode=mode,
                    outcome="reply",
                    text=answer.text,
                    finish=answer.finish,
                    model=answer.model,
                    tokens=answer.tokens,
                    cost_usd=self._prices.cost(seat.settings, answer.tokens),
                    latency_s=round(latency_s, 4),
                    tries=tries,
                    misread=_misread(answer.text, answer.finish, mode, question)
                    if seat.settings.comprehension
                    else None,
                )
            finally:
                limit.release()
            if problem.trouble == "timeout":
                limit.slowed(started, 0.0)
                return self._record(
                    exchange,
                    mode=mode,
                    outcome="timeout",
                    text=str(problem),
                    latency_s=self.limits.timeout_s,
                    tries=tries,
                )
            pause_s = self._pause(seat, client, mode, problem, failures)
            if problem.trouble == "rejected" and pause_s == 0.0:
                continue  # asked in another way from now on
            if problem.trouble == "busy" and not limit.slowed(started, pause_s):
                continue
            failures += 1
            if problem.trouble == "rejected" or failures > self.limits.transport_retries:
                if may_put_back:
                    self._tries[key] = tries
                    raise GamePutBack(str(problem))
                return self._record(exchange, mode=mode, text=str(problem), tries=tries)
            if problem.trouble != "busy":
                await asyncio.sleep(pause_s)

    def _pause(
        self, seat: _Seat, client: ModelClient, mode: OutputMode, problem: RequestFailed, failures: int
    ) -> float:
        """Return the seconds until the next try; 0 where the request was refused as it is and is sent in another way.

        Raises:
            ProviderError: Another try makes no sense.
        """
        asked_s = problem.retry_after_s
        if problem.trouble == "rejected" and client.step_down(mode):
            return 0.0
        if problem.trouble == "fatal" or (problem.trouble == "rejected" and not client.answered):
            raise ProviderError(f"{seat.name} ({seat.settings.model}) cannot be asked: {problem}")
        if asked_s is not None and asked_s > LONGEST_PAUSE_S:
            raise ProviderError(
                f"{seat.name} ({seat.settings.model}) asks for a pause of {asked_s:,.0f} s: go on after it"
            )
        backoff_s = min(_LONGEST_BACKOFF_S, self.limits.backoff_s * 2**failures)
        return backoff_s if asked_s is None else max(asked_s, 0.001)

    def _record(self, exchange: Exchange, **outcome: object) -> Exchange:
        found = msgspec.structs.replace(exchange, **outcome)
        if self.recorder is not None:
            self.recorder.add(found)
        self.purse.add(found)
        if self._heard is not None:
            self._heard(found)
        return found

    async def close(self, *, patience_s: float = 0.0) -> None:
        """Ask nothing more, wait a while for replies that are paid for, then close all connections."""
        self._closing = True
        until = asyncio.get_running_loop().time() + patience_s
        while self._sent and asyncio.get_running_loop().time() < until:
            await asyncio.wait(self._under_way, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
        for task in self._under_way:
            task.cancel()
        for client in self._clients.values():
            await client.close()

    @property
    def awaited(self) -> int:
        """How many replies are on their way."""
        return self._sent


def _misread(text: str, finish: str | None, mode: OutputMode, question: Question) -> tuple[str, ...] | None:
    """Return what a model misread of its hand and the price; None where its reply cannot be read at all."""
    try:
        reply = read_reply(text, finish, mode)
    except AgentFailed:
        return None
    wrong = []
    if reply.hand != question.hand_held:
        wrong.append("hand")
    if reply.to_call != question.to_call:
        wrong.append("toCall")
    return tuple(wrong)
