"""The gateway: where all models of a run are asked. It keeps the limits, retries, records, and counts the cost."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec

from molt_bench.errors import ConfigError, GameUnfinished, ProviderError, RunHalted
from molt_bench.llm.accounts import Accounts
from molt_bench.llm.after_failure import RequestFailed, RequestLimits, Standing, Trouble, next_step
from molt_bench.llm.new_client import new_client
from molt_bench.llm.prices import PriceList
from molt_bench.llm.purse import Purse, ReplyCosts
from molt_bench.llm.rate_limits import ModelLimit, most_connections
from molt_bench.llm.recorder import Recorder
from molt_bench.llm.request import AskedModel, Request, settings_hash
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.skill_document import system_prompt
from molt_bench.llm.tellings import Tellings
from molt_bench.llm.turns import Turns
from molt_bench.llm.types import NOTHING_LOST, Answer, Exchange, ExchangeOutcome, Said
from molt_bench.specs import GameLabel

if TYPE_CHECKING:  # it needs the extra llm
    from molt_bench.llm.client import ModelClient

#: The question that every model is asked before the first card, and the game under which it is recorded.
PREFLIGHT_PROMPT: Final = ("Answer in one word.", "Are you ready?")
PREFLIGHT: Final = GameLabel(0, "preflight", "AB")
#: What comes of a question, by why it brought no reply.
_OUTCOMES: Final[Mapping[Trouble, ExchangeOutcome]] = {"timeout": "timeout", "hung": "timeout", "refused": "refused"}


class Gateway:
    """Asks the models of a run; raises ConfigError if a key, a package or a skill document is missing.

    Args:
        participants: The settings of every participant that is a model, by name.
        recorder: Holds the exchanges; None asks every time and keeps nothing, for single games.
        limits: How requests are limited and retried.
        prices: What the models cost.
        purse: What may be spent.
        told: Tells the user what happens.
        others: Models that participants' own code may ask.
    """

    def __init__(
        self,
        participants: Mapping[str, LLMSettings],
        *,
        recorder: Recorder | None = None,
        limits: RequestLimits | None = None,
        prices: PriceList | None = None,
        purse: Purse | None = None,
        told: Tellings | None = None,
        others: Iterable[LLMSettings] = (),
    ) -> None:
        self.recorder = recorder
        self.limits = limits or RequestLimits()
        self.purse = purse or Purse()
        self._told = told or Tellings()
        self._prices = prices or PriceList({})
        self._rates = self._limits_of([*participants.values(), *others])
        self._models: dict[bytes, AskedModel] = {}
        skills = dict(recorder.skills) if recorder is not None else {}
        asking = recorder is None or not recorder.read_only
        for name, settings in participants.items():
            if name not in skills:
                skills[name] = system_prompt(settings) if asking else ""
        self._participants = {
            name: self._asked(name, each, skill=skills[name], form=each.reply_form)
            for name, each in participants.items()
        }
        models = {name: (each, skills[name]) for name, each in participants.items()}
        for asked in self._participants.values() if asking else ():
            self._client(asked)
        self.turns = Turns(models, self._prices, self.purse)
        self._accounts = Accounts(self._prices, self.purse, self._told)
        if recorder is not None:
            for exchange in recorder.earlier:
                self._remember(exchange, recorder.sent_bytes.get(exchange.key, 0))
            if asking:
                recorder.begin(skills)
        self._room = asyncio.Semaphore(min(self.limits.max_concurrent, most_connections()))
        self._under_way: set[asyncio.Task[Exchange]] = set()
        self._closing = False
        self._sent: Counter[str] = Counter()

    def _limits_of(self, models: list[LLMSettings]) -> dict[str, ModelLimit]:
        """Return the limits by endpoint; participants that share one share the tightest of their limits."""
        found = {}
        for endpoint in {each.endpoint for each in models}:
            alike = [each for each in models if each.endpoint == endpoint]
            paces = [each.requests_per_minute for each in alike if each.requests_per_minute is not None]
            most = min((each.max_concurrent for each in alike if each.max_concurrent is not None), default=None)
            found[endpoint] = ModelLimit(
                most,
                cautious=self.purse.limited,
                per_minute=min(paces, default=None),
                timeout_s=self.limits.timeout_s,
            )
        return found

    def _asked(self, participant: str, settings: LLMSettings, *, skill: str = "", form: str = "") -> AskedModel:
        replies = ReplyCosts(settings, self._prices, limited=self.purse.limited)
        asked = AskedModel(participant, settings, self._rates[settings.endpoint], replies, skill=skill, form=form)
        return self._models.setdefault(asked.hash, asked)

    def _remember(self, exchange: Exchange, sent_bytes: int) -> None:
        """Learn from an exchange of an earlier session."""
        self.turns.add(exchange)
        asked = self._participants.get(exchange.participant)
        if asked is not None and exchange.hand and exchange.tokens.total:
            asked.replies.learn(sent_bytes, exchange.tokens, exchange.cost_usd)

    def _client(self, asked: AskedModel) -> "ModelClient":
        """Return the client of a model, made when it is asked first. Raises ConfigError if it cannot be."""
        if asked.client is None:
            asked.client = new_client(asked.settings, keep_alive=self.recorder is not None)
        return asked.client

    async def ask(
        self, participant: str, game: GameLabel, said: tuple[Said, ...], *, hand: int, decision: int, attempt: int
    ) -> Exchange:
        """Return the exchange for a question: the recorded one, or a new one, recorded before it is returned.

        Args:
            participant: Who is asked.
            game: The game that it plays.
            said: The messages, without its system prompt.
            hand: The hand of that game, from 1.
            decision: Number of actions in the hand before this decision.
            attempt: Number of the attempt at the decision, from 1.

        Raises:
            GameUnfinished: The money is spent.
            RunHalted: The model cannot be asked, or its reply cannot be recorded.
        """
        asked = self._participants[participant]
        return await self._answer(asked, asked.question(game, said, hand=hand, decision=decision, attempt=attempt))

    async def ask_for(
        self, participant: str, settings: LLMSettings, game: GameLabel, said: tuple[Said, ...], number: int
    ) -> Exchange:
        """Return the exchange for what a participant's own code asks; see `ask`.

        `number` is how often it has asked the same in this game, this time included.
        """
        asked = self._models.get(settings_hash(participant, settings)) or self._asked(participant, settings)
        return await self._answer(asked, asked.question(game, said, attempt=number))

    async def _answer(self, asked: AskedModel, exchange: Exchange) -> Exchange:
        if self.recorder is not None:
            known, game = self.recorder.find(exchange.game, exchange.key), exchange.game
            if known is not None:
                return known
            if self.recorder.read_only:
                place = f"match {game.match}, seed {game.seed!r}, seating {game.seating}, hand {exchange.hand}"
                raise ProviderError(f"no exchange is recorded for {asked.participant}, {place}")
        return await self._finished(self._ask(self._request(asked, exchange)))

    def _request(self, asked: AskedModel, exchange: Exchange) -> Request:
        """Return the request for an exchange, with what an earlier session may have paid for the same."""
        lost = self.recorder.ledger.left_open(exchange.key) if self.recorder is not None else NOTHING_LOST
        return Request(asked, exchange, lost)

    async def greet(self, participant: str) -> None:
        """Check before the first card that a model can be asked: ask it one short question.

        It is asked once in a run, and not at all if an exchange with the model is recorded. An unusable answer is no
        error here: the games deal with it. Only what would stop them is.

        Raises:
            ConfigError: There is no connection to the user's own server.
            ProviderError: There is no connection to the provider, or it refuses for good.
        """
        earlier = self.recorder.earlier if self.recorder is not None else ()
        if any(exchange.participant == participant for exchange in earlier):
            return
        system, message = PREFLIGHT_PROMPT
        asked, said = self._participants[participant], (Said("system", system), Said("user", message))
        exchange = asked.question(PREFLIGHT, said)
        try:
            await self._finished(self._greet(self._request(asked, exchange)))
        except RunHalted:
            raise
        except GameUnfinished:
            pass  # the money is spent, which the games will notice

    async def _greet(self, request: Request) -> Exchange:
        asked, answer = request.asked, await self._send(request)
        if isinstance(answer, Answer):
            return await self._record(request.exchange, **self._accounts.reply(request, answer))
        away = answer.trouble == "transport" and not answer.may_cost
        if away and asked.settings.base_url is not None:
            raise ConfigError("baseUrl", asked.settings.base_url, f"a server that answers ({answer})")
        if away or answer.trouble == "fatal":
            raise ProviderError(f"{asked} cannot be asked: {answer}")
        return await self._give_up(request, answer)

    async def _ask(self, request: Request) -> Exchange:
        """Ask until there is a reply, or none is to be had; `next_step` decides, and this does what it says."""
        asked, rate, failures, since = request.asked, request.asked.rate, 0, _now()
        while True:
            answer = await self._send(request)
            if isinstance(answer, Answer):
                reply = self._accounts.reply(request, answer)
                self._answered(request)
                least = asked.replies.cut_off(request.hold) if answer.finish == "length" else None
                if least is None:
                    return await self._record(request.exchange, **reply)
                # By a limit of ours, not of the user's: that is not the model's fault.
                await self._record(request.cut_short(least), **{**reply, "outcome": "cut"})
                continue
            if answer.about_limit and asked.replies.refused(request.hold):
                continue
            since = since if failures else request.started
            asked.refusals += answer.trouble == "refused"
            standing = Standing(
                failures=failures,
                ever_answered=asked.answered,
                at_floor=rate.at_floor,
                troubled_s=_now() - min(since, rate.troubled_since or since),
                answers_others=rate.answered_from > request.started,
                refusals=asked.refusals,
            )
            step = next_step(answer, self.limits, standing)
            url = self._client(asked).url
            if step.name == "stop":
                raise ProviderError(f"{asked} at {url} {step.reason}")
            if step.slows:
                rate.slowed(request.started, step.pause_s)
            if step.name == "give up":
                return await self._give_up(request, answer)
            if step.counts:
                failures += 1
                if rate.failed(step.pause_s, pause=step.pauses):
                    self._told.warn(f"{asked} at {url} is paused, and tried again until it answers: {answer}")
            if answer.trouble != "busy" and not rate.paused:  # then nothing is sent until the pause is over
                await asyncio.sleep(step.pause_s)

    def _answered(self, request: Request) -> None:
        """Take note that a model has answered."""
        asked, rate = request.asked, request.asked.rate
        if rate.paused and rate.troubled_since is not None:
            self._told.warn(f"{asked} answers again, after {_now() - rate.troubled_since:,.0f} s")
        rate.succeeded(request.latency_s, started=request.started)
        asked.answered, asked.refusals = True, 0

    async def _give_up(self, request: Request, answer: RequestFailed) -> Exchange:
        """Record that there is no reply."""
        outcome = _OUTCOMES.get(answer.trouble, "transport")
        if outcome == "refused":
            asked = request.asked
            told = f"{asked} refuses a prompt: counted as refused, as will be others ({answer})"
            self._told.once(f"refused {asked}", told)
        return await self._record(
            request.exchange,
            outcome=outcome,
            text=str(answer),
            tries=request.tries,
            lost=request.lost,
            cost_usd=0.0 if outcome == "refused" else None,
            latency_s=self.limits.timeout_s if outcome == "timeout" else 0.0,
        )

    async def _record(self, exchange: Exchange, **fields: Any) -> Exchange:
        """Record an exchange."""
        found = msgspec.structs.replace(exchange, **fields)
        if self.recorder is not None:
            self.recorder.add(found)
        self.turns.add(found)
        bought = None if self._told.bought else self.turns.games_bought()
        if bought is not None:
            self._told.buys(self.purse.limit, bought)
        self._told.on_exchange(found)
        return found

    async def _send(self, request: Request) -> Answer | RequestFailed:
        """Send one request when its turn comes; return the answer, or why there is none."""
        client = self._client(request.asked)
        await self._turn(request)
        try:
            async with self._sending(request):
                return await client.ask(request.messages, timeout_s=self.limits.timeout_s, limit=request.hold.limit)
        except RequestFailed as problem:
            if problem.may_cost:
                self._accounts.lose(request, problem.tokens, problem.trouble)
            elif self.recorder is not None:
                self.recorder.ledger.put(request.exchange.key, request.lost)
            return problem
        finally:
            request.asked.rate.release()

    async def _turn(self, request: Request) -> None:
        """Wait for a turn: of the game, as the money reaches for it, and of the model."""
        game, rate = request.exchange.game, request.asked.rate
        while True:
            await self.turns.turn(game)
            await rate.acquire()
            if self.turns.reaches(game) or self.purse.idle:
                return
            # Replies that came meanwhile were dearer than was thought: the money is for the games before this one.
            rate.release(unused=True)

    @asynccontextmanager
    async def _sending(self, request: Request) -> AsyncIterator[None]:
        """Wait until one more request may be under way, and put on file what it may cost.

        Raises GameUnfinished if the money is spent, or the gateway is closing; RunHalted if nothing can be recorded.
        """
        async with self._room:
            hold = request.hold = await self.purse.take(request.wanted)
            name = request.asked.participant
            self._sent[name] += 1
            try:
                if self._closing:
                    raise GameUnfinished("no more questions are asked")
                if self.recorder is not None:
                    self.recorder.ledger.put(request.exchange.key, request.may_cost())
                request.tries += 1
                request.started = _now()
                yield
                request.latency_s = _now() - request.started
            finally:
                self._sent[name] -= 1
                self.purse.give_back(hold)

    async def _finished(self, asking: Coroutine[Any, Any, Exchange]) -> Exchange:
        """Return what comes of a question; a reply that is paid for is recorded even if the game has gone on."""
        task = asyncio.ensure_future(asking)
        self._under_way.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Exchange]) -> None:
        self._under_way.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, in case the game has gone on

    async def settled(self) -> None:
        """Wait for the replies that are still to come, as long as an answer may take."""
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=self.limits.timeout_s)

    async def close(self, *, patience_s: float | None = None) -> None:
        """Ask nothing more, wait for replies that are paid for, then close all connections.

        They are awaited for `patience_s` seconds; None for as long as an answer may take.
        """
        self._closing = True
        until = _now() + (self.limits.timeout_s if patience_s is None else patience_s)
        while self.awaited and _now() < until:
            await asyncio.wait(self._under_way, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
        for task in self._under_way:
            task.cancel()
        for asked in self._models.values():
            if asked.client is not None:
                await asked.client.close()

    @property
    def awaited(self) -> Counter[str]:
        """Number of replies that are still to come, by participant."""
        return +self._sent


def _now() -> float:
    return asyncio.get_running_loop().time()
