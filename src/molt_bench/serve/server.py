"""The server of live mode: the lobby's page and all doors under `/j/INVITATION`, served in a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from molt_bench.quiet_server import quiet_server
from molt_bench.serve.connection_limits import STRANGER_S, ConnectionLimits, most_connections, raise_file_limit
from molt_bench.serve.doors import landing, long_poll, mcp, moltpoker, skill
from molt_bench.serve.guard import ERROR_HANDLERS, LONGEST_MESSAGE, Guard, invitation_of
from molt_bench.serve.lobby import Lobby
from molt_bench.serve.lobby_page import lobby_routes
from molt_bench.serve.public_address import ServerAddress

#: Seconds that connections get to end when the server stops.
_GRACE_S: Final = 2
#: Milliseconds after which a connection ends whose other side takes nothing: a machine that is gone, or does not read.
_DEAF_MS: Final = 60_000


#: Connections that are accepted at once: few, so that each can say what it wants before others take its place.
_ACCEPTED_AT_ONCE: Final = 8
#: Connections that may wait to be accepted.
_WAITING: Final = 1_024
#: Seconds after which the server accepts connections.
_BEGUN_S: Final = 0.1


def application(lobby: Lobby, address: ServerAddress, limits: ConnectionLimits, listener: socket.socket) -> ASGIApp:
    """Return the application that is served."""
    doors: list[BaseRoute] = []
    for door in (long_poll, mcp, moltpoker, skill, landing):  # what is asked most comes first
        doors += door.routes(lobby)
    routes = [*lobby_routes(lobby), Route("/j/{invitation}", _to_landing), Mount("/j/{invitation}", routes=doors)]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(limits.handle_loop_error)
        # asyncio takes one number for how many may wait and for how many it accepts at once.
        loop.call_later(_BEGUN_S, listener.listen, _WAITING)
        sweeping = asyncio.ensure_future(limits.end_idle_connections())
        yield
        sweeping.cancel()

    app = Starlette(routes=routes, exception_handlers=ERROR_HANDLERS, lifespan=lifespan)
    return Guard(app, lobby, address=address, limits=limits)


def _to_landing(request: Request) -> Response:
    """Send on to the page below an invitation; relative, since only the client knows the path of a proxy."""
    return Response(status_code=307, headers={"Location": f"{invitation_of(request).invited.token}/"})


class _CountedConnection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection that is counted from its first moment."""

    def __init__(self, *, limits: ConnectionLimits, **options: Any) -> None:
        super().__init__(**options)
        self._limits = limits

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin; the connection may be ended at once."""
        super().connection_made(transport)
        self._limits.came(transport)


class LiveServer:
    """Serves a lobby from its start until it is stopped."""

    def __init__(self, lobby: Lobby, listener: socket.socket, address: ServerAddress) -> None:
        self._listener = listener
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # connections inherit it
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAF_MS)
        if hasattr(socket, "TCP_DEFER_ACCEPT"):  # whoever says nothing never takes one of our files
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_DEFER_ACCEPT, int(STRANGER_S))
        limits = ConnectionLimits(most_connections(raise_file_limit()), proxies=address.trusted_proxies)
        lobby.shut_at = lambda: limits.shut_at
        self._server = quiet_server(
            application(lobby, address, limits, listener),
            http=partial(_CountedConnection, limits=limits),
            backlog=_ACCEPTED_AT_ONCE,
            proxy_headers=False,  # the guard reads them
            grace_s=_GRACE_S,
            timeout_keep_alive=75,
            lifespan="on",
            ws="websockets-sansio",
            ws_max_size=LONGEST_MESSAGE,
            ws_ping_interval=None,  # the protocol has its own; a client that thinks must not lose its connection
            ws_per_message_deflate=False,
        )
        run = partial(self._server.run, sockets=[listener])
        self._thread = threading.Thread(target=run, name="molt-bench serve", daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Stop serving, if it has begun, and wait until that is done."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=_GRACE_S + 5)
        self._listener.close()
