"""How many tokens a reply may have under a limit of money, where the user sets no `maxTokens`.

A request never says how much it may cost: only a limit of tokens makes that certain. It is generous at first, and comes
closer to what the model really writes, so that more requests fit beside each other. It never decides a result: a reply
that it cuts off is asked for again with more room, up to a size that no answer in poker needs.
"""

from typing import Final

from molt_bench.llm.money.expected_use import reasons
from molt_bench.llm.providers import provider_of
from molt_bench.llm.settings import LLMSettings

#: The least and the most tokens of a reply, besides a number of tokens for thoughts; and where it begins, for models
#: that answer at once and for those that reason.
LEAST: Final = 1024
MOST: Final = 32_768
FIRST: Final = 4096
FIRST_REASONING: Final = 16_384
#: Room over the longest reply so far, and the replies after which that counts.
_ROOM: Final = 4
_ENOUGH: Final = 8


class ReplyLimit:
    """The limit that is sent with each request to one model.

    Attributes:
        tokens: The limit of the next request.
    """

    def __init__(self, settings: LLMSettings) -> None:
        # A number of tokens for thoughts is part of the limit, and stays as it is: it tells a model how long to think.
        thoughts = provider_of(settings.provider).thought_number(settings)
        self._least = LEAST + thoughts
        self._most = MOST + thoughts
        self.tokens = (FIRST_REASONING if reasons(settings) else FIRST) + thoughts
        self._longest = 0
        self._seen = 0

    def learn(self, written: int) -> None:
        """Take note of how many tokens a reply had."""
        self._longest = max(self._longest, written)
        self._seen += 1
        wanted = _power_of_two(_ROOM * self._longest)
        if self._seen >= _ENOUGH or wanted > self.tokens:
            self.tokens = min(self._most, max(self._least, wanted))

    def cut_off(self, limit: int) -> bool:
        """Take note that a reply met this limit; return whether it can be asked for again with more room."""
        self.tokens = max(self.tokens, min(self._most, _power_of_two(_ROOM * limit)))
        return self.tokens > limit

    def refused(self, limit: int) -> bool:
        """Take note that a server takes no limit this high; return whether a lower one can be tried."""
        if limit <= self._least:
            return False
        self._most = max(self._least, limit // 2)
        self.tokens = min(self.tokens, self._most)
        return True


def _power_of_two(tokens: int) -> int:
    """Return the next power of two, so that few different requests have to be written."""
    return 1 << max(0, tokens - 1).bit_length()
