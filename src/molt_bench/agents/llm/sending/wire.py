"""The wire: what was sent to a server and what came back, as it was, for the record.

It is seen where HTTP requests are made, so it includes what libraries add, and works for every client that uses the
hooks of `hooks`. Keys are cut out. Bodies are compressed; of a request only what differs from the one before it in the
same game is kept, so a conversation that is sent again and again takes up space once.
"""

import zlib
from base64 import b64decode, b64encode
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from functools import cache
from types import TracebackType
from typing import Any, Final, Self

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.agents.llm.sending.redaction import Keys
from molt_bench.agents.llm.sending.stopwatch import answer_began
from molt_bench.specs import GameLabel

#: Most bytes that are kept of a response, and of what is new in a request; the rest is cut off.
MOST_BYTES: Final = 1_048_576
#: The compressions of a response that can be read.
ENCODINGS: Final = ("gzip", "deflate")
#: No key is longer, so one that ends after the cut is whole, and found.
_LONGEST_KEY: Final = 4096
#: Most characters of a field that is kept in clear.
_LONGEST_FIELD: Final = 200


class Body(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The body of a request or a response.

    Attributes:
        packed: What is kept of it: compressed by zlib, in base64.
        cut: Whether it was too long, and only its beginning is kept.
        base: The key of an earlier exchange with whose request it has a beginning and an end in common.
        start: Bytes of that beginning.
        end: Bytes of that end.
    """

    packed: str = ""
    cut: bool = False
    base: str | UnsetType = UNSET
    start: int = 0
    end: int = 0

    def read(self, base: bytes = b"") -> bytes:
        """Return it, or what is kept of it; `base` is the request that it is based on."""
        own = zlib.decompress(b64decode(self.packed)) if self.packed else b""
        return base[: self.start] + own + (base[len(base) - self.end :] if self.end else b"")


class Wire(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What went over the wire for the last request of an exchange.

    Attributes:
        at: When it was sent, in UTC.
        url: Where to.
        sent: The body of the request.
        status: The HTTP status of the response; 0 if none came.
        received: The body of the response, as far as it came.
        response_id: What the server calls its response.
        fingerprint: What it calls the configuration that it ran with.
        service_tier: What it says about the service.
    """

    at: str
    url: str
    sent: Body
    status: int = 0
    received: Body | UnsetType = UNSET
    response_id: str | UnsetType = UNSET
    fingerprint: str | UnsetType = UNSET
    service_tier: str | UnsetType = UNSET


class Capture:
    """Notes what goes over the wire in its context; the last request counts."""

    def __init__(self) -> None:
        self._at = self._url = ""
        self._sent = b""
        self._status = 0
        self._received = bytearray()
        self._encoding = ""

    def __enter__(self) -> Self:
        self._token: Token[Capture | None] = _CURRENT.set(self)
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        _CURRENT.reset(self._token)

    def sending(self, url: str, body: bytes) -> None:
        """Take note of a request."""
        self._at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._url, self._sent = url, body
        self._status, self._received, self._encoding = 0, bytearray(), ""

    def answered(self, status: int, encoding: str = "") -> None:
        """Take note of the head of a response; `encoding` is its Content-Encoding."""
        self._status, self._encoding = status, encoding

    def receiving(self, part: bytes) -> None:
        """Take note of a part of the response's body."""
        if len(self._received) <= MOST_BYTES + _LONGEST_KEY:
            self._received += part

    @property
    def body(self) -> bytes:
        """The response's body so far."""
        return _decoded(bytes(self._received), self._encoding)

    def seen(self, keys: Keys) -> "Seen | None":
        """Return what was seen, without keys; None if nothing was sent."""
        if not self._at:
            return None
        received = keys.cut_body(self.body)
        url = keys.cut(self._url.partition("?")[0])
        return Seen(self._at, url, keys.cut_body(self._sent), self._status, received)


class Seen(msgspec.Struct, frozen=True):
    """What went over the wire, without keys."""

    at: str
    url: str
    sent: bytes
    status: int
    received: bytes


class _Told(msgspec.Struct, frozen=True):
    """What a response says about itself, in the names of the usual protocols; nothing else of it is read."""

    id: Any = None
    responseId: Any = None  # noqa: N815 - Google's name
    system_fingerprint: Any = None
    service_tier: Any = None
    usage: Any = None


_told_decoder: Final = msgspec.json.Decoder(_Told)


class WireLog:
    """Packs what went over the wire; it remembers the last request of every game that is being played."""

    def __init__(self) -> None:
        self._last: dict[GameLabel, dict[str, tuple[str, bytes]]] = {}

    def pack(self, key: str, participant: str, game: GameLabel, seen: Seen) -> Wire:
        """Return what is recorded of an exchange with this key."""
        last = self._last.setdefault(game, {})
        base, before = last.get(participant, ("", b""))
        sent = _packed(seen.sent, base, before)
        if sent.cut:
            last.pop(participant, None)
        else:
            last[participant] = key, seen.sent
        told = _told(seen.received)
        usage = told.usage if isinstance(told.usage, dict) else {}
        return Wire(
            at=seen.at,
            url=seen.url,
            sent=sent,
            status=seen.status,
            received=_packed(seen.received) if seen.status else UNSET,
            response_id=_text(told.id, told.responseId),
            fingerprint=_text(told.system_fingerprint),
            service_tier=_text(told.service_tier, usage.get("service_tier")),
        )

    def forget(self, game: GameLabel) -> None:
        """Drop what is remembered of a finished game."""
        self._last.pop(game, None)


def _packed(body: bytes, base: str = "", before: bytes = b"") -> Body:
    start = end = 0
    if before:
        start = _common(body, before)
        end = _common(body[start:][::-1], before[start:][::-1])
    own = body[start : len(body) - end]
    packed = b64encode(zlib.compress(own[:MOST_BYTES], 9)).decode() if own else ""
    cut, based = len(own) > MOST_BYTES, base if start or end else UNSET
    return Body(packed, cut=cut, base=based, start=start, end=0 if cut else end)


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


def _decoded(body: bytes, encoding: str) -> bytes:
    """Return a body without its compression; nothing if it cannot be read, since it could hold a key."""
    if encoding in ("", "identity"):
        return body
    if encoding not in ENCODINGS:
        return b""
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32).decompress(body, MOST_BYTES + _LONGEST_KEY)
    except zlib.error:
        return b""


def _told(body: bytes) -> _Told:
    """Return what a response says about itself; nothing if it is no JSON object."""
    try:
        return _told_decoder.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return _Told()


def _text(*found: Any) -> str | UnsetType:
    """Return the first of these that is a text."""
    return next((each[:_LONGEST_FIELD] for each in found if isinstance(each, str) and each), UNSET)


_CURRENT: Final[ContextVar[Capture | None]] = ContextVar("capture", default=None)


def current() -> Capture | None:
    """Return the capture of the current request; None if nobody wants to know."""
    return _CURRENT.get()


async def note_request(request: Any) -> None:
    """Take note of an httpx2 request; a hook of the client."""
    capture = current()
    if capture is not None:
        capture.sending(str(request.url), await request.aread())


async def note_response(response: Any) -> None:
    """Take note of an httpx2 response as it is read; a hook of the client."""
    capture = current()
    if capture is not None:
        capture.answered(response.status_code, response.headers.get("content-encoding", ""))
        response.stream = _noting()(response.stream, capture)


@cache
def _noting() -> Any:
    """Return the class of a stream that takes note of what is read; made when needed, since the library is slow."""
    import httpx2

    class Noting(httpx2.AsyncByteStream):
        def __init__(self, stream: Any, capture: Capture) -> None:
            self._stream = stream
            self._capture = capture

        async def __aiter__(self) -> Any:
            async for part in self._stream:
                self._capture.receiving(part)
                if part.strip():
                    answer_began()
                yield part

        async def aclose(self) -> None:
            await self._stream.aclose()

    return Noting
