"""Connections: HTTP/1.1 to the servers of models, as little of it as that takes.

A general client costs several times the CPU of everything else that is done for a decision. This one sends a request
that is ready as bytes and returns the whole answer. It keeps no limits of its own: concurrency and time are limited
elsewhere. It belongs to one event loop.
"""

import asyncio
import select
import ssl
import sys
from collections.abc import Callable
from typing import Final, NamedTuple

from molt_bench.agents.llm.sending.answer_bytes import AnswerBytes, BrokenAnswerError, Received
from molt_bench.agents.llm.sending.stopwatch import answer_began

#: File descriptors that are left for everything but connections: files, pipes, other agents.
_OTHER_FILES: Final = 96
#: Seconds for which an idle connection is kept.
_IDLE_S: Final = 60.0


def most_connections() -> int:
    """Return how many connections may be open at once: what the system allows, less what everything else needs."""
    try:
        import resource
    except ImportError:  # as on Windows, which has no such limit
        return sys.maxsize
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if allowed == resource.RLIM_INFINITY else max(allowed - _OTHER_FILES, allowed // 4, 1)


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
            if connection.answering:
                answer_began()
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
        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: _Connection(self._open),
                origin.host,
                origin.port,
                ssl=secure,
                server_hostname=origin.host if secure else None,
                happy_eyeballs_delay=0.25,
            )
        except (UnicodeError, OverflowError) as error:  # a name or a port that cannot be
            raise ConnectionError(f"{origin.address} is no address: {error}") from error
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
        self._reader = AnswerBytes()
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

    @property
    def answering(self) -> bool:
        """Whether some of an answer has come, but not all of it."""
        return self._reader.begun

    async def write(self, request: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            raise BrokenAnswerError("the server closed the connection")
        self._reader = AnswerBytes()
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
        except Exception as error:  # nobody else is told what is raised here
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
