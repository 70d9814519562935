"""The ledger: what every question may cost, on record before it is sent. So a run that is killed hides nothing.

It is put down with what the longest reply of its model so far would cost, and settled by the exchange that is recorded
for it. What is not settled when a session ends was sent, and whether it was billed is not known here: it counts, until
the question is asked again and its exchange tells. The user may know, and have it forgotten.
"""

from collections.abc import Callable
from typing import Annotated, Final, TypeAlias

import msgspec

from molt_bench.llm.types import Unaccounted

#: Characters of a key that are kept: enough to tell all questions of a run apart.
_KEY: Final = 20
#: What may have been paid; less than nothing would be credit.
_Usd: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Sent(msgspec.Struct, frozen=True, tag="sent", tag_field="line"):
    """What a question may have cost by now, all of its requests together; the last line of a question counts.

    Attributes:
        key: The beginning of its exchange's key.
        requests: How many requests that is; none if the last one came to nothing, and cost nothing.
        usd: What they may cost.
        tokens: The same in tokens.
    """

    key: str
    requests: _Count
    usd: _Usd
    tokens: _Count


class Forgotten(msgspec.Struct, frozen=True, tag="forgotten", tag_field="line"):
    """The user knows that nothing was billed for what is unaccounted here.

    Attributes:
        requests: How many requests of exchanges that is; every question that is not settled is forgotten as well.
        usd: What those exchanges say that they may have cost.
        tokens: The same in tokens.
    """

    requests: _Count
    usd: _Usd
    tokens: _Count


#: A line of the ledger.
Entry: TypeAlias = Sent | Forgotten


class Ledger:
    """What the questions of a run may cost; `write` puts down a line."""

    def __init__(self, write: Callable[[Entry], None] = lambda _: None) -> None:
        self._write = write
        self._open: dict[str, Unaccounted] = {}
        self._forgotten = Unaccounted()

    def take(self, entry: Entry) -> None:
        """Take a line; those of earlier sessions in their order, with the exchanges between them settled."""
        lost = Unaccounted(entry.requests, entry.usd, entry.tokens)
        if isinstance(entry, Sent):
            self._open[entry.key] = lost
        else:
            self._open, self._forgotten = {}, lost

    def put(self, key: str, lost: Unaccounted) -> None:
        """Put down what a question may have cost by now."""
        self._note(Sent(key[:_KEY], lost.requests, lost.usd, lost.tokens))

    def left_open(self, key: str) -> Unaccounted:
        """Return what a question may have cost that is not settled."""
        return self._open.get(key[:_KEY], Unaccounted())

    def settle(self, key: str) -> None:
        """Take note that an exchange is recorded, with all that its requests cost or may have cost."""
        self._open.pop(key[:_KEY], None)

    def forget(self, lost: Unaccounted) -> None:
        """Forget what is not settled, and what exchanges say was `lost`: the user knows that it was not billed."""
        self._note(Forgotten(lost.requests, lost.usd, lost.tokens))

    def unaccounted(self, lost: Unaccounted) -> Unaccounted:
        """Return what is not settled, and what exchanges say was `lost`, without what was forgotten."""
        return sum(self._open.values(), lost) - self._forgotten

    def _note(self, entry: Entry) -> None:
        self.take(entry)
        self._write(entry)
