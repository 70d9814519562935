"""The budget: what a run may spend on language models. The most a request can cost is reserved before it is sent."""

import asyncio
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.errors import GameUnfinished
from molt_bench.llm.money.ledger import Unaccounted
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.money.reply_limit import ReplyLimit
from molt_bench.llm.providers import provider_of
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens

#: The limits of money, by their names in a config.
ModelLimit: TypeAlias = Literal["maxCostUsd", "maxTokens"]

#: Most tokens of a prompt: this many for each byte of text (English has half as many), and some for the reply's form.
_TOKENS_PER_BYTE: Final = 0.5
_TOKENS_OF_FORM: Final = 400
#: Bytes from which on a prompt tells how many tokens a byte has. What a short one takes more is added to every prompt.
_LONG: Final = 1000
#: Most tokens of a reply where no limit is sent, as a guess: without and with an effort to reason.
REPLY_TOKENS: Final = 8_192
REASONING_TOKENS: Final = 32_768
#: By how much a model that exceeded what was reserved for it is expected to do so again.
_MARGIN: Final = 1.5


class Reservation(msgspec.Struct, frozen=True):
    """The most that one request can cost; dollars are 0 where no price is known.

    Attributes:
        limit: Tokens of the reply that the request asks for, where that is not up to the user's settings.
        output: Tokens of the reply that are reserved.
    """

    usd: float = 0.0
    tokens: int = 0
    limit: int | None = None
    output: int = 0


class Reserve:
    """Works out the most that a request to one model can cost, and learns from replies that were longer.

    Args:
        settings: The model and how it is asked.
        prices: What it costs.
        limited: Whether money is limited. Then every request has a limit of tokens: the user's, or one of ours.
    """

    def __init__(self, settings: LLMSettings, prices: PriceList, *, limited: bool) -> None:
        self._settings = settings
        self._prices = prices
        self._per_byte = _TOKENS_PER_BYTE
        self._form = float(_TOKENS_OF_FORM)
        sent = provider_of(settings.provider).sent_max_tokens(settings)
        self._ours = ReplyLimit(settings) if limited and settings.max_tokens is None else None
        usual = REPLY_TOKENS if settings.reasoning_effort is None else REASONING_TOKENS
        usual = max(usual, REPLY_TOKENS + (settings.thinking_tokens or 0))
        # Under a limit of ours, what is reserved is what is sent, unless the server does not keep to it.
        self._output = 0 if self._ours is not None else usual if sent is None else sent
        self._longest = 0
        self._known: dict[tuple[int, int], float] = {}

    def most(self, sent_bytes: int, max_tokens: int | None = None) -> Reservation:
        """Return the most that a request of so many bytes can cost; `max_tokens` is a limit for this one alone."""
        # Rounded up, so that few different prices are looked up.
        asked = -int(-(sent_bytes * self._per_byte + self._form) // 64) * 64
        limit = self._ours.tokens if self._ours is not None and max_tokens is None else None
        written = max(self._output, limit or 0) if max_tokens is None else max_tokens
        if (asked, written) not in self._known:
            # Writing to a cache costs more than other input.
            worst = [Tokens(asked, 0, written), Tokens(asked, 0, written, cache_writes=asked)]
            self._known[asked, written] = max(self._prices.cost(self._settings, tokens) or 0.0 for tokens in worst)
        return Reservation(self._known[asked, written], asked + written, limit, written)

    def usual(self, sent_bytes: int, most: Reservation) -> Reservation:
        """Return what a request of so many bytes costs if its reply is the longest so far; `most` if there is none."""
        found = self.most(sent_bytes, self._longest) if self._longest else most
        return min(found, most, key=lambda each: each.tokens)

    def learn(self, sent_bytes: int, tokens: Tokens, most: Reservation) -> bool:
        """Reserve more from now on if a reply took more than was reserved for it; return whether it did."""
        if sent_bytes < _LONG:
            form = tokens.input - sent_bytes * self._per_byte
            self._form = form * _MARGIN if form > self._form else self._form
        elif (per_byte := (tokens.input - self._form) / sent_bytes) > self._per_byte:
            self._per_byte = per_byte * _MARGIN
        self._longest = max(self._longest, tokens.output)
        if tokens.output > most.output:
            self._output = max(self._output, int(tokens.output * _MARGIN))
        if self._ours is not None and most.limit is not None:
            self._ours.learn(min(tokens.output, most.limit))
        return tokens.total > most.tokens

    def cut_off(self, most: Reservation) -> bool:
        """Take note that a reply met its limit; return whether it was ours, and more room can be given."""
        return self._ours is not None and most.limit is not None and self._ours.cut_off(most.limit)

    def refused(self, most: Reservation) -> bool:
        """Take note that a server refused a limit; return whether it was ours, and a lower one can be tried."""
        return self._ours is not None and most.limit is not None and self._ours.refused(most.limit)


class ModelBudget:
    """What a run may spend on language models, in dollars and tokens or without limit, and what it has spent.

    A request waits until the most it can cost fits beside what is spent and what is reserved for those under way. One
    alone may start if there is room for a request of average cost. So no more than the budget is spent, and that one
    request.

    Attributes:
        usd: Dollars spent; where a cost is not known, the most it can be.
        tokens: The same in tokens.
        spent: The limit that was reached, by its name in a config, once nothing more is sent.
    """

    def __init__(self, most_usd: float | None = None, most_tokens: int | None = None) -> None:
        self.most_usd = most_usd
        self.most_tokens = most_tokens
        self.usd = 0.0
        self.tokens = 0
        self.spent: ModelLimit | None = None
        self._requests = 0
        self._under_way: list[Reservation] = []
        self._turn = asyncio.Lock()
        self._ended = asyncio.Event()

    def spend(self, usd: float, tokens: int) -> None:
        """Count the cost of a request."""
        self._requests += 1
        self.usd += usd
        self.tokens += tokens

    def add_unaccounted(self, lost: Unaccounted) -> None:
        """Count what requests of earlier sessions, whose answers were never seen, may have cost."""
        self._requests += lost.requests
        self.usd += lost.usd
        self.tokens += lost.tokens

    async def open(self, most: Callable[[], Reservation]) -> Reservation:
        """Start a request once there is room for the most it can cost; raises GameUnfinished if there never will be.

        The most is asked for again and again, since other replies may show in the meantime that it is more.
        """
        if not self.limited:
            return most()
        async with self._turn:  # first come, first served
            while self.spent is None and not self._fits(most()):
                if not self._under_way:
                    self.spent = self._reached()
                    break
                self._ended.clear()
                await self._ended.wait()
            if self.spent is not None:
                raise GameUnfinished("the budget is spent")
            opened = most()
            self._under_way.append(opened)
            return opened

    def close(self, most: Reservation) -> None:
        """End a request; what it cost is to be counted with `spend` before anything else is awaited."""
        if self.limited:
            self._under_way.remove(most)
            self._ended.set()

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.most_usd is not None or self.most_tokens is not None

    def left(self) -> tuple[float, float]:
        """Return the dollars and the tokens that are left."""
        usd = float("inf") if self.most_usd is None else self.most_usd - self.usd
        return usd, float("inf") if self.most_tokens is None else self.most_tokens - self.tokens

    def _fits(self, most: Reservation) -> bool:
        under_way = self._under_way
        mean = 1 / self._requests if self._requests else 0.0
        for limit, spent, reserved, more in (
            (self.most_usd, self.usd, sum(each.usd for each in under_way), most.usd),
            (self.most_tokens, self.tokens, sum(each.tokens for each in under_way), most.tokens),
        ):
            alone = not under_way and spent * (1 + mean) <= (limit or 0)
            if limit is not None and spent + reserved + more > limit and not alone:
                return False
        return True

    def _reached(self) -> ModelLimit:
        if self.most_usd is None or (
            self.most_tokens is not None and self.tokens * self.most_usd > self.usd * self.most_tokens
        ):
            return "maxTokens"
        return "maxCostUsd"
