"""The purse: what a run may spend on models, what it has spent, and what each request under way holds of the rest.

A request is sent once what most replies of its model cost fits beside what is spent and what others hold, and its reply
may have no more tokens than the rest of the money pays for. So many requests go side by side until the end, and no more
than the limit is spent where servers keep to what they are asked for.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf
from typing import Literal, TypeAlias

import msgspec

from molt_bench.errors import GameUnfinished

#: The limits of money, by their names in a config.
MoneyLimit: TypeAlias = Literal["maxCostUsd", "maxTokens"]


class Amount(msgspec.Struct, frozen=True):
    """Dollars and tokens; dollars are 0 where no price is known."""

    usd: float = 0.0
    tokens: float = 0.0

    def __add__(self, more: "Amount") -> "Amount":
        return Amount(self.usd + more.usd, self.tokens + more.tokens)

    def __sub__(self, less: "Amount") -> "Amount":
        return Amount(self.usd - less.usd, self.tokens - less.tokens)

    def __mul__(self, times: float) -> "Amount":
        return Amount(self.usd * times, self.tokens * times)

    def at_least(self, other: "Amount") -> "Amount":
        """Return the larger of each."""
        return Amount(max(self.usd, other.usd), max(self.tokens, other.tokens))

    def fits(self, room: "Amount") -> bool:
        """Return whether there is room for it."""
        return self.usd <= room.usd and self.tokens <= room.tokens


class Hold(msgspec.Struct, frozen=True):
    """What one request holds of the money while it is under way.

    Attributes:
        usual: What most replies of the model stay below; this is what it holds.
        longest: What it costs if its reply is as long as the longest so far.
        limit: The limit of tokens that it asks for, where that is ours, or lower than the user's.
    """

    usual: Amount = Amount()
    longest: Amount = Amount()
    limit: int | None = None


class Purse:
    """What a run may spend on language models, in dollars and tokens or without limit, and what it has spent.

    Attributes:
        usd: Dollars spent; where a cost is not known, what it is taken for.
        tokens: The same in tokens.
        spent: The limit that ends it all, once the money is spent.
        too_little: Whether something is left, and finishes no seed pair.
        on_end: Called when the money is spent.
    """

    def __init__(self, most_usd: float | None = None, most_tokens: int | None = None) -> None:
        self.most_usd = most_usd
        self.most_tokens = most_tokens
        self.usd = 0.0
        self.tokens = 0.0
        self.spent: MoneyLimit | None = None
        self.too_little = False
        self.on_end: Callable[[], object] = lambda: None
        self._under_way: list[Hold] = []
        self._turn = asyncio.Lock()
        self._ended = asyncio.Event()

    def spend(self, usd: float, tokens: float) -> None:
        """Count what a request cost, or is taken to have cost."""
        self.usd += usd
        self.tokens += tokens

    @asynccontextmanager
    async def holding(self, wanted: Callable[[Amount], Hold | None]) -> AsyncIterator[Hold]:
        """Begin a request once there is room for it; raises GameUnfinished if there never will be.

        What it cost is to be counted with `spend` before anything else is awaited. `wanted` is asked again and again
        what it holds of the room that is left, since other replies may show in the meantime that it is more, or less;
        None for more than that.
        """
        async with self._turn:  # first come, first served
            hold = wanted(self._room())
            while hold is None and self._under_way and self.spent is None:
                self._ended.clear()
                await self._ended.wait()
                hold = wanted(self._room())
            if hold is None and self.spent is None:
                self.end()
            if hold is None or self.spent is not None:
                raise GameUnfinished("the budget is spent")
            self._under_way.append(hold)
        try:
            yield hold
        finally:
            self._under_way.remove(hold)
            self._ended.set()

    def _room(self) -> Amount:
        return self.left() - sum((each.usual for each in self._under_way), Amount())

    def end(self, *, too_little: bool = False) -> None:
        """Send nothing more; `too_little`: something is left, but it finishes no seed pair."""
        usd, tokens = self.most_usd, self.most_tokens
        by_tokens = usd is None or (tokens is not None and self.tokens * usd > self.usd * tokens)
        self.spent, self.too_little = "maxTokens" if by_tokens else "maxCostUsd", too_little
        self._ended.set()
        self.on_end()

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.most_usd is not None or self.most_tokens is not None

    def __str__(self) -> str:
        return f"{self.most_tokens:,} tokens" if self.most_usd is None else f"${self.most_usd:,.10g}"

    def left(self) -> Amount:
        """Return what is left, whatever requests under way hold of it."""
        usd = inf if self.most_usd is None else self.most_usd - self.usd
        return Amount(usd, inf if self.most_tokens is None else self.most_tokens - self.tokens)

    def buys(self, each: Amount) -> float:
        """Return how many times all of the money buys something; infinity without a limit."""
        by_usd = self.most_usd / each.usd if self.most_usd is not None and each.usd else inf
        return min(by_usd, self.most_tokens / each.tokens if self.most_tokens is not None and each.tokens else inf)
