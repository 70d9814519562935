"""Connections: HTTP/1.1 to the servers of models, as little of it as that takes.

A general client costs several times the CPU of everything else that is done for a decision. This one sends a request
that is ready as bytes and returns the whole answer. It keeps no limits of its own: concurrency and time are limited
elsewhere. It belongs to one event loop.
"""

import asyncio
import select
import ssl
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

#: Seconds for which an idle connection is kept.
_IDLE_S: Final = 60.0
#: Most bytes of the head of an answer, and of the line before a chunk.
_LONGEST_HEAD: Final = 100_000
#: Answers that have no body.
_WITHOUT_BODY: Final = (204, 304)


class BrokenAnswerError(ConnectionError):
    """An answer that is no HTTP, or that ended too soon."""


class Origin(NamedTuple):
    """A server: `http` or `https`, its name, and its port."""

    scheme: str
    host: str
    port: int

    @property
    def address(self) -> str:
        """What the header `Host` says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = 443 if self.scheme == "https" else 80
        return host if self.port == usual else f"{host}:{self.port}"


class Received(msgspec.Struct, frozen=True):
    """An answer as it came: status, headers (names in lower case), and body, still compressed if it was."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """Return a header; "" if there is none."""
        return next((value for found, value in self.headers if found == name), "")


class Connections:
    """Sends requests to any server, over connections that are kept if `keep_alive` is set."""

    def __init__(self, certificates: Callable[[], ssl.SSLContext], *, keep_alive: bool) -> None:
        self._certificates = certificates
        self._keep_alive = keep_alive
        self._idle: dict[Origin, list[_Connection]] = {}
        self._open: set[_Connection] = set()

    async def send(self, origin: Origin, request: bytes, on_sent: Callable[[], None]) -> Received:
        """Send a request and return the answer; `on_sent` is called when all of it was handed to the system.

        Raises:
            OSError: There is no connection, or it broke.
        """
        connection = self._take(origin) or await self._connect(origin)
        try:
            await connection.write(request)
            on_sent()
            received, reusable = await connection.answer()
        except BaseException:
            connection.abort()
            raise
        if reusable and self._keep_alive:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.setdefault(origin, []).append(connection)
        else:
            connection.abort()
        return received

    def _take(self, origin: Origin) -> "_Connection | None":
        idle = self._idle.get(origin, [])
        oldest = asyncio.get_running_loop().time() - _IDLE_S
        while idle:
            connection = idle.pop()
            if connection.idle_since >= oldest and connection.usable:
                return connection
            connection.abort()
        return None

    async def _connect(self, origin: Origin) -> "_Connection":
        secure = self._certificates() if origin.scheme == "https" else None
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: _Connection(self._open),
            origin.host,
            origin.port,
            ssl=secure,
            server_hostname=origin.host if secure else None,
            happy_eyeballs_delay=0.25,
        )
        return connection

    def close(self) -> None:
        """Close every connection."""
        self._idle.clear()
        for connection in [*self._open]:
            connection.abort()


class _Connection(asyncio.Protocol):
    """One connection: writes a request, and reads one answer at a time."""

    def __init__(self, everyone: "set[_Connection]") -> None:
        self._everyone = everyone
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._answered: asyncio.Future[tuple[Received, bool]] | None = None
        self._room: asyncio.Future[None] | None = None
        self._reader = _AnswerReader()
        self.idle_since = 0.0

    @property
    def usable(self) -> bool:
        """Whether an idle connection is still open: there is nothing to be read, not even its end."""
        if self._transport is None or self._transport.is_closing():
            return False
        place = self._transport.get_extra_info("socket").fileno()
        if not hasattr(select, "poll"):  # as on Windows
            return not select.select([place], [], [], 0)[0]
        looking = select.poll()
        looking.register(place, select.POLLIN)
        return not looking.poll(0)

    async def write(self, request: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            raise BrokenAnswerError("the server closed the connection")
        self._reader = _AnswerReader()
        self._answered = self._loop.create_future()
        self._transport.write(request)
        while self._room is not None:
            await asyncio.shield(self._room)

    async def answer(self) -> tuple[Received, bool]:
        """Return the answer, and whether the connection can be used again."""
        assert self._answered is not None
        try:
            return await self._answered
        finally:
            self._answered = None

    def abort(self) -> None:
        if self._answered is not None:
            self._answered.cancel()
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._everyone.add(self)

    def pause_writing(self) -> None:
        self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        if self._room is not None:
            self._room.set_result(None)
            self._room = None

    def data_received(self, data: bytes) -> None:
        waiting = self._answered
        if waiting is None or waiting.done():
            self.abort()  # nobody asked
            return
        try:
            found = self._reader.take(data)
        except BrokenAnswerError as error:
            waiting.set_exception(error)
            self.abort()
            return
        if found is not None:
            waiting.set_result((found, self._reader.reusable))

    def connection_lost(self, error: Exception | None) -> None:
        self._everyone.discard(self)
        self.resume_writing()
        waiting = self._answered
        if waiting is not None and not waiting.done():
            found = self._reader.ended() if error is None else None
            if found is not None:
                waiting.set_result((found, False))
            else:
                waiting.set_exception(error or BrokenAnswerError("the server closed the connection without an answer"))


class _AnswerReader:
    """Reads one answer from bytes as they come.

    Attributes:
        reusable: Whether the connection can be used again afterwards.
    """

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._status = 0
        self._headers: tuple[tuple[str, str], ...] = ()
        self._length: int | None = None
        self._chunks: bytearray | None = None
        self._in_trailer = False
        self.reusable = False

    def take(self, data: bytes) -> Received | None:
        """Take what came next; return the answer when it is whole. Raises BrokenAnswerError if it is no HTTP."""
        self._bytes += data
        while not self._status:
            if not self._read_head():
                return None
        if self._chunks is not None:
            return self._whole(bytes(self._chunks)) if self._read_chunks(self._chunks) else None
        if self._length is not None and len(self._bytes) >= self._length:
            self.reusable = self.reusable and len(self._bytes) == self._length
            return self._whole(bytes(self._bytes[: self._length]))
        return None

    def ended(self) -> Received | None:
        """Return the answer when the server has closed the connection; None if it is not whole."""
        self.reusable = False
        if self._status and self._length is None and self._chunks is None:
            return self._whole(bytes(self._bytes))
        return None

    def _whole(self, body: bytes) -> Received:
        return Received(self._status, self._headers, body)

    def _read_head(self) -> bool:
        end = self._bytes.find(b"\r\n\r\n")
        if max(end, len(self._bytes) if end < 0 else 0) > _LONGEST_HEAD:
            raise BrokenAnswerError("the head of the answer is too long")
        if end < 0:
            if not b"HTTP/1.".startswith(self._bytes[:7]):
                raise BrokenAnswerError("the answer is no HTTP")
            return False
        first, *lines = self._bytes[:end].decode("latin-1").split("\r\n")
        del self._bytes[: end + 4]
        version, _, rest = first.partition(" ")
        status = rest[:3]
        if version not in ("HTTP/1.1", "HTTP/1.0") or not (status.isdecimal() and status.isascii()):
            raise BrokenAnswerError("the answer is no HTTP")
        if 100 <= int(status) < 200:  # not yet the answer
            return True
        pairs = [line.partition(":") for line in lines]
        self._headers = tuple((name.strip().lower(), value.strip()) for name, _, value in pairs)
        self._status = int(status)
        self._frame(old=version == "HTTP/1.0")
        return True

    def _frame(self, *, old: bool) -> None:
        """Find out from the headers where the body ends."""
        named: dict[str, set[str]] = {}
        for name, value in self._headers:
            named.setdefault(name, set()).add(value.lower())
        connection = " ".join(named.get("connection", ()))
        self.reusable = "keep-alive" in connection if old else "close" not in connection
        lengths = named.get("content-length", set())
        if self._status in _WITHOUT_BODY:
            self._length = 0
        elif "transfer-encoding" in named:
            if named["transfer-encoding"] != {"chunked"}:
                raise BrokenAnswerError("the answer has an unknown transfer encoding")
            self._chunks = bytearray()
        elif lengths:
            (length, *more) = lengths
            if more or not (length.isdecimal() and length.isascii()) or len(length) > 12:
                raise BrokenAnswerError("the answer has no clear length")
            self._length = int(length)
        else:
            self.reusable = False  # it ends with the connection

    def _read_chunks(self, body: bytearray) -> bool:
        """Move whole chunks to the body; return whether the last one has come."""
        at = 0
        while True:
            end = self._bytes.find(b"\r\n", at)
            if end < 0:
                if len(self._bytes) - at > _LONGEST_HEAD and self._in_trailer:
                    raise BrokenAnswerError("the end of the answer is too long")
                break
            if self._in_trailer:
                if end == at:
                    return True
                at = end + 2
                continue
            try:
                size = int(bytes(self._bytes[at:end]).partition(b";")[0].strip(), 16)
            except ValueError:
                raise BrokenAnswerError("a chunk of the answer has no size") from None
            if size < 0:
                raise BrokenAnswerError("a chunk of the answer has no size")
            if size == 0:
                self._in_trailer = True
                at = end + 2
                continue
            start = end + 2
            if len(self._bytes) < start + size + 2:
                break
            if self._bytes[start + size : start + size + 2] != b"\r\n":
                raise BrokenAnswerError("a chunk of the answer has another size than it says")
            body += self._bytes[start : start + size]
            at = start + size + 2
        del self._bytes[:at]
        return False
