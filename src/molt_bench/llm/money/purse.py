"""The purse: what a run may spend on language models, what it has spent, and what requests under way hold of it.

A request is sent once what most replies of its model cost fits beside what is spent and what others hold, and its reply
may have no more tokens than the rest of the money pays for. So many requests go side by side until the end, and no more
than the limit is spent where servers keep to what they are asked for.
"""

import asyncio
from collections.abc import Callable
from math import inf
from typing import Literal, TypeAlias

from molt_bench.errors import GameUnfinished
from molt_bench.llm.money.ledger import Unaccounted
from molt_bench.llm.money.reply_costs import Amount, Hold

#: The limits of money, by their names in a config.
MoneyLimit: TypeAlias = Literal["maxCostUsd", "maxTokens"]


class Purse:
    """What a run may spend on language models, in dollars and tokens or without limit, and what it has spent.

    Attributes:
        usd: Dollars spent; where a cost is not known, what it is taken for.
        tokens: The same in tokens.
        spent: The limit that ends it all, once the money is spent.
        too_little: Whether something is left, and finishes no seed pair.
    """

    def __init__(self, most_usd: float | None = None, most_tokens: int | None = None) -> None:
        self.most_usd = most_usd
        self.most_tokens = most_tokens
        self.usd = 0.0
        self.tokens = 0.0
        self.spent: MoneyLimit | None = None
        self.too_little = False
        self._under_way: list[Hold] = []
        self._turn = asyncio.Lock()
        self._ended = asyncio.Event()

    def spend(self, usd: float, tokens: float) -> None:
        """Count the cost of a request."""
        self.usd += usd
        self.tokens += tokens

    def add_unaccounted(self, lost: Unaccounted) -> None:
        """Count what requests of earlier sessions, whose answers were never seen, may have cost."""
        self.spend(lost.usd, lost.tokens)

    async def take(self, wanted: Callable[[Amount], Hold | None]) -> Hold:
        """Start a request once there is room for it; raises GameUnfinished if there never will be.

        `wanted` is asked again and again what it holds of the room that is left, since other replies may show in the
        meantime that it is more, or less; None for more than that.
        """
        async with self._turn:  # first come, first served
            while self.spent is None and (hold := wanted(self._room())) is None:
                if not self._under_way:
                    self.end()
                    break
                self._ended.clear()
                await self._ended.wait()
            if self.spent is not None:
                raise GameUnfinished("the budget is spent")
            assert hold is not None
            self._under_way.append(hold)
            return hold

    def give_back(self, hold: Hold) -> None:
        """End a request; what it cost is to be counted with `spend` before anything else is awaited."""
        self._under_way.remove(hold)
        self._ended.set()

    def end(self, *, too_little: bool = False) -> None:
        """Send nothing more; `too_little`: something is left, but it finishes no seed pair."""
        usd, tokens = self.most_usd, self.most_tokens
        by_tokens = usd is None or (tokens is not None and self.tokens * usd > self.usd * tokens)
        self.spent, self.too_little = "maxTokens" if by_tokens else "maxCostUsd", too_little
        self._ended.set()

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.most_usd is not None or self.most_tokens is not None

    def left(self) -> Amount:
        """Return what is left, whatever requests under way hold of it."""
        usd = inf if self.most_usd is None else self.most_usd - self.usd
        return Amount(usd, inf if self.most_tokens is None else self.most_tokens - self.tokens)

    def _room(self) -> Amount:
        return self.left() - sum((hold.usual for hold in self._under_way), Amount())
