"""The desk: sends a request when its turn comes, again where that may help, and counts and records what comes of it."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec

from molt_bench.errors import ConfigError, GameUnfinished, ProviderError
from molt_bench.llm.after_failure import RequestFailed, RequestLimits, Standing, Trouble, next_step
from molt_bench.llm.ledger import Recorder
from molt_bench.llm.prices import PriceList
from molt_bench.llm.purse import Amount, Purse
from molt_bench.llm.rate_limits import most_connections
from molt_bench.llm.reported_model import other_models
from molt_bench.llm.request import Request
from molt_bench.llm.turns import Turns
from molt_bench.llm.types import NO_TOKENS, Answer, Exchange, ExchangeOutcome, Tokens, Unaccounted

#: Troubles of a model that was asked too much at once.
_TOO_MUCH: Final[frozenset[Trouble]] = frozenset({"busy", "timeout", "hung"})
#: What comes of a question, by why it brought no reply.
_OUTCOMES: Final[Mapping[Trouble, ExchangeOutcome]] = {"timeout": "timeout", "hung": "timeout", "refused": "refused"}


class Listener(msgspec.Struct, frozen=True):
    """Who is told what happens while models are asked.

    Attributes:
        on_warning: Told what goes wrong while the run goes on, such as a model that is paused.
        on_notice: Told what is good to know.
        on_exchange: Called with every new exchange.
    """

    on_warning: Callable[[str], object] | None = None
    on_notice: Callable[[str], object] | None = None
    on_exchange: Callable[[Exchange], object] | None = None


class Desk:
    """Sends requests until they are answered.

    Args:
        recorder: Holds the exchanges; None for single games.
        limits: How requests are limited and retried.
        prices: What the models cost.
        purse: What may be spent.
        turns: Whose turn it is to ask.
        listener: Told what happens.
    """

    def __init__(
        self,
        recorder: Recorder | None,
        limits: RequestLimits,
        prices: PriceList,
        purse: Purse,
        turns: Turns,
        listener: Listener,
    ) -> None:
        self._recorder, self._limits, self._listener = recorder, limits, listener
        self._prices, self._purse, self._turns = prices, purse, turns
        self._room = asyncio.Semaphore(most_connections())
        self._told: set[str] = set()
        self._sent: Counter[str] = Counter()
        self._closed = False

    async def greet(self, request: Request) -> Exchange:
        """Ask once; raises ConfigError or ProviderError if the model cannot be asked at all."""
        asked, answer = request.asked, await self._send(request)
        if isinstance(answer, Answer):
            return await self._record(request.exchange, **self._paid(request, answer))
        away = answer.trouble == "transport" and not answer.may_cost
        if away and asked.settings.base_url is not None:
            raise ConfigError("baseUrl", asked.settings.base_url, f"a server that answers ({answer})")
        if away or answer.trouble == "fatal":
            raise ProviderError(f"{asked} cannot be asked: {answer}")
        return await self._give_up(request, answer)

    async def answer(self, request: Request) -> Exchange:
        """Ask until there is a reply, or none is to be had; `next_step` decides, and this does what it says."""
        asked, rate, failures, since = request.asked, request.asked.rate, 0, _now()
        while True:
            answer = await self._send(request)
            if isinstance(answer, Answer):
                paid = self._paid(request, answer)
                self._answered(request)
                least = asked.replies.cut_off(request.hold) if answer.finish == "length" else None
                if least is None:
                    return await self._record(request.exchange, **paid)
                # By a limit of ours, not of the user's: that is not the model's fault.
                await self._record(request.cut_short(least), **paid)
                continue
            if answer.about_limit and asked.replies.refused(request.hold):
                continue
            since = since if failures else request.started
            standing = Standing(
                failures=failures,
                ever_answered=asked.answered,
                at_floor=rate.at_floor,
                troubled_s=_now() - min(since, rate.troubled_since or since),
                answers_others=rate.answered_from > request.started,
            )
            step = next_step(answer, self._limits, standing)
            url = asked.client.url
            if step.name == "stop":
                raise ProviderError(f"{asked} at {url} {step.reason}")
            if answer.trouble in _TOO_MUCH:
                rate.slowed(request.started, step.pause_s)
            if step.name == "give up":
                return await self._give_up(request, answer)
            if step.counts:
                failures += 1
                if rate.failed(step.pause_s, pause=failures > self._limits.transport_retries):
                    self._warn(f"{asked} at {url} is paused, and tried again until it answers: {answer}")
            if answer.trouble != "busy" and not rate.paused:  # then nothing is sent until the pause is over
                await asyncio.sleep(step.pause_s)

    def _answered(self, request: Request) -> None:
        """Take note that a model has answered."""
        asked, rate = request.asked, request.asked.rate
        if rate.paused and rate.troubled_since is not None:
            self._warn(f"{asked} answers again, after {_now() - rate.troubled_since:,.0f} s")
        rate.succeeded(request.started)
        asked.answered = True

    def _paid(self, request: Request, answer: Answer) -> dict[str, Any]:
        """Return the fields of an exchange that a reply fills in, and count what it cost.

        What the reply states counts; else the prices do, of the service tier that it states.
        """
        asked, tokens, usd = request.asked, answer.tokens, answer.billed_usd
        # What has been said has been written.
        if tokens.possible and tokens.input > 0 and (tokens.output > 0 or not answer.text):
            usd = self._prices.cost(asked.settings, tokens, answer.tier) if usd is None else usd
            if request.exchange.attempt:  # a short question says nothing about others
                asked.replies.learn(tokens, usd)
        else:
            unpriced = ": its replies are unpriced" if usd is None else ""
            self._warn_once(f"{asked} reports no counts of tokens that can be true{unpriced}")
            if usd is None:
                self._lose(request, tokens)
            tokens = NO_TOKENS
        self._purse.spend(usd or 0.0, tokens.total)
        for warning in other_models(asked.participant, asked.settings.model, filter(None, [answer.model])):
            self._warn_once(warning)
        return {
            **{name: value for name, value in msgspec.structs.asdict(answer).items() if name != "billed_usd"},
            "outcome": "reply",
            "tokens": tokens,
            "cost_usd": usd,
            "latency_s": round(request.latency_s, 4),
            "tries": request.tries,
            "lost": request.lost,
        }

    def _lose(self, request: Request, told: Tokens) -> None:
        """Count a request whose cost is not known as one with the longest reply so far, or as the server told."""
        lost, tokens = request.hold.longest, Tokens(max(0, told.input), 0, max(0, told.output))
        if tokens.total and tokens.possible:
            usd = self._prices.cost(request.asked.settings, tokens)
            request.asked.replies.learn(tokens, usd)
            lost = lost.at_least(Amount(usd or 0.0, tokens.total))
        request.lost = request.lose(lost)
        self._purse.spend(lost.usd, lost.tokens)

    async def _give_up(self, request: Request, answer: RequestFailed) -> Exchange:
        """Record that there is no reply."""
        outcome = _OUTCOMES.get(answer.trouble, "transport")
        if outcome == "refused" and (asked := request.asked):
            self._warn_once(f"{asked} refuses a prompt, which counts as refused: {answer}", about=f"refused {asked}")
        return await self._record(
            request.exchange,
            outcome=outcome,
            text=str(answer),
            tries=request.tries,
            lost=request.lost,
            cost_usd=0.0 if outcome == "refused" else None,
            latency_s=self._limits.timeout_s if outcome == "timeout" else 0.0,
        )

    async def _record(self, exchange: Exchange, **fields: Any) -> Exchange:
        """Record an exchange."""
        found = msgspec.structs.replace(exchange, **fields)
        if self._recorder is not None:
            self._recorder.add(found)
        self._turns.add(found)
        self._tell_what_is_bought()
        if self._listener.on_exchange is not None:
            self._listener.on_exchange(found)
        return found

    def _tell_what_is_bought(self) -> None:
        """Tell once how many games the money buys, when it is known what hands cost."""
        tell = self._listener.on_notice
        games = self._turns.games_bought() if tell is not None and "bought" not in self._told else None
        if tell is not None and games is not None:
            self._told.add("bought")
            some = f"about {games:,.0f} games" if games >= 2 else "no seed pair"
            tell(f"by what the first hands have cost, the limit of {self._purse} buys {some}")

    def _warn(self, text: str) -> None:
        if self._listener.on_warning is not None:
            self._listener.on_warning(text)

    def _warn_once(self, text: str, *, about: str = "") -> None:
        """Warn, unless something was told before about the same."""
        if (about or text) not in self._told:
            self._told.add(about or text)
            self._warn(text)

    async def _send(self, request: Request) -> Answer | RequestFailed:
        """Send one request when its turn comes; return the answer, or why there is none.

        What it may cost is put on file before it is sent. Raises GameUnfinished if the money is spent, or the desk is
        closed; RunHalted if nothing can be recorded.
        """
        asked, client = request.asked, request.asked.client
        await self._turn(request)
        try:
            async with self._room, self._purse.holding(request.wanted) as request.hold:
                if self._closed:
                    raise GameUnfinished("no more questions are asked")
                self._put(request, request.lose(request.hold.longest))
                self._sent[asked.participant] += 1
                try:
                    request.tries += 1
                    request.started = _now()
                    limit = request.hold.limit
                    answer = await client.ask(request.messages, timeout_s=self._limits.timeout_s, limit=limit)
                    request.latency_s = _now() - request.started
                    return answer
                finally:
                    self._sent[asked.participant] -= 1
        except RequestFailed as problem:
            if problem.may_cost:
                self._lose(request, problem.tokens)
            else:
                self._put(request, request.lost)
            return problem
        finally:
            asked.rate.release()

    def _put(self, request: Request, lost: Unaccounted) -> None:
        if self._recorder is not None:
            self._recorder.ledger.put(request.exchange.key, lost)

    async def _turn(self, request: Request) -> None:
        """Wait for a turn: of the game, as the money reaches for it, and of the model."""
        game, rate = request.exchange.game, request.asked.rate
        while True:
            await self._turns.turn(game)
            await rate.acquire()
            if self._turns.reaches(game):
                return
            # Replies that came meanwhile were dearer than was thought: the money is for the games before this one.
            rate.release(unused=True)

    def close(self) -> None:
        """Send nothing more."""
        self._closed = True

    @property
    def awaited(self) -> Counter[str]:
        """Number of replies that are still to come, by participant."""
        return +self._sent


def _now() -> float:
    return asyncio.get_running_loop().time()
