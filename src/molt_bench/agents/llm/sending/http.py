"""HTTP: sends one request of any provider, over aiohttp, and returns the whole answer as it came.

It keeps no limits of its own on how many: concurrency and time are limited elsewhere.
"""

import ssl
import sys
import zlib
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

import msgspec

from molt_bench.agents.llm.sending.stopwatch import Stopwatch
from molt_bench.lazy_import import lazy_import

if TYPE_CHECKING:
    import urllib.request as urllib_request

    import aiohttp
    import yarl
else:
    aiohttp = lazy_import("aiohttp")
    yarl = lazy_import("yarl")
    urllib_request = lazy_import("urllib.request")

#: File descriptors that are left for everything but connections: files, pipes, other agents.
_OTHER_FILES: Final = 96
#: Seconds for which an idle connection is kept.
_IDLE_S: Final = 60.0
#: Most bytes of an answer; more than any model writes.
MOST_BYTES: Final = 67_108_864
#: The compressions that can be read, though none is asked for.
_ENCODINGS: Final = ("gzip", "deflate")
#: Headers that only frame a message; they are written for each request, and done with once an answer is read.
_FRAMING: Final = frozenset(
    {"content-length", "transfer-encoding", "content-encoding", "accept-encoding", "connection", "host"}
)


class NoConnectionError(ConnectionError):
    """The request was not sent."""


class BrokenAnswerError(ConnectionError):
    """An answer that is no HTTP, that ended too soon, or that is too long."""


class HttpRequest(NamedTuple):
    """A request; of its headers, those that only frame it are written anew."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Received(msgspec.Struct, frozen=True):
    """An answer: status, headers (names in lower case), and body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """Return a header; "" if there is none."""
        return next((value for found, value in self.headers if found == name), "")


def unframed(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return headers without those that only frame a message, names in lower case."""
    return tuple((name.lower(), value) for name, value in headers if name.lower() not in _FRAMING)


def most_connections() -> int:
    """Return how many connections may be open at once: what the system allows, less what everything else needs."""
    try:
        import resource
    except ImportError:  # as on Windows, which has no such limit
        return sys.maxsize
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if allowed == resource.RLIM_INFINITY else max(allowed - _OTHER_FILES, allowed // 4, 1)


class Http:
    """Connections to any server, on the event loop on which it first sends; kept if `keep_alive` is set."""

    def __init__(self, *, keep_alive: bool) -> None:
        self._keep_alive = keep_alive
        self._session: aiohttp.ClientSession | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}

    async def send(
        self, request: HttpRequest, watch: Stopwatch | None = None, *, most_bytes: int = MOST_BYTES
    ) -> Received:
        """Send a request and return the answer; `watch` is told how far it is.

        Raises:
            NoConnectionError: It was not sent.
            OSError: It was, and there is no whole answer.
        """
        progress = _Progress(watch)
        session = self._session or self._opened()
        if self._keep_alive:
            self._session = session
        try:
            return await _answer(session, request, self._proxy(request.url), progress, most_bytes)
        except BrokenAnswerError:
            raise
        except (aiohttp.ClientError, OSError, UnicodeError, ValueError) as error:
            root = getattr(error, "os_error", None) or error
            why = str(root) or type(root).__name__
            if not progress.sent:
                raise NoConnectionError(why) from (root if isinstance(root, OSError) else None)
            raise BrokenAnswerError(f"the answer broke off: {why}") from None
        finally:
            if not self._keep_alive:
                await session.close()

    def _opened(self) -> "aiohttp.ClientSession":
        tracing = aiohttp.TraceConfig()
        tracing.on_request_headers_sent.append(_on_sent)
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
            timeout=aiohttp.ClientTimeout(),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Content-Type", "Accept", "Accept-Encoding"),
            trace_configs=[tracing],
        )

    def _proxy(self, url: str) -> str | None:
        """Return the proxy that the environment names for a URL. What else it says, as in a netrc file, is not used."""
        parts = urlsplit(url)
        origin = parts.scheme, parts.netloc
        if origin not in self._proxies:
            known, host = urllib_request.getproxies(), parts.hostname or ""
            around = not known or urllib_request.proxy_bypass(host)
            self._proxies[origin] = None if around else known.get(parts.scheme) or known.get("all")
        return self._proxies[origin]

    async def close(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def leave(self) -> None:
        """Forget the connections of an event loop that is over."""
        session, self._session = self._session, None
        if session is not None:
            session.detach()


class _Progress:
    """How far a request is."""

    __slots__ = ("sent", "watch")

    def __init__(self, watch: Stopwatch | None) -> None:
        self.sent = False
        self.watch = watch
        if watch is not None:
            watch.connecting()


async def _on_sent(_: object, context: Any, __: object) -> None:
    progress: _Progress = context.trace_request_ctx
    progress.sent = True
    if progress.watch is not None:
        progress.watch.was_sent()


async def _answer(
    session: "aiohttp.ClientSession", request: HttpRequest, proxy: str | None, progress: _Progress, most_bytes: int
) -> Received:
    async with session.request(
        request.method,
        yarl.URL(request.url, encoded=True),
        headers=[*unframed(request.headers), ("accept-encoding", "identity")],
        data=request.body or None,
        allow_redirects=False,
        ssl=certificates() if request.url.startswith("https:") else True,
        proxy=proxy,
        trace_request_ctx=progress,
    ) as response:
        body = bytearray()
        async for part in response.content.iter_any():
            body += part
            # Servers send blanks to keep a connection alive.
            if progress.watch is not None and not progress.watch.answering and not part.isspace():
                progress.watch.answering = True
            if len(body) > most_bytes:
                raise BrokenAnswerError(f"the answer has more than {most_bytes:,} bytes")
        whole = _unpacked(bytes(body), response.headers.get("content-encoding", "").lower(), most_bytes)
        return Received(response.status, unframed(response.headers.items()), whole)


def _unpacked(body: bytes, encoding: str, most_bytes: int) -> bytes:
    """Return a body without its compression."""
    if encoding in ("", "identity"):
        return body
    try:
        if encoding not in _ENCODINGS:
            raise BrokenAnswerError(f"the answer is packed as {encoding[:20]}, which nobody asked for")
        unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        found = unpacking.decompress(body, most_bytes)
    except zlib.error:
        raise BrokenAnswerError(f"the answer is not packed as {encoding}, as it says") from None
    if unpacking.unconsumed_tail:
        raise BrokenAnswerError(f"the answer has more than {most_bytes:,} bytes")
    return found


@cache
def certificates() -> ssl.SSLContext:
    """Return the TLS context, made once: reading certificates takes longer than a game between bots."""
    return ssl.create_default_context()
