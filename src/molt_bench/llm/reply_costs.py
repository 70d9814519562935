"""What the replies of a model have taken, and so what its next request holds of the money.

Under a limit of money every request has a limit of tokens: only that bounds what it can cost. Where the user sets none
it is one of ours, which never decides a result: a reply that it cuts off is asked for again with more room, up to a
size that no answer in poker needs.
"""

from collections import deque
from typing import Final

from molt_bench.llm.prices import PriceList
from molt_bench.llm.purse import Amount, Hold
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Tokens

#: Limits of ours, besides a number of tokens for thoughts: the lowest and the highest, and where they begin, for models
#: that answer at once and for those that are told to reason.
LEAST: Final = 1024
MOST: Final = 32_768
FIRST: Final = 4096
FIRST_REASONING: Final = 16_384
#: How much room a limit of ours leaves over the longest reply, and how much more a reply gets that it cut off.
_ROOM: Final = 2
_MORE: Final = 4
#: Limits that the money sets are rounded down to a multiple of this, so that few different requests have to be written.
_STEP: Final = 64
#: A request holds what this share of the last replies stays below, and the very last ones; more, since replies may get
#: longer; and more still while there are few.
_SHARE: Final = 0.9
_LAST: Final = 200
_VERY_LAST: Final = 8
_DRIFT: Final = 1.2
_FEW: Final = 4
#: Most tokens for each byte of a prompt before any was counted (English has half as many), and some for what a server
#: puts around it; then the longest that was seen, with a margin.
_TOKENS_PER_BYTE: Final = 0.5
_TOKENS_AROUND: Final = 400
_MARGIN: Final = 1.1


class ReplyCosts:
    """What the replies of one model have taken.

    Args:
        settings: The model and how it is asked.
        prices: What it costs.
        limited: Whether money is limited.
    """

    def __init__(self, settings: LLMSettings, prices: PriceList, *, limited: bool) -> None:
        self._settings, self._prices, self._limited = settings, prices, limited
        # A number of tokens for thoughts tells a model how long to think, so it must not depend on the money.
        by_number = settings.thought_number
        self._least = LEAST + by_number
        self._first = by_number + (FIRST if settings.reasoning_effort is None else FIRST_REASONING)
        self._highest = MOST + by_number
        self._lengths: deque[int] = deque(maxlen=_LAST)
        self._longest = self._longest_prompt = 0
        self._scale = 1.0
        self._known: dict[int, tuple[float, float]] = {}

    def hold(self, sent_bytes: int, room: Amount, *, least: int = 0) -> Hold | None:
        """Return what a request of so many bytes holds; None if there is too little room for it.

        `least` is how many tokens a reply needs, if a shorter limit of ours has cut it off.
        """
        read = int(self._longest_prompt * _MARGIN or sent_bytes * _TOKENS_PER_BYTE + _TOKENS_AROUND)
        fixed, each = self._price(read)
        affordable = room.tokens - read
        if each:
            affordable = min(affordable, (room.usd - fixed) / each)
        own = self._settings.max_tokens if self._limited else self._settings.sent_max_tokens
        most = own or min(self._highest, max(self._first, _ROOM * self._longest, least))
        usual = self._usual()
        floor = self._least if usual is None or self._settings.thought_number else 1
        needed = max(usual or 0, min(most, max(least, floor)))
        if fixed > room.usd or affordable < needed:
            return None
        limit = most if affordable >= most else max(min(most, needed), int(affordable) // _STEP * _STEP)
        ours = self._limited and (own is None or limit < most)

        def amount(written: int) -> Amount:
            return Amount(fixed + each * written, read + written)

        return Hold(amount(usual or limit), amount(self._longest or limit), limit if ours else None)

    def learn(self, tokens: Tokens, usd: float | None) -> None:
        """Take note of what a reply took."""
        self._lengths.append(tokens.output)
        self._longest = max(self._longest, tokens.output)
        self._longest_prompt = max(self._longest_prompt, tokens.input)
        listed = self._prices.cost(self._settings, tokens)
        if listed and usd is not None:  # what replies state may be more than the prices say
            self._scale = max(self._scale, usd / listed)

    def cut_off(self, hold: Hold) -> int | None:
        """Return how much room a reply needs that met its limit; None if that was the user's, or there is no more."""
        most = self._settings.max_tokens or self._highest
        return min(most, _MORE * hold.limit) if hold.limit is not None and hold.limit < most else None

    def refused(self, hold: Hold) -> bool:
        """Take note that a server takes no limit this high; return whether it was ours, and there is a lower one."""
        if hold.limit is None or hold.limit // 2 < self._least:
            return False
        self._highest = hold.limit // 2
        return True

    def _usual(self) -> int | None:
        """Return how many tokens most replies stay below; None as long as there were none."""
        count = len(self._lengths)
        if not count:
            return None
        share = sorted(self._lengths)[min(count - 1, int(_SHARE * count))]
        return int(max(share, *list(self._lengths)[-_VERY_LAST:]) * (_DRIFT + _FEW / count))

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
