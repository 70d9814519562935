"""The server of live mode: the lobby's page and all doors under `/j/INVITATION`, served in a thread of its own."""

import asyncio
import socket
import threading
from functools import partial
from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from molt_bench.quiet_server import quiet_server
from molt_bench.serve.doors import landing, long_poll, mcp, moltpoker, skill
from molt_bench.serve.guard import ERROR_HANDLERS, LONGEST_MESSAGE, Guard, invitation_of, json_error
from molt_bench.serve.lobby import Lobby
from molt_bench.serve.lobby_page import lobby_routes
from molt_bench.serve.public_address import ServerAddress

#: Seconds that connections get to end when the server stops.
_GRACE_S: Final = 2
#: Milliseconds after which a connection ends whose other side takes nothing: a machine that is gone, or does not read.
_DEAF_MS: Final = 60_000
#: Connections that may be open; each is a file, and many systems give a program 1,024.
MOST_CONNECTIONS: Final = 500
#: Seconds that one too many gets for its request, whose answer is a refusal.
_REFUSED_S: Final = 5.0
_FULL: Final = json_error(503, "BUSY", "the server has all the connections it takes: try again later")
_FULL.headers["Connection"] = "close"


def application(lobby: Lobby, address: ServerAddress) -> ASGIApp:
    """Return the application that is served."""
    doors: list[BaseRoute] = []
    for door in (long_poll, mcp, moltpoker, skill, landing):  # what is asked most comes first
        doors += door.routes(lobby)
    routes = [*lobby_routes(lobby), Route("/j/{invitation}", _to_landing), Mount("/j/{invitation}", routes=doors)]

    return Guard(Starlette(routes=routes, exception_handlers=ERROR_HANDLERS), lobby, address=address)


def _to_landing(request: Request) -> Response:
    """Send on to the page below an invitation; relative, since only the client knows the path of a proxy."""
    return Response(status_code=307, headers={"Location": f"{invitation_of(request).invited.token}/"})


class _Connection(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection. One too many hears that the server is full, and ends."""

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            self.app, self.ws_protocol_class = _FULL, None
            self.loop.call_later(_REFUSED_S, transport.close)


class LiveServer:
    """Serves a lobby from its start until it is stopped."""

    def __init__(self, lobby: Lobby, listener: socket.socket, address: ServerAddress) -> None:
        self._listener = listener
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # connections inherit it
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAF_MS)
        self._server = quiet_server(
            application(lobby, address),
            http=_Connection,
            proxy_headers=False,  # the public URL is the operator's to tell
            grace_s=_GRACE_S,
            timeout_keep_alive=75,
            lifespan="off",
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
