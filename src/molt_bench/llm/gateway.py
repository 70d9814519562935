"""The gateway: where the models of a run are asked. What is on record is not asked again."""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterable, Mapping
from typing import Any, Final

from molt_bench.errors import GameUnfinished, ProviderError, RunHalted
from molt_bench.llm.after_failure import RequestLimits
from molt_bench.llm.desk import Desk, Listener
from molt_bench.llm.ledger import Recorder
from molt_bench.llm.prices import PriceList
from molt_bench.llm.prompt import system_prompt
from molt_bench.llm.purse import Purse
from molt_bench.llm.rate_limits import ModelLimit
from molt_bench.llm.reply_costs import ReplyCosts
from molt_bench.llm.request import AskedModel, Request
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.turns import Turns
from molt_bench.llm.types import NOTHING_LOST, Exchange, Said
from molt_bench.specs import GameLabel

#: The question that every model is asked before the first card, and the game under which it is recorded.
PREFLIGHT_PROMPT: Final = ("Answer in one word.", "Are you ready?")
PREFLIGHT: Final = GameLabel(0, "preflight", "AB")


class Gateway:
    """Asks the models of a run; raises ConfigError if a key, a package or a skill document is missing.

    Attributes:
        purse: What may be spent, and what was.
        turns: Whose turn it is to ask.

    Args:
        participants: The settings of every participant that is a model, by name.
        recorder: Holds the exchanges; None asks every time and keeps nothing, for single games.
        limits: How requests are limited and retried.
        prices: What the models cost.
        purse: What may be spent.
        listener: Told what happens.
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
        listener: Listener | None = None,
        others: Iterable[LLMSettings] = (),
    ) -> None:
        self._recorder = recorder
        self.limits, self._prices, self.purse = limits or RequestLimits(), prices or PriceList({}), purse or Purse()
        self.turns = Turns(participants, self.purse)
        self._desk = Desk(recorder, self.limits, self._prices, self.purse, self.turns, listener or Listener())
        self._under_way: set[asyncio.Task[Exchange]] = set()
        sharing: dict[str, list[LLMSettings]] = {}
        for each in (*participants.values(), *others):
            sharing.setdefault(each.endpoint, []).append(each)
        self._rates = {name: ModelLimit(*some, cautious=self.purse.limited) for name, some in sharing.items()}
        self._models: dict[bytes, AskedModel] = {}
        skills = dict(recorder.skills) if recorder is not None else {}
        asking = recorder is None or not recorder.read_only
        for name, each in participants.items():
            if name not in skills:
                skills[name] = system_prompt(each) if asking else ""
        self._participants = {
            name: self._asked(name, each, skill=skills[name], form=each.reply_form)
            for name, each in participants.items()
        }
        for asked in self._participants.values() if asking else ():
            asked.client  # noqa: B018 - one that cannot be made is an error before the first card
        for exchange in recorder.earlier if recorder is not None else ():
            self.turns.add(exchange)
            played = self._participants.get(exchange.participant)
            if played is not None and exchange.hand and exchange.tokens.total:
                played.replies.learn(exchange.tokens, exchange.cost_usd)
        if recorder is not None and asking:
            recorder.begin(skills)

    def _asked(self, participant: str, settings: LLMSettings, *, skill: str = "", form: str = "") -> AskedModel:
        replies = ReplyCosts(settings, self._prices, limited=self.purse.limited)
        rate, keep_alive = self._rates[settings.endpoint], self._recorder is not None
        asked = AskedModel(participant, settings, rate, replies, skill=skill, form=form, keep_alive=keep_alive)
        return self._models.setdefault(asked.hash, asked)

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
        asked = self._asked(participant, settings)
        return await self._answer(asked, asked.question(game, said, attempt=number))

    async def greet(self, participant: str) -> None:
        """Check before the first card that a model can be asked: ask it one short question.

        It is asked once in a run, and not at all if an exchange with the model is recorded. An unusable answer is no
        error here: the games deal with it. Only what would stop them is.

        Raises:
            ConfigError: There is no connection to the user's own server.
            ProviderError: There is no connection to the provider, or it refuses for good.
        """
        earlier = self._recorder.earlier if self._recorder is not None else ()
        if any(exchange.participant == participant for exchange in earlier):
            return
        system, message = PREFLIGHT_PROMPT
        asked, said = self._participants[participant], (Said("system", system), Said("user", message))
        request = self._request(asked, asked.question(PREFLIGHT, said))
        try:
            await self._finished(self._desk.greet(request))
        except RunHalted:
            raise
        except GameUnfinished:
            pass  # the money is spent, which the games will notice

    async def _answer(self, asked: AskedModel, exchange: Exchange) -> Exchange:
        if self._recorder is not None:
            known, game = self._recorder.find(exchange.game, exchange.key), exchange.game
            if known is not None:
                return known
            if self._recorder.read_only:
                place = f"match {game.match}, seed {game.seed!r}, seating {game.seating}, hand {exchange.hand}"
                raise ProviderError(f"no exchange is recorded for {asked.participant}, {place}")
        return await self._finished(self._desk.answer(self._request(asked, exchange)))

    def _request(self, asked: AskedModel, exchange: Exchange) -> Request:
        """Return the request for an exchange, with what an earlier session may have paid for the same."""
        lost = self._recorder.ledger.left_open(exchange.key) if self._recorder is not None else NOTHING_LOST
        return Request(asked, exchange, lost)

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
        self._desk.close()
        until = _now() + (self.limits.timeout_s if patience_s is None else patience_s)
        while self.awaited and _now() < until:
            await asyncio.wait(self._under_way, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
        for task in self._under_way:
            task.cancel()
        for asked in self._models.values():
            if asked.open is not None:
                await asked.open.close()

    @property
    def awaited(self) -> Counter[str]:
        """Number of replies that are still to come, by participant."""
        return self._desk.awaited


def _now() -> float:
    return asyncio.get_running_loop().time()
