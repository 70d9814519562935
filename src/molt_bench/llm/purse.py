"""The purse: what a run may spend on models, what it has spent, and what each request holds of the rest.

Under a limit every request has a limit of tokens: only that makes certain how much it can cost. It is sent once what
most replies of its model cost fits beside what is spent and what others hold, and its reply may have no more tokens
than the rest of the money pays for. So many requests go side by side until the end, and no more than the limit is spent
where servers keep to what they are asked for.

Where the user sets no limit of tokens it is one of ours, which never decides a result: a reply that it cuts off is
asked for again with more room, up to a size that no answer in poker needs.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from math import inf
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.errors import GameUnfinished
from molt_bench.llm.estimate import thoughts, written_range
from molt_bench.llm.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens

#: The limits of money, by their names in a config.
MoneyLimit: TypeAlias = Literal["maxCostUsd", "maxTokens"]
#: The least and the most tokens of a reply under a limit of ours, besides a number of tokens for thoughts; and where it
#: begins, for models that answer at once and for those that reason.
LEAST: Final = 1024
MOST: Final = 32_768
FIRST: Final = 4096
FIRST_REASONING: Final = 16_384
#: How much more room a reply gets that a limit of ours cut off.
_MORE: Final = 4
#: Limits are rounded down to a multiple of this, so that few different requests have to be written.
_STEP: Final = 64
#: The share of replies that stay below what a request holds, of how many of the last ones, beside the very last; how
#: much more is held, since replies may get longer; and how many replies are too few to know: then still more is.
_SHARE: Final = 0.9
_LAST: Final = 200
_VERY_LAST: Final = 8
_DRIFT: Final = 1.2
_FEW: Final = 4
#: Most tokens for each byte of a prompt as long as little is known (English has half as many), and some for what a
#: server puts around it. After a few prompts, what was seen counts, with a margin.
_TOKENS_PER_BYTE: Final = 0.5
_TOKENS_AROUND: Final = 400
_PROMPTS: Final = 3
_MARGIN: Final = 1.1
#: A shorter prompt tells as little of how many tokens a byte has as one of this many bytes.
_LEAST_BYTES: Final = 1000
#: By how much a model that exceeded its limit is expected to do so again.
_BEYOND: Final = 1.5


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
        most: The most that it can cost.
        limit: The limit of tokens that it asks for, where that is ours, or lower than the user's.
        output: The most tokens of its reply, by whichever limit.
    """

    usual: Amount = Amount()
    longest: Amount = Amount()
    most: Amount = Amount()
    limit: int | None = None
    output: int = 0


class ReplyCosts:
    """What the replies of one model have taken, and what the next request holds.

    Args:
        settings: The model and how it is asked.
        prices: What it costs.
        limited: Whether money is limited. Then every request has a limit of tokens: the user's, or one of ours.
    """

    def __init__(self, settings: LLMSettings, prices: PriceList, *, limited: bool) -> None:
        self._settings, self._prices, self._limited = settings, prices, limited
        # A number of tokens for thoughts tells a model how long to think, so it must not depend on the money.
        by_number = settings.thought_number
        self._floor = LEAST + by_number if by_number else 1
        self._highest = MOST + by_number
        self._ours = (FIRST_REASONING if thoughts(settings) else FIRST) + by_number
        self._expected = max(LEAST, int(_FEW * written_range(settings)[1]))
        self._lengths: deque[int] = deque(maxlen=_LAST)
        self._longest = 0
        self._keeps = True
        self._prompts = 0
        self._per_byte = 0.0
        self._scale = 1.0
        self._known: dict[int, tuple[float, float]] = {}

    def hold(self, sent_bytes: int, room: Amount, *, least: int = 0) -> Hold | None:
        """Return what a request of so many bytes holds; None if there is too little room for it.

        `least` is how many tokens a reply needs, if a shorter limit of ours has cut it off.
        """
        read = self._read(sent_bytes)
        fixed, each = self._price(read)
        own = self._settings.max_tokens if self._limited else self._settings.sent_max_tokens
        most = own or self._ours
        usual = self._usual(most)
        written = max(usual, min(most, max(least, self._floor)))
        affordable = room.tokens - read
        if each:
            affordable = min(affordable, (room.usd - fixed) / each)
        if affordable < written or fixed > room.usd:
            return None
        limit = most if affordable >= most else max(min(written, most), int(affordable) // _STEP * _STEP)
        ours = self._limited and (limit < most or own is None)
        longest = min(self._longest or limit, limit) if self._keeps else max(self._longest, limit)

        def amount(written: int) -> Amount:
            return Amount(fixed + each * written, read + written)

        return Hold(amount(written), amount(longest), amount(max(limit, written)), limit if ours else None, limit)

    def learn(self, sent_bytes: int, tokens: Tokens, usd: float | None, hold: Hold | None = None) -> bool:
        """Take note of what a reply took; return whether that is more than it could be by what it held.

        Replies of earlier sessions held something then that is not known now.
        """
        self._lengths.append(tokens.output)
        self._longest = max(self._longest, tokens.output)
        self._ours = max(self._ours, min(self._highest, _power_of_two(_MORE * tokens.output)))
        self._per_byte = max(self._per_byte, tokens.input / max(sent_bytes, _LEAST_BYTES))
        self._prompts += 1
        listed = self._prices.cost(self._settings, tokens)
        if listed and usd is not None:  # what replies state may be more than the prices say
            self._scale = max(self._scale, usd / listed)
        if hold is None:
            return False
        beyond = tokens.output > hold.output
        self._keeps = self._keeps and not beyond
        return beyond or tokens.total > hold.most.tokens or (usd or 0.0) > hold.most.usd * _MARGIN

    def cut_off(self, hold: Hold) -> int | None:
        """Take note that a reply met its limit; return how much room it needs if that was ours; None otherwise."""
        if hold.limit is None:
            return None
        if self._settings.max_tokens is not None:
            return min(self._settings.max_tokens, _MORE * hold.limit)
        if hold.limit >= self._highest:
            return None
        wanted = min(self._highest, _power_of_two(_MORE * hold.limit))
        self._ours = max(self._ours, wanted)
        return wanted

    def refused(self, hold: Hold) -> bool:
        """Take note that a server takes no limit this high; return whether it was ours, and there is a lower one."""
        if hold.limit is None or hold.limit // 2 < max(LEAST, self._floor) or self._settings.max_tokens is not None:
            return False
        self._highest = hold.limit // 2
        self._ours = min(self._ours, self._highest)
        return True

    def _usual(self, most: int) -> int:
        """Return how many tokens most replies stay below, at most `most` where the model keeps to limits."""
        count = len(self._lengths)
        if not count:
            return min(most, self._expected)
        share = sorted(self._lengths)[min(count - 1, int(_SHARE * count))]
        found = int(max(share, *list(self._lengths)[-_VERY_LAST:]) * (_DRIFT + _FEW / count))
        return min(found, most) if self._keeps else max(found, int(_BEYOND * self._longest))

    def _read(self, sent_bytes: int) -> int:
        """Return the most tokens of a prompt, rounded up, so that few different prices are looked up."""
        seen = max(sent_bytes, _LEAST_BYTES) * self._per_byte * _MARGIN
        if self._prompts < _PROMPTS:
            seen = max(seen, sent_bytes * _TOKENS_PER_BYTE + _TOKENS_AROUND)
        return -int(-seen // _STEP) * _STEP

    def _price(self, read: int) -> tuple[float, float]:
        """Return the dollars for a prompt of so many tokens, and for each token of the reply."""
        if read not in self._known:

            def cost(written: int) -> float:
                # Writing to a cache costs more than other input.
                worst = (Tokens(read, 0, written), Tokens(read, 0, written, cache_writes=read))
                return max(self._prices.cost(self._settings, tokens) or 0.0 for tokens in worst)

            self._known[read] = cost(0), (cost(LEAST) - cost(0)) / LEAST
        fixed, each = self._known[read]
        return fixed * self._scale, each * self._scale


def _power_of_two(tokens: int) -> int:
    return 1 << max(0, tokens - 1).bit_length()


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
        """Count what a request cost, or is taken to have cost."""
        self.usd += usd
        self.tokens += tokens

    async def take(self, wanted: Callable[[Amount], Hold | None]) -> Hold:
        """Start a request once there is room for it; raises GameUnfinished if there never will be.

        `wanted` is asked again and again what it holds of the room that is left, since other replies may show in the
        meantime that it is more, or less; None for more than that.
        """
        async with self._turn:  # first come, first served
            while self.spent is None:
                room = self.left() - sum((each.usual for each in self._under_way), Amount())
                hold = wanted(room)
                if hold is not None:
                    self._under_way.append(hold)
                    return hold
                if not self._under_way:
                    self.end()
                    break
                self._ended.clear()
                await self._ended.wait()
            raise GameUnfinished("the budget is spent")

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
    def idle(self) -> bool:
        """Whether no request is under way."""
        return not self._under_way

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.most_usd is not None or self.most_tokens is not None

    @property
    def limit(self) -> str:
        """The limit in words, with what it does."""
        return f"{self.most_tokens:,} tokens buy" if self.most_usd is None else f"${self.most_usd:,.10g} buys"

    def left(self) -> Amount:
        """Return what is left, whatever requests under way hold of it."""
        usd = inf if self.most_usd is None else self.most_usd - self.usd
        return Amount(usd, inf if self.most_tokens is None else self.most_tokens - self.tokens)
