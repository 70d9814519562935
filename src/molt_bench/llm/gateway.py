"""The gateway: where all models of a run are asked. It keeps the limits, retries, records, and counts the cost."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from molt_bench.errors import ConfigError, GameUnfinished, ProviderError, RunHalted
from molt_bench.llm.after_failure import RequestLimits, Standing, next_step
from molt_bench.llm.disk_flush import DiskFlush
from molt_bench.llm.money.accounts import PREFLIGHT, Accounts
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.money.purse import Purse
from molt_bench.llm.money.turns import Turns
from molt_bench.llm.new_client import new_client
from molt_bench.llm.prompt import prompt_hash
from molt_bench.llm.rate_limits import ModelLimit, most_connections
from molt_bench.llm.recorder import Recorder
from molt_bench.llm.request import Participant, Request, cut_short, unanswered
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.skill_document import system_prompt
from molt_bench.llm.tellings import Tellings
from molt_bench.llm.trouble import RequestFailed, Trouble
from molt_bench.llm.types import Answer, Exchange, ExchangeOutcome, Prompt, Question, Said
from molt_bench.llm.under_way import UnderWay
from molt_bench.specs import CONNECT_S, GameLabel

if TYPE_CHECKING:  # it needs the extra llm
    from molt_bench.llm.client import ModelClient

#: The system prompt and the message of that question, and how many tokens the answer may have.
PREFLIGHT_PROMPT: Final = ("Answer in one word.", "Are you ready?")
_PREFLIGHT_TOKENS: Final = 16
#: What came of that question, by why it brought no reply.
_OUTCOMES: Final[Mapping[Trouble, ExchangeOutcome]] = {"timeout": "timeout", "hung": "timeout", "refused": "refused"}


class Gateway:
    """Asks the models of a run; raises ConfigError if a key, a package or a skill document is missing.

    Args:
        participants: The settings of every participant that is a model, by name.
        recorder: Holds the exchanges; None asks every time and keeps nothing, for single games.
        limits: How requests are limited and retried.
        prices: What the models cost.
        purse: What may be spent.
        hands: Hands of a game.
        told: Tells the user what happens.
    """

    def __init__(
        self,
        participants: Mapping[str, LLMSettings],
        *,
        recorder: Recorder | None = None,
        limits: RequestLimits | None = None,
        prices: PriceList | None = None,
        purse: Purse | None = None,
        hands: int = 1,
        told: Tellings | None = None,
    ) -> None:
        self.recorder = recorder
        self.limits = limits or RequestLimits()
        self.purse = purse or Purse()
        self._told = told or Tellings()
        self._disk = DiskFlush(recorder)
        self._prices = prices = prices or PriceList({})
        self._accounts = Accounts(self._disk, prices, self.purse, warn=self._told.warn, on_exchange=self._took)
        skills = dict(recorder.skills) if recorder is not None else {}
        asking = recorder is None or not recorder.read_only
        for name, settings in participants.items():
            if name not in skills:
                skills[name] = system_prompt(settings) if asking else ""
        self._participants = {
            name: Participant(name, each, skills[name], prices, limited=self.purse.limited)
            for name, each in participants.items()
        }
        self.turns = Turns(self._participants, prices, self.purse, hands=hands)
        for exchange in recorder.earlier if recorder is not None else ():
            self.turns.add(exchange)
        self._everybody = [*participants.values()]
        self._asking: dict[bytes, Participant] = {}
        self._clients: dict[bytes, ModelClient] = {}
        for each in self._participants.values() if asking else ():
            self._client(each)
        self._rates = {each.endpoint: self._rate(each) for each in self._everybody}
        if recorder is not None and asking:
            recorder.begin(skills)
        self._room = asyncio.Semaphore(min(self.limits.max_concurrent, most_connections()))
        self._under_way = UnderWay()
        self._closing = False
        self._sent: Counter[str] = Counter()

    def allow(self, asked: Iterable[LLMSettings]) -> None:
        """Let participants' own code ask some models."""
        more = [*asked]
        self._everybody += more
        self._rates |= {each.endpoint: self._rate(each) for each in more}

    def _took(self, exchange: Exchange) -> None:
        self.turns.add(exchange)
        bought = self.turns.games_bought() if self._told.estimates else None
        if bought is not None:
            self._told.estimated(self.purse, bought)
        if self._told.on_exchange is not None:
            self._told.on_exchange(exchange)

    def _rate(self, settings: LLMSettings) -> ModelLimit:
        """Return the limit of a model; participants that share a model share the tightest of their limits."""
        alike = [each for each in self._everybody if each.endpoint == settings.endpoint]
        paces = [each.requests_per_minute for each in alike if each.requests_per_minute is not None]
        most = min((each.max_concurrent for each in alike if each.max_concurrent is not None), default=None)
        return ModelLimit(
            most,
            cautious=self.purse.limited,
            per_minute=min(paces, default=None),
            timeout_s=self.limits.timeout_s,
        )

    def _client(self, asked: Participant) -> "ModelClient":
        """Return the client of a model, made when it is asked first. Raises ConfigError if it cannot be."""
        found = self._clients.get(asked.hash)
        if found is None:
            found = self._clients[asked.hash] = new_client(asked.settings, keep_alive=self.recorder is not None)
        return found

    async def ask(self, participant: str, question: Question) -> Exchange:
        """Return the exchange for a question: the recorded one, or a new one, recorded before it is returned.

        Raises:
            GameUnfinished: The money is spent.
            RunHalted: The model cannot be asked, or its reply cannot be recorded.
        """
        asked = self._participants[participant]
        return await self._answer(asked, question, prompt_hash(asked.settings.reply_form, asked.skill, question.said))

    async def ask_for(
        self, participant: str, settings: LLMSettings, game: GameLabel, said: tuple[Said, ...], number: int
    ) -> Exchange:
        """Return the exchange for what a participant's own code asks; see `ask`.

        `number` is how often it has asked the same in this game, this time included.
        """
        asked = Participant(participant, settings, "", self._prices, limited=self.purse.limited)
        asked = self._asking.setdefault(asked.hash, asked)
        return await self._answer(asked, Question(game, 0, 0, number, said), prompt_hash("", "", said))

    async def _answer(self, asked: Participant, question: Question, prompt: str) -> Exchange:
        exchange = unanswered(question, asked.name, asked.hash, prompt)
        if self.recorder is not None:
            known = self.recorder.find(question.game, exchange.key)
            if known is not None:
                return known
            if self.recorder.read_only:
                raise ProviderError(f"no exchange is recorded for {asked.name}, {question.place}")
        return await self._under_way.finish(self._ask(asked, question, exchange))

    async def greet(self, participant: str) -> None:
        """Check before the first card that a model can be asked: connect, and ask it one short question.

        The question is asked once in a run, and not at all if an exchange with the model is recorded. An unusable
        answer is no error here: the games deal with it. Only what would stop them is.

        Raises:
            ConfigError: There is no connection to the user's own server.
            ProviderError: There is no connection to the provider, or it refuses for good.
        """
        asked = self._participants[participant]
        try:
            await self._client(asked).connect(within_s=CONNECT_S)
        except RequestFailed as problem:
            if asked.settings.base_url is not None:
                expected = f"a server that answers ({problem})"
                raise ConfigError("baseUrl", asked.settings.base_url, expected) from None
            raise ProviderError(f"{asked} cannot be asked: {problem}") from None
        earlier = self.recorder.earlier if self.recorder is not None else ()
        if any(exchange.participant == participant for exchange in earlier):
            return
        try:
            await self._under_way.finish(self._greet(asked))
        except RunHalted:
            raise
        except GameUnfinished:
            pass  # the money is spent, which the games will notice

    async def _greet(self, asked: Participant) -> Exchange:
        system, message = PREFLIGHT_PROMPT
        said = (Said("system", system), Said("user", message))
        prompt = prompt_hash(asked.settings.reply_form, "", said)
        exchange = unanswered(Question(PREFLIGHT, 0, 0, 0, said), asked.name, asked.hash, prompt)
        request = Request(asked, Prompt(said, max_tokens=_PREFLIGHT_TOKENS), exchange)
        answer = await self._send(request)
        if isinstance(answer, Answer):
            self._told.answered_as(asked, answer.model)
            return await self._accounts.record(exchange, request, **self._accounts.reply(request, answer))
        if answer.trouble == "fatal":
            raise ProviderError(f"{asked} cannot be asked: {answer}")
        outcome = _OUTCOMES.get(answer.trouble, "transport")
        return await self._accounts.record(exchange, request, outcome=outcome, text=str(answer))

    async def _ask(self, asked: Participant, question: Question, exchange: Exchange) -> Exchange:
        """Ask until there is a reply, or none is to be had; `next_step` decides, and this does what it says."""
        client, rate = self._client(asked), self._rates[asked.settings.endpoint]
        system = (Said("system", asked.skill),) if asked.skill else ()
        request = Request(asked, Prompt((*system, *question.said)), exchange)
        failures, since = 0, _now()
        while True:
            answer = await self._send(request)
            if isinstance(answer, Answer):
                reply = self._accounts.reply(request, answer)
                self._answered(request, rate)
                self._told.answered_as(asked, answer.model)
                least = asked.replies.cut_off(request.hold) if answer.finish == "length" else None
                if least is not None:  # by a limit of ours, not of the user's: that is not the model's fault
                    await self._accounts.record(cut_short(exchange, request), request, **{**reply, "outcome": "cut"})
                    request.begin_again(least)
                    continue
                return await self._accounts.record(exchange, request, **reply)
            if answer.about_limit and asked.replies.refused(request.hold):
                continue
            since = since if failures else request.started
            client.refusals += answer.trouble == "refused"
            standing = Standing(
                ever_answered=client.has_answered,
                at_floor=rate.at_floor,
                troubled_s=_now() - min(since, rate.troubled_since or since),
                answers_others=rate.answered_from > request.started,
                refusals=client.refusals,
            )
            step = next_step(answer, failures, self.limits, standing)
            if step.name == "stop":
                raise ProviderError(f"{asked} at {client.url} {step.reason}")
            if step.name == "refused":
                self._told.refused(asked, answer)
                told: dict[str, Any] = {"outcome": "refused", "text": str(answer), "cost_usd": 0.0}
                return await self._accounts.record(exchange, request, **told)
            if step.slows:
                rate.slowed(request.started, step.pause_s)
            if step.name == "give up":
                outcome = _OUTCOMES.get(answer.trouble, "transport")
                latency_s = self.limits.timeout_s if outcome == "timeout" else 0.0
                came: dict[str, Any] = {"outcome": outcome, "latency_s": latency_s, "text": str(answer)}
                return await self._accounts.record(exchange, request, **came)
            if step.counts:
                failures += 1
                if rate.failed(step.pause_s, pause=step.pauses):
                    self._told.warn(f"{asked} at {client.url} is paused, and tried again until it answers: {answer}")
            if answer.trouble != "busy" and not rate.paused:  # then nothing is sent until the pause is over
                await asyncio.sleep(step.pause_s)

    def _answered(self, request: Request, rate: ModelLimit) -> None:
        """Take note that a model has answered."""
        if rate.paused and rate.troubled_since is not None:
            self._told.warn(f"{request.asked} answers again, after {_now() - rate.troubled_since:,.0f} s")
        rate.succeeded(request.latency_s, started=request.started)
        self._client(request.asked).refusals = 0
        self._slow_if_exceeded(request, rate)

    def _slow_if_exceeded(self, request: Request, rate: ModelLimit) -> None:
        """Send one request at a time again if one took more than it was allowed to."""
        if request.exceeded and self.purse.limited:
            rate.exceeded()
            self._told.exceeded(request.asked)

    async def _send(self, request: Request) -> Answer | RequestFailed:
        """Send one request when its turn comes; return the answer, or why there is none."""
        asked = request.asked
        client, rate = self._client(asked), self._rates[asked.settings.endpoint]
        await self._turn(request, rate)
        try:
            async with self._sending(request):
                return await client.ask(request.prompt, timeout_s=self.limits.timeout_s, limit=request.hold.limit)
        except RequestFailed as problem:
            if not problem.may_cost:
                self._disk.free(request)
            else:
                self._accounts.lose(request, told=problem.tokens, trouble=problem.trouble)
                self._slow_if_exceeded(request, rate)
            return problem
        finally:
            rate.release()
            self.turns.over()

    async def _turn(self, request: Request, rate: ModelLimit) -> None:
        """Wait for a turn: of the game, as the money reaches for it, and of the model."""
        while True:
            await self.turns.turn(request.game)
            try:
                await rate.acquire()
            except BaseException:
                self.turns.over()
                raise
            if self.turns.reaches(request.game):
                return
            # Replies that came meanwhile were dearer than was thought: the money is for the games before this one.
            rate.release(unused=True)
            self.turns.over()

    @asynccontextmanager
    async def _sending(self, request: Request) -> AsyncIterator[None]:
        """Wait until one more request may be under way.

        Raises GameUnfinished if the money is spent, or the gateway is closing; RunHalted if no reply can be recorded.
        """
        async with self._room:
            await self._disk.room()
            hold = request.hold = await self.purse.take(request.holds)
            name = request.asked.name
            self._sent[name] += 1
            try:
                if self._closing:
                    raise GameUnfinished("no more questions are asked")
                await self._disk.room()  # else it is on file, and never sent
                self._disk.reserve(request)
                await self._disk.room()
                request.tries += 1
                request.started = _now()
                yield
                request.latency_s = _now() - request.started
            finally:
                self._sent[name] -= 1
                self.purse.give_back(hold)

    async def settled(self) -> None:
        """Wait for the replies that are still to come, as long as an answer may take."""
        await self._under_way.settled(within_s=self.limits.timeout_s)

    async def close(self, *, patience_s: float | None = None) -> None:
        """Ask nothing more, wait for replies that are paid for, then close all connections.

        They are awaited for `patience_s` seconds; None for as long as an answer may take.
        """
        self._closing = True
        within_s = self.limits.timeout_s if patience_s is None else patience_s
        await self._under_way.end(within_s=within_s, awaited=lambda: self.awaited)
        for client in self._clients.values():
            await client.close()

    @property
    def awaited(self) -> Counter[str]:
        """Number of replies that are still to come, by participant."""
        return +self._sent


def _now() -> float:
    return asyncio.get_running_loop().time()
