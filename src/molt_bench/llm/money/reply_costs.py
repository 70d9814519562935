"""What the replies of one model take: how much a request holds, and how many tokens its reply may have.

Under a limit of money every request has a limit of tokens: only that makes certain how much it can cost. Where the user
sets none, it is one of ours, which never decides a result: a reply that it cuts off is asked for again with more room,
up to a size that no answer in poker needs.
"""

from collections import deque
from typing import Final

import msgspec

from molt_bench.llm.money.estimate import reasons, written_range
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens

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
_DRIFT: Final = 1.2
_LAST: Final = 200
_VERY_LAST: Final = 8
_FEW: Final = 4
#: Most tokens of a prompt as long as little is known: this many for each byte of text (English has half as many), and
#: some for what a server puts around it. After a few prompts, what was seen counts, with a margin.
_TOKENS_PER_BYTE: Final = 0.5
_TOKENS_AROUND: Final = 400
_PROMPTS: Final = 3
_MARGIN: Final = 1.1
#: Bytes from which on a prompt tells how many tokens a byte has.
_LONG: Final = 1000
#: Most tokens of a reply where no limit is sent, as a guess: without and with an effort to reason.
REPLY_TOKENS: Final = 8_192
REASONING_TOKENS: Final = 32_768
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
        output: The most tokens of its reply, whoever says so.
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
        thoughts = settings.thought_number
        self._floor = LEAST + thoughts if thoughts else 1
        self._least = LEAST + thoughts
        self._highest = MOST + thoughts
        self._ours = (FIRST_REASONING if reasons(settings) else FIRST) + thoughts
        usual = REPLY_TOKENS if settings.reasoning_effort is None else REASONING_TOKENS
        sent = settings.sent_max_tokens
        self._unlimited = sent or max(usual, REPLY_TOKENS + (settings.thinking_tokens or 0))
        self._expected = int(_FEW * written_range(settings)[1])
        self._lengths: deque[int] = deque(maxlen=_LAST)
        self._sorted: list[int] = []
        self._longest = 0
        self._keeps = True
        self._around = float(_TOKENS_AROUND)
        self._per_byte = 0.0
        self._prompts = 0
        self._scale, self._besides = 1.0, 0.0
        self._known: dict[int, tuple[float, float]] = {}

    def hold(self, sent_bytes: int, room: Amount, *, trial: int | None = None, least: int = 0) -> Hold | None:
        """Return what a request of so many bytes holds; None if there is too little room for it.

        `trial` is the limit of a preflight question; `least` is how many tokens a reply needs, if a shorter limit of
        ours has cut it off.
        """
        read = self._read(sent_bytes)
        fixed, each = self._price(read)
        most = trial or (self._settings.max_tokens or self._ours if self._limited else self._unlimited)
        usual = trial or self._usual(most)
        written = max(usual, min(most, max(least, self._floor)))
        affordable = room.tokens - read
        if each:
            affordable = min(affordable, (room.usd - fixed) / each)
        elif fixed > room.usd:
            return None
        if affordable < written:
            return None
        limit = most if affordable >= most else max(min(written, most), int(affordable) // _STEP * _STEP)
        ours = self._limited and trial is None and (limit < most or self._settings.max_tokens is None)
        longest = min(self._longest or limit, limit) if self._keeps else max(self._longest, limit)

        def amount(written: int) -> Amount:
            return Amount(fixed + each * written, read + written)

        return Hold(amount(written), amount(longest), amount(max(limit, written)), limit if ours else None, limit)

    def learn(self, sent_bytes: int, tokens: Tokens, usd: float | None, hold: Hold, *, trial: bool = False) -> bool:
        """Take note of what a reply took; return whether that is more than it could be by its limit.

        The answer to a preflight question, a `trial`, says nothing about the length of others.
        """
        if not trial:
            self._lengths.append(tokens.output)
            self._sorted = sorted(self._lengths)
            self._longest = max(self._longest, tokens.output)
            self._ours = max(self._ours, min(self._highest, _power_of_two(_MORE * tokens.output)))
        if sent_bytes < _LONG:
            self._around = max(self._around, (tokens.input - sent_bytes * _TOKENS_PER_BYTE) * _MARGIN)
        else:
            self._per_byte = max(self._per_byte, tokens.input / sent_bytes)
            self._prompts += 1
        self._learn_price(tokens, usd)
        beyond = tokens.output > hold.output
        self._keeps = self._keeps and not beyond
        return beyond or tokens.total > hold.most.tokens or (usd or 0.0) > hold.most.usd * _MARGIN

    def _learn_price(self, tokens: Tokens, usd: float | None) -> None:
        """Take note that a bill is higher than the prices say."""
        listed = self._prices.cost(self._settings, tokens) or 0.0
        if usd is None or usd <= listed * self._scale + self._besides:
            return
        if listed:
            self._scale = usd / listed
        else:
            self._besides = usd
        self._known.clear()

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
        if hold.limit is None or hold.limit <= self._least or self._settings.max_tokens is not None:
            return False
        self._highest = max(self._least, hold.limit // 2)
        self._ours = min(self._ours, self._highest)
        return True

    def _usual(self, most: int) -> int:
        """Return how many tokens most replies stay below, at most `most` where the model keeps to limits."""
        count = len(self._sorted)
        if not count:
            return min(most, max(LEAST, self._expected))
        share = self._sorted[min(count - 1, int(_SHARE * count))]
        found = int(max(share, *list(self._lengths)[-_VERY_LAST:]) * (_DRIFT + _FEW / count))
        return min(found, most) if self._keeps else max(found, int(_BEYOND * self._longest))

    def _read(self, sent_bytes: int) -> int:
        """Return the most tokens of a prompt."""
        known = self._prompts >= _PROMPTS
        tokens = sent_bytes * (self._per_byte * _MARGIN if known else max(_TOKENS_PER_BYTE, self._per_byte * _MARGIN))
        # Rounded up, so that few different prices are looked up.
        return -int(-(tokens + (0.0 if known else self._around)) // _STEP) * _STEP

    def _price(self, read: int) -> tuple[float, float]:
        """Return the dollars for a prompt of so many tokens, and for each token of the reply."""
        if read not in self._known:

            def cost(written: int) -> float:
                # Writing to a cache costs more than other input.
                worst = (Tokens(read, 0, written), Tokens(read, 0, written, cache_writes=read))
                return max(self._prices.cost(self._settings, tokens) or 0.0 for tokens in worst)

            fixed = cost(0)
            each = (cost(LEAST) - fixed) / LEAST
            self._known[read] = fixed * self._scale + self._besides, each * self._scale
        return self._known[read]


def _power_of_two(tokens: int) -> int:
    return 1 << max(0, tokens - 1).bit_length()
