"""HTTP: sends one request of any provider, over aiohttp, and returns the whole answer as it came.

It keeps no limits of its own on how many: concurrency and time are limited elsewhere.
"""

import asyncio
import ssl
import urllib.request as urllib_request
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, cached_property
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import aiohttp
import yarl

from molt_bench.blame import raise_bug
from molt_bench.llm.stopwatch import Stopwatch

#: Seconds for which an idle connection is kept.
_IDLE_S: Final = 60.0
#: How often the event loop looks at its sockets before a kept connection is used: the server may have closed it.
_LOOKS: Final = 3
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
    """An answer that is no HTTP, or that ended too soon."""


class LongAnswerError(BrokenAnswerError):
    """An answer that is too long; `status` is its HTTP status."""

    def __init__(self, most_bytes: int, status: int = 0) -> None:
        self.status = status
        super().__init__(f"the answer has more than {most_bytes:,} bytes")


class HttpRequest(NamedTuple):
    """A request, without the headers that only frame it."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Received(NamedTuple):
    """An answer: status, headers, and body without any compression."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def unframed(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return headers without those that only frame a message."""
    return tuple(pair for pair in headers if pair[0].lower() not in _FRAMING)


class Http:
    """Connections to any server, on the event loop on which it first sends.

    Args:
        keep_alive: Whether they are kept; otherwise each request has its own.
        idle_s: Seconds for which an idle one is kept.
        proxied: Whether requests go over the proxy that the environment names.
    """

    def __init__(self, *, keep_alive: bool, idle_s: float = _IDLE_S, proxied: bool = True) -> None:
        self._keep_alive = keep_alive
        self._idle_s = idle_s
        self._proxied = proxied
        self._session: aiohttp.ClientSession | None = None
        self._targets: dict[str, _Target] = {}

    @cached_property
    def _no_limit(self) -> aiohttp.ClientTimeout:
        return aiohttp.ClientTimeout()

    async def send(
        self,
        request: HttpRequest,
        watch: Stopwatch | None = None,
        *,
        most_bytes: int = MOST_BYTES,
        connect_s: float | None = None,
    ) -> Received:
        """Send a request and return the answer; `watch` is told how far it is, `connect_s` limits the time to connect.

        Raises:
            NoConnectionError: It was not sent.
            OSError: It was, and there is no whole answer.
        """
        if watch is not None:
            watch.connecting()
        if self._session is not None:
            for _ in range(_LOOKS):
                await asyncio.sleep(0)
        session = self._session or self._opened()
        if self._keep_alive:
            self._session = session
        try:
            target = self._targets.get(request.url) or self._target(request.url)
            sent = session.request(
                request.method,
                target.url,
                headers=request.headers,
                data=request.body if watch is None else _watched_body()(request.body, watch),
                allow_redirects=False,
                ssl=target.certificates,
                proxy=target.proxy,
                timeout=self._no_limit if connect_s is None else aiohttp.ClientTimeout(connect=connect_s),
            )
            async with sent as response:
                return await _read(response, watch, most_bytes)
        except (BrokenAnswerError, NoConnectionError):
            raise
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, UnicodeError, ValueError) as error:
            root = getattr(error, "os_error", error)
            raise NoConnectionError(str(root) or type(root).__name__) from root
        except (aiohttp.ClientError, OSError) as error:
            raise_bug(error)  # one in what is told while a body is written
            raise BrokenAnswerError(f"the answer broke off: {_what_broke(error)}") from None
        finally:
            if not self._keep_alive:
                await session.close()

    def _opened(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=self._idle_s),
            timeout=self._no_limit,
            headers={"accept-encoding": "identity"},
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Content-Type", "Accept", "Accept-Encoding"),
        )

    def _target(self, url: str) -> "_Target":
        """Work out how to reach a URL, once.

        Of the environment, only its proxies are used, and nothing else, such as a netrc file.
        """
        parts = urlsplit(url)
        known = urllib_request.getproxies() if self._proxied else {}
        named = known.get(parts.scheme) or known.get("all")
        around = not named or urllib_request.proxy_bypass(parts.hostname or "")
        found = _Target(
            yarl.URL(url, encoded=True),
            None if not named or around else _proxy(named),
            certificates() if parts.scheme == "https" else True,
        )
        self._targets[url] = found
        return found

    async def close(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def leave(self) -> None:
        """Forget the connections of an event loop that is over."""
        session, self._session = self._session, None
        if session is not None:
            with suppress(StopIteration):  # there is no event loop that could await it, and nothing to wait for
                session.close().send(None)


class _Target(NamedTuple):
    """A URL, the proxy on the way to it, and the certificates."""

    url: yarl.URL
    proxy: yarl.URL | None
    certificates: ssl.SSLContext | bool


def _proxy(named: str) -> yarl.URL:
    """Return the proxy that the environment names, which need not say http://.

    Raises:
        NoConnectionError: It cannot be used. The error does not show it: there may be a password in it.
    """
    try:
        found = yarl.URL(named if "://" in named else f"http://{named}")
        usable = found.scheme in ("http", "https") and found.host and found.port
    except ValueError:
        usable = None
    if not usable:
        raise NoConnectionError("the proxy that the environment names has no address such as http://127.0.0.1:8080")
    return found


def _what_broke(error: Exception) -> str:
    """Return what went wrong with an answer, without what was in it: half of a key, or the password of a proxy."""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"the proxy answered {error.status}"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the server closed the connection"
    if isinstance(error, OSError):
        return str(error) or type(error).__name__
    said = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
    return said.partition(":")[0] or type(error).__name__  # what was read comes after the colon


@cache
def _watched_body() -> Any:
    """Return the class of a body that tells a stopwatch when it is sent; aiohttp's traces would take twice as long."""

    class WatchedBody(aiohttp.BytesPayload):
        def __init__(self, body: bytes, watch: Stopwatch) -> None:
            super().__init__(body)
            self._watch = watch

        async def write_with_length(self, writer: Any, content_length: int | None) -> None:
            self._watch.was_sent()
            await super().write_with_length(writer, content_length)

    return WatchedBody


async def _read(response: aiohttp.ClientResponse, watch: Stopwatch | None, most_bytes: int) -> Received:
    body = bytearray()
    async for part in response.content.iter_any():
        body += part
        # Servers send blanks to keep a connection alive.
        if watch is not None and not watch.answering and not part.isspace():
            watch.answering = True
        if len(body) > most_bytes:
            raise LongAnswerError(most_bytes, response.status)
    whole = _unpacked(bytes(body), response.headers.get("content-encoding", "").lower(), most_bytes)
    return Received(response.status, response.headers, whole)


def _unpacked(body: bytes, encoding: str, most_bytes: int) -> bytes:
    """Return a body without its compression."""
    if encoding in ("", "identity"):
        return body
    try:
        if encoding not in _ENCODINGS:
            raise BrokenAnswerError("the answer is packed in a way that nobody asked for")
        unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        found = unpacking.decompress(body, most_bytes)
    except zlib.error:
        raise BrokenAnswerError(f"the answer is not packed as {encoding}, as it says") from None
    if unpacking.unconsumed_tail:
        raise LongAnswerError(most_bytes)
    return found


@cache
def certificates() -> ssl.SSLContext:
    """Return the TLS context, made once: reading certificates takes longer than a game between bots."""
    return ssl.create_default_context()
