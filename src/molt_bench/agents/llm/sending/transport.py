"""The transport: an httpx2 client sends by our own connections, or is handed what was received already.

So the libraries of providers write requests and read answers for us, whoever sends them.
"""

from contextvars import ContextVar
from typing import Any, Final, Self

from molt_bench.agents.llm.sending.answer_bytes import BrokenAnswerError, Received
from molt_bench.agents.llm.sending.connections import Connections, Origin
from molt_bench.agents.llm.sending.stopwatch import request_was_sent
from molt_bench.agents.llm.sending.wire import current


class Diversion:
    """A request of a library that is not sent: it is kept, and what was received for it elsewhere is its answer.

    Attributes:
        request: The httpx2 request, once there is one.
    """

    def __init__(self, received: Received | None = None) -> None:
        self.request: Any = None
        self._received = received

    def __enter__(self) -> Self:
        self._token = _DIVERSION.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _DIVERSION.reset(self._token)

    def answer(self, request: Any) -> Received:
        """Return the answer to a request; raises ConnectionError if there is none."""
        self.request = request
        if self._received is None:
            raise ConnectionError("this request was not sent")
        return self._received


_DIVERSION: Final[ContextVar[Diversion | None]] = ContextVar("diversion", default=None)


class Transport:
    """What an httpx2 client sends its requests by: our own connections."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request, unless it is diverted, and return the answer."""
        import httpx2  # loaded when needed, for a fast start

        diversion, connected = _DIVERSION.get(), False

        def sent() -> None:
            nonlocal connected
            connected = True
            request_was_sent()

        try:
            if diversion is not None:
                received = diversion.answer(request)
                sent()
            else:
                origin, message = await _as_bytes(request)
                received = await self._connections.send(origin, message, sent)
        except BrokenAnswerError as error:
            raise httpx2.RemoteProtocolError(str(error), request=request) from error
        except OSError as error:
            failure = httpx2.ReadError if connected else httpx2.ConnectError
            raise failure(str(error), request=request) from error
        if (capture := current()) is not None:
            capture.answered(received.status, received.header("content-encoding"))
            capture.receiving(received.body)
        # What frames the body is done with.
        headers = [pair for pair in received.headers if pair[0] not in ("transfer-encoding", "content-length")]
        return httpx2.Response(received.status, headers=headers, content=received.body, request=request)

    async def aclose(self) -> None:
        """Close all connections."""
        self._connections.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def origin_of(url: Any) -> Origin:
    """Return the server of an httpx2 URL."""
    return Origin(url.scheme, url.host, url.port or (443 if url.scheme == "https" else 80))


async def _as_bytes(request: Any) -> tuple[Origin, bytes]:
    """Return an httpx2 request as it goes over the wire, and to which server."""
    body = await request.aread()
    head = f"{request.method} {request.url.raw_path.decode('ascii')} HTTP/1.1\r\n".encode("ascii")
    lines = [name + b": " + value + b"\r\n" for name, value in request.headers.raw]
    return origin_of(request.url), b"".join([head, *lines, b"\r\n", body])
