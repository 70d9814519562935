"""The ledger: what every request may cost, on file before it is sent. So a run that is killed hides nothing.

It is put down with what the longest reply of its model so far would cost. It is settled by the exchange that is
recorded for it, or by an answer that costs nothing. What is not settled when a session ends is unaccounted: it was
sent, and whether it was billed is not known here. The user may know, and have it forgotten.
"""

from collections.abc import Callable, Container, Iterable
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

#: Characters of a key that are kept: enough to tell all requests of a run apart.
_KEY: Final = 20


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


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the file: a request, one that cost nothing after all, or (without a key) a session that begins.

    Attributes:
        key: The beginning of its exchange's key.
        free: Whether the last request of this key cost nothing.
        forgotten: How many requests of exchanges are forgotten from here on, with what they were taken to have cost;
            so is every request before this line that is not settled.
    """

    key: str = ""
    usd: Annotated[float, msgspec.Meta(ge=0)] = 0.0  # less would be credit
    tokens: Annotated[int, msgspec.Meta(ge=0)] = 0
    free: bool = False
    forgotten: Annotated[int, msgspec.Meta(ge=0)] | UnsetType = UNSET


_encode: Final = msgspec.json.Encoder().encode


class Ledger:
    """The reservations of a run.

    Attributes:
        append: Writes a line; None keeps everything in memory.
    """

    def __init__(self) -> None:
        self.append: Callable[[bytes], None] | None = None
        self._open: dict[str, list[Entry]] = {}
        self._earlier: list[Entry] = []
        self._forgotten = Unaccounted()
        self._begun = False

    def take(self, entries: Iterable[Entry], answered: Container[str]) -> None:
        """Take the entries of earlier sessions; `answered` are the beginnings of the keys of recorded exchanges."""
        sessions: list[dict[str, list[Entry]]] = [{}]
        for entry in entries:
            if entry.forgotten is not UNSET:
                sessions = [{}]
                self._forgotten = Unaccounted(entry.forgotten, entry.usd, entry.tokens)
            elif not entry.key:
                sessions.append({})
            elif entry.free:
                if sessions[-1].get(entry.key):
                    sessions[-1][entry.key].pop()
            else:
                sessions[-1].setdefault(entry.key, []).append(entry)
        # An exchange settles the session that it was recorded in: nobody asks for it again after that.
        settled: set[str] = set()
        for session in reversed(sessions):
            for key, found in session.items():
                if key in answered and key not in settled:
                    settled.add(key)
                else:
                    self._earlier += found

    def open(self, key: str, usd: float, tokens: float) -> None:
        """Put down what a request may cost."""
        entry = Entry(key[:_KEY], usd, round(tokens))
        self._open.setdefault(entry.key, []).append(entry)
        if self.append is not None:
            if not self._begun:
                self.append(_encode(Entry()))
                self._begun = True
            self.append(_encode(entry))

    def free(self, key: str) -> None:
        """Take note that the last request of this key cost nothing."""
        found = self._open.get(key[:_KEY])
        if found:
            found.pop()
            if self.append is not None:
                self.append(_encode(Entry(key[:_KEY], free=True)))

    def settle(self, key: str) -> None:
        """Take note that an exchange is recorded, with all that its requests cost in this session."""
        self._open.pop(key[:_KEY], None)

    @property
    def settled(self) -> bool:
        """Whether nothing is left that anybody has to know."""
        return not self._open and not self._earlier and self._forgotten == Unaccounted()

    def forget(self, lost: Unaccounted) -> None:
        """Forget what is not settled, and what exchanges say was `lost`: the user knows that it was not billed."""
        self._earlier, self._open, self._forgotten = [], {}, lost
        if self.append is not None:
            self.append(_encode(Entry(usd=lost.usd, tokens=lost.tokens, forgotten=lost.requests)))

    def unaccounted(self, lost: Unaccounted) -> Unaccounted:
        """Return what is not settled, and what exchanges say was `lost`, without what was forgotten."""
        found = [*self._earlier, *(entry for entries in self._open.values() for entry in entries)]
        open_ = Unaccounted(len(found), sum(each.usd for each in found), sum(each.tokens for each in found))
        return open_ + lost - self._forgotten


def keys_of(keys: Iterable[str]) -> set[str]:
    """Return the beginnings of keys, as the file has them."""
    return {key[:_KEY] for key in keys}
