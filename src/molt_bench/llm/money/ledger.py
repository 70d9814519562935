"""The ledger: what every request may cost, on record before it is sent. So a run that is killed hides nothing.

It is put down with what the longest reply of its model so far would cost. It is settled by the exchange that is
recorded for it, or by an answer that costs nothing. What is not settled when a session ends is unaccounted: it was
sent, and whether it was billed is not known here. The user may know, and have it forgotten.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import Annotated, Final, TypeAlias

import msgspec

#: Characters of a key that are kept: enough to tell all requests of a run apart.
_KEY: Final = 20
#: What may have been paid; less than nothing would be credit.
_Usd: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Unaccounted(msgspec.Struct, frozen=True):
    """Requests that were sent and whose cost is not known, and what they are taken to have cost."""

    requests: int = 0
    usd: float = 0.0
    tokens: int = 0

    def __add__(self, more: "Unaccounted") -> "Unaccounted":
        return Unaccounted(self.requests + more.requests, self.usd + more.usd, self.tokens + more.tokens)

    def __sub__(self, less: "Unaccounted") -> "Unaccounted":
        return Unaccounted(
            max(0, self.requests - less.requests), max(0.0, self.usd - less.usd), max(0, self.tokens - less.tokens)
        )


#: Nothing; an exchange with it is written without it.
NOTHING_LOST: Final = Unaccounted()


class Began(msgspec.Struct, frozen=True, tag="session", tag_field="line"):
    """A session begins to ask models: what an earlier one sent and nobody answered, nobody will."""


class Sent(msgspec.Struct, frozen=True, tag="sent", tag_field="line"):
    """A request is about to be sent to a model.

    Attributes:
        key: The beginning of its exchange's key.
        usd: What it may cost.
        tokens: The same in tokens.
    """

    key: str
    usd: _Usd
    tokens: _Count


class Free(msgspec.Struct, frozen=True, tag="free", tag_field="line"):
    """The last request of this key cost nothing after all."""

    key: str


class Forgotten(msgspec.Struct, frozen=True, tag="forgotten", tag_field="line"):
    """The user knows that nothing was billed for what is unaccounted here.

    Attributes:
        requests: How many requests of exchanges that is; every earlier one that is not settled is forgotten as well.
        usd: What those exchanges say that they may have cost.
        tokens: The same in tokens.
    """

    requests: _Count
    usd: _Usd
    tokens: _Count


#: A line of the ledger.
Entry: TypeAlias = Began | Sent | Free | Forgotten


class Ledger:
    """What the requests of a run may cost; `write` puts down a line."""

    def __init__(self, write: Callable[[Entry], None] = lambda _: None) -> None:
        self._write = write
        self._open: defaultdict[str, list[Sent]] = defaultdict(list)
        self._earlier: list[Sent] = []
        self._forgotten = Unaccounted()
        self._begun = False

    def take(self, entry: Entry) -> None:
        """Take a line of an earlier session; the exchanges between them are settled in their order."""
        if isinstance(entry, Began):
            self._earlier += self._unsettled
            self._open.clear()
        elif isinstance(entry, Sent):
            self._open[entry.key].append(entry)
        elif isinstance(entry, Free):
            if self._open[entry.key]:
                self._open[entry.key].pop()
        else:
            self._forget(Unaccounted(entry.requests, entry.usd, entry.tokens))

    def open(self, key: str, usd: float, tokens: float) -> None:
        """Put down what a request may cost."""
        if not self._begun:
            self._begun = True
            self._note(Began())
        self._note(Sent(key[:_KEY], usd, round(tokens)))

    def free(self, key: str) -> None:
        """Take note that the last request of this key cost nothing."""
        self._note(Free(key[:_KEY]))

    def settle(self, key: str) -> None:
        """Take note that an exchange is recorded, with all that its requests cost in this session."""
        self._open.pop(key[:_KEY], None)

    def forget(self, lost: Unaccounted) -> None:
        """Forget what is not settled, and what exchanges say was `lost`: the user knows that it was not billed."""
        self._note(Forgotten(lost.requests, lost.usd, lost.tokens))

    def unaccounted(self, lost: Unaccounted) -> Unaccounted:
        """Return what is not settled, and what exchanges say was `lost`, without what was forgotten."""
        found = self._earlier + self._unsettled
        open_ = Unaccounted(len(found), sum(each.usd for each in found), sum(each.tokens for each in found))
        return open_ + lost - self._forgotten

    @property
    def _unsettled(self) -> list[Sent]:
        return [each for sent in self._open.values() for each in sent]

    def _note(self, entry: Entry) -> None:
        self.take(entry)
        self._write(entry)

    def _forget(self, lost: Unaccounted) -> None:
        self._earlier, self._forgotten = [], lost
        self._open.clear()
