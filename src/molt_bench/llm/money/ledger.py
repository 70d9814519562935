"""The ledger: what every request can cost, on file before it is sent. So a run that is killed hides nothing.

A reservation is settled by the exchange that is recorded for it, or by an answer that costs nothing. What is not
settled when a session ends is unaccounted: it was sent, and whether it was billed is not known here.
"""

from collections.abc import Callable, Container, Iterable
from typing import Annotated, Final

import msgspec

#: Characters of a key that are kept: enough to tell all requests of a run apart.
_KEY: Final = 20


class Unaccounted(msgspec.Struct, frozen=True):
    """Requests that were sent and whose cost is not known, and what they cost at most."""

    requests: int = 0
    usd: float = 0.0
    tokens: int = 0

    def __add__(self, more: "Unaccounted") -> "Unaccounted":
        return Unaccounted(self.requests + more.requests, self.usd + more.usd, self.tokens + more.tokens)


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the file: a reservation, one that cost nothing after all, or (without a key) a session that begins.

    Attributes:
        key: The beginning of its exchange's key.
        free: Whether the last reservation of this key cost nothing.
    """

    key: str = ""
    usd: Annotated[float, msgspec.Meta(ge=0)] = 0.0  # less would be credit
    tokens: Annotated[int, msgspec.Meta(ge=0)] = 0
    free: bool = False


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
        self._begun = False

    def take(self, entries: Iterable[Entry], answered: Container[str]) -> None:
        """Take the entries of earlier sessions; `answered` are the beginnings of the keys of recorded exchanges."""
        sessions: list[dict[str, list[Entry]]] = [{}]
        for entry in entries:
            if not entry.key:
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

    def open(self, key: str, usd: float, tokens: int) -> None:
        """Reserve what a request can cost."""
        entry = Entry(key[:_KEY], usd, tokens)
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
    def unaccounted(self) -> Unaccounted:
        """What is not settled, of earlier sessions and of this one."""
        found = [*self._earlier, *(entry for entries in self._open.values() for entry in entries)]
        return Unaccounted(len(found), sum(each.usd for each in found), sum(each.tokens for each in found))


def keys_of(keys: Iterable[str]) -> set[str]:
    """Return the beginnings of keys, as the file has them."""
    return {key[:_KEY] for key in keys}
