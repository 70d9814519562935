"""The budget: what a run may spend on language models. The most a request can cost is reserved before it is sent."""

import asyncio
from typing import Final

import msgspec
from msgspec import UNSET

from molt_bench.agents.llm.exchange import Exchange, Tokens
from molt_bench.agents.llm.model_settings import LLMSettings
from molt_bench.agents.llm.prices import PriceList
from molt_bench.errors import GameUnfinished

#: Most tokens of a prompt: this many for each byte of text (English has half as many), and some for the reply's form.
_TOKENS_PER_BYTE: Final = 0.5
_TOKENS_OF_FORM: Final = 400
#: Most tokens of a reply where no limit is sent: without and with an effort to reason.
REPLY_TOKENS: Final = 8_192
REASONING_TOKENS: Final = 32_768
#: By how much a model that exceeded what was reserved for it is expected to do so again.
_MARGIN: Final = 1.5


class Reservation(msgspec.Struct, frozen=True):
    """The most that one request can cost; dollars are 0 where no price is known."""

    usd: float = 0.0
    tokens: int = 0


class Reserve:
    """Works out the most that a request to one model can cost, and learns from replies that were longer.

    Args:
        settings: The model and how it is asked.
        prices: What it costs.
        most_output: The limit of tokens that is sent with a request; None if none is.
    """

    def __init__(self, settings: LLMSettings, prices: PriceList, most_output: int | None) -> None:
        self._settings = settings
        self._prices = prices
        self._per_byte = _TOKENS_PER_BYTE
        usual = REPLY_TOKENS if settings.reasoning_effort is None else REASONING_TOKENS
        usual = max(usual, REPLY_TOKENS + (settings.thinking_tokens or 0))
        self._output = usual if most_output is None else most_output
        self._known: dict[tuple[int, int], float] = {}

    def most(self, sent_bytes: int, max_tokens: int | None = None) -> Reservation:
        """Return the most that a request of so many bytes can cost; `max_tokens` is a limit for this one alone."""
        # Rounded up, so that few different prices are looked up.
        asked = -int(-(sent_bytes * self._per_byte + _TOKENS_OF_FORM) // 64) * 64
        written = self._output if max_tokens is None else max_tokens
        if (asked, written) not in self._known:
            # Writing to a cache costs more than other input.
            worst = [Tokens(asked, 0, written), Tokens(asked, 0, written, cache_writes=asked)]
            self._known[asked, written] = max(self._prices.cost(self._settings, tokens) or 0.0 for tokens in worst)
        return Reservation(self._known[asked, written], asked + written)

    def learn(self, sent_bytes: int, tokens: Tokens) -> None:
        """Reserve more from now on if a reply took more than was reserved for it."""
        per_byte = (tokens.input - _TOKENS_OF_FORM) / max(1, sent_bytes)
        if per_byte > self._per_byte:
            self._per_byte = per_byte * _MARGIN
        if tokens.output > self._output:
            self._output = int(tokens.output * _MARGIN)


class ModelBudget:
    """What a run may spend on language models, in dollars and tokens or without limit, and what it has spent.

    A request waits until the most it can cost fits beside what is spent and what is reserved for those under way. One
    alone may start if there is room for a request of average cost. So no more than the budget is spent, and that one
    request.

    Attributes:
        usd: Dollars spent; where a cost is not known, the most it can be.
        tokens: The same in tokens.
        spent: Why nothing more is sent, once the budget is spent.
    """

    def __init__(self, most_usd: float | None = None, most_tokens: int | None = None) -> None:
        self.most_usd = most_usd
        self.most_tokens = most_tokens
        self.usd = 0.0
        self.tokens = 0
        self.spent: str | None = None
        self._requests = 0
        self._under_way: list[Reservation] = []
        self._turn = asyncio.Lock()
        self._ended = asyncio.Event()

    def spend(self, usd: float, tokens: int) -> None:
        """Count the cost of a request."""
        self._requests += 1
        self.usd += usd
        self.tokens += tokens

    def add(self, exchange: Exchange) -> None:
        """Count the cost of an exchange of an earlier session."""
        usd = exchange.at_most_usd if exchange.at_most_usd is not UNSET else 0.0
        tokens = exchange.at_most_tokens if exchange.at_most_tokens is not UNSET else 0
        self.spend((exchange.cost_usd or 0.0) + usd, exchange.tokens.total + tokens)

    async def open(self, most: Reservation) -> None:
        """Start a request once there is room for the most it can cost; raises GameUnfinished if there never will be."""
        if self._unlimited:
            return
        async with self._turn:  # first come, first served
            while self.spent is None and not self._fits(most):
                if not self._under_way:
                    self.spent = self._why_spent()
                    break
                self._ended.clear()
                await self._ended.wait()
            if self.spent is not None:
                raise GameUnfinished(self.spent)
            self._under_way.append(most)

    def close(self, most: Reservation) -> None:
        """End a request; what it cost is to be counted with `spend` before anything else is awaited."""
        if not self._unlimited:
            self._under_way.remove(most)
            self._ended.set()

    @property
    def _unlimited(self) -> bool:
        return self.most_usd is None and self.most_tokens is None

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

    def _why_spent(self) -> str:
        if self.most_usd is None or (
            self.most_tokens is not None and self.tokens * self.most_usd > self.usd * self.most_tokens
        ):
            return f"the budget of {self.most_tokens:,} tokens is spent"
        return f"the budget of ${self.most_usd:,.10g} is spent"
