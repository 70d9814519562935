"""The record of what was sent to a server and what came back, as it was, with what libraries add.

Keys are cut out. Bodies are compressed; of a request only what differs from the one before it in the same game is kept,
so a conversation that is sent again and again takes up space once.
"""

import zlib
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.llm.sending.redaction import Keys
from molt_bench.llm.types import HttpRecord, PackedBody, readable
from molt_bench.specs import GameLabel

#: Most bytes that are kept of a response, and of what is new in a request; the rest is cut off.
MOST_BYTES: Final = 1_048_576
#: No key is longer, so one that ends after the cut is whole, and found.
_LONGEST_KEY: Final = 4096
#: Most characters of a field that is kept in clear.
_LONGEST_FIELD: Final = 200


class Seen:
    """What went over the wire for one request; of several requests, the last counts."""

    def __init__(self) -> None:
        self._at = self._url = ""
        self._sent = self._received = b""
        self._status = 0

    def sending(self, url: str, body: bytes) -> None:
        """Take note of a request."""
        self._at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._url, self._sent, self._received, self._status = url, body, b"", 0

    def answered(self, status: int, body: bytes) -> None:
        """Take note of its answer."""
        self._status, self._received = status, body

    def without(self, keys: Keys) -> "Clean | None":
        """Return it without keys; None if nothing was sent."""
        if not self._at:
            return None
        # No more of it is kept, and a key that begins before the end is whole.
        received = keys.cut_body(self._received[: MOST_BYTES + _LONGEST_KEY])
        return Clean(self._at, keys.cut(self._url.partition("?")[0]), keys.cut_body(self._sent), self._status, received)


class Clean(msgspec.Struct, frozen=True):
    """What went over the wire, without keys."""

    at: str
    url: str
    sent: bytes
    status: int
    received: bytes


class _Told(msgspec.Struct, frozen=True):
    """What a response says about itself, in the names of the usual protocols; nothing else of it is read."""

    id: Any = None
    responseId: Any = None  # noqa: N815 - a provider's name
    system_fingerprint: Any = None


_told_decoder: Final = msgspec.json.Decoder(_Told)


class HttpRecords:
    """Packs what went over the wire; it remembers the last request of every game that is being played."""

    def __init__(self) -> None:
        self._last: dict[GameLabel, dict[str, tuple[str, bytes]]] = {}

    def pack(self, key: str, participant: str, game: GameLabel, seen: Clean) -> HttpRecord:
        """Return what is recorded of an exchange with this key."""
        last = self._last.setdefault(game, {})
        base, before = last.get(participant, ("", b""))
        sent = _packed(seen.sent, base, before)
        if sent.cut:
            last.pop(participant, None)
        else:
            last[participant] = key, seen.sent
        told = readable(_told_decoder.decode, seen.received) or _Told()
        return HttpRecord(
            at=seen.at,
            url=seen.url,
            sent=sent,
            status=seen.status,
            received=_packed(seen.received) if seen.status else UNSET,
            response_id=_text(told.id, told.responseId),
            fingerprint=_text(told.system_fingerprint),
        )

    def forget(self, game: GameLabel) -> None:
        """Drop what is remembered of a finished game."""
        self._last.pop(game, None)


def _packed(body: bytes, base: str = "", before: bytes = b"") -> PackedBody:
    start = end = 0
    if before:
        start = _common(body, before)
        end = _common(body[start:][::-1], before[start:][::-1])
    own = body[start : len(body) - end]
    packed = b64encode(zlib.compress(own[:MOST_BYTES], 9)).decode() if own else ""
    cut, based = len(own) > MOST_BYTES, base if start or end else UNSET
    return PackedBody(packed, cut=cut, base=based, start=start, end=0 if cut else end)


def _common(one: bytes, two: bytes) -> int:
    """Return how many bytes two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == two[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _text(*found: Any) -> str | UnsetType:
    """Return the first of these that is a text."""
    return next((each[:_LONGEST_FIELD] for each in found if isinstance(each, str) and each), UNSET)
