"""The transport under the library's HTTP client: aiohttp, in a third of the time of its own, and with time limits.

It keeps no limits of its own on how many: concurrency is limited elsewhere.
"""

import asyncio
import ssl
from contextvars import ContextVar
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx2
import yarl

from molt_bench.blame import raise_bug

#: Seconds to open a connection and to send a request over it.
HANDSHAKE_S: Final = 10.0
#: Seconds for which an idle connection is kept.
_IDLE_S: Final = 60.0
#: How often the event loop looks at its sockets before a kept connection is used: the server may have closed it.
_LOOKS: Final = 3
#: Most bytes of an answer; more than any model writes.
_MOST_BYTES: Final = 67_108_864
#: Headers that only frame a message; they are written for each request, and done with once an answer is read.
_FRAMING: Final = frozenset(
    {"content-length", "transfer-encoding", "content-encoding", "accept-encoding", "connection", "host"}
)
_NO_LIMIT: Final = aiohttp.ClientTimeout()


class Call:
    """One request, and its time: a limit to connect, and another one to answer once it was sent.

    Attributes:
        clock: Ends it when its time is up.
        sent: Whether it was sent, so that it may cost something; True where that cannot be seen.
        answering: Whether some of the answer has come.
        body: The body of the answer, once all of it has.
    """

    def __init__(self, timeout_s: float) -> None:
        self.clock = asyncio.timeout(timeout_s)
        self.sent = True
        self.answering = False
        self.body = b""
        self._timeout_s = timeout_s

    def connecting(self) -> None:
        """Give the request the time of a handshake: it is not sent yet."""
        self.sent = self.answering = False
        self.clock.reschedule(asyncio.get_running_loop().time() + HANDSHAKE_S)

    def was_sent(self) -> None:
        """Start the model's time: the request has been sent."""
        self.sent = True
        self.clock.reschedule(asyncio.get_running_loop().time() + self._timeout_s)


#: The request that the library sends in the current task.
CALL: Final[ContextVar[Call]] = ContextVar("call")


class Transport(httpx2.AsyncBaseTransport):
    """Connections to any server.

    Args:
        keep_alive: Whether they are kept, for one event loop; otherwise each request has its own.
    """

    def __init__(self, *, keep_alive: bool) -> None:
        self._keep_alive = keep_alive
        self._session: aiohttp.ClientSession | None = None
        self._targets: dict[str, dict[str, Any]] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request of the library."""
        call, body = CALL.get(), await request.aread()
        try:
            return await self._send(request, body, call)
        except OSError as error:
            kind = httpx2.ReadError if call.sent else httpx2.ConnectError
            raise kind(str(error), request=request) from error

    async def _send(self, request: httpx2.Request, body: bytes, call: Call) -> httpx2.Response:
        call.connecting()
        for _ in range(_LOOKS if self._session is not None else 0):
            await asyncio.sleep(0)
        session = self._opened()
        try:
            sent = session.request(
                request.method,
                headers=[pair for pair in request.headers.multi_items() if pair[0].lower() not in _FRAMING],
                data=_WatchedBody(body, call),
                allow_redirects=False,
                **self._target(str(request.url)),
            )
            async with sent as response:
                call.body = await _read(response, call)
                headers = [(name, value) for name, value in response.headers.items() if name.lower() not in _FRAMING]
                return httpx2.Response(response.status, headers=headers, content=call.body, request=request)
        except (aiohttp.ClientConnectorError, UnicodeError, ValueError) as error:
            root: Any = getattr(error, "os_error", error)
            raise root if isinstance(root, OSError) else ConnectionError(str(root) or type(root).__name__) from error
        except aiohttp.ClientError as error:
            raise_bug(error)  # one in what is told while a body is written
            raise ConnectionError(f"the answer broke off: {_what_broke(error)}") from None
        finally:
            if session is not self._session:
                await session.close()

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is not None:
            return self._session
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
            timeout=_NO_LIMIT,
            headers={"accept-encoding": "identity"},
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("User-Agent", "Content-Type", "Accept", "Accept-Encoding"),
        )
        if self._keep_alive:
            self._session = session
        return session

    def _target(self, url: str) -> dict[str, Any]:
        """Work out how to reach a URL, once: its proxy and its certificates, as aiohttp takes them.

        Of the environment, only its proxies are used, and nothing else, such as a netrc file.
        """
        found = self._targets.get(url)
        if found is None:
            parts, known = urlsplit(url), getproxies()
            named = known.get(parts.scheme) or known.get("all")
            proxy = None if not named or proxy_bypass(parts.hostname or "") else _proxy(named)
            secure = certificates() if parts.scheme == "https" else True
            found = self._targets[url] = {"url": yarl.URL(url, encoded=True), "proxy": proxy, "ssl": secure}
        return found

    async def aclose(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()


class _WatchedBody(aiohttp.BytesPayload):
    """A body that tells when it is sent; aiohttp's traces would take twice as long."""

    def __init__(self, body: bytes, call: Call) -> None:
        super().__init__(body)
        self._call = call

    async def write_with_length(self, writer: Any, content_length: int | None) -> None:
        self._call.was_sent()
        await super().write_with_length(writer, content_length)


def _proxy(named: str) -> yarl.URL:
    """Return the proxy that the environment names, which need not say http://.

    Raises ConnectionError if it cannot be used. The error does not show it: there may be a password in it.
    """
    try:
        found = yarl.URL(named if "://" in named else f"http://{named}")
        usable = found.scheme in ("http", "https") and found.host and found.port
    except ValueError:
        usable = None
    if not usable:
        raise ConnectionError("the proxy that the environment names has no address such as http://127.0.0.1:8080")
    return found


def _what_broke(error: aiohttp.ClientError) -> str:
    """Return what went wrong with an answer, without what was in it: half of a key, or the password of a proxy."""
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"the proxy answered {error.status}"
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the server closed the connection"
    if isinstance(error, OSError):
        return str(error) or type(error).__name__
    said = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
    return said.partition(":")[0] or type(error).__name__  # what was read comes after the colon


async def _read(response: aiohttp.ClientResponse, call: Call) -> bytes:
    body = bytearray()
    async for part in response.content.iter_any():
        body += part
        # Servers send blanks to keep a connection alive.
        call.answering = call.answering or not part.isspace()
        if len(body) > _MOST_BYTES:
            raise ConnectionError(f"the answer has more than {_MOST_BYTES:,} bytes")
    return bytes(body)


@cache
def certificates() -> ssl.SSLContext:
    """Return the TLS context, made once: reading certificates takes longer than a game between bots."""
    return ssl.create_default_context()
