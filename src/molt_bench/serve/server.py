"""The server of live mode: the lobby's page and all doors under `/j/INVITATION`, served in a thread of its own."""

import socket
import threading
from typing import Final

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount

from molt_bench.serve.doors import long_poll, mcp, moltpoker, skill
from molt_bench.serve.guard import ERROR_HANDLERS, LONGEST_MESSAGE, App, guarded
from molt_bench.serve.lobby import Lobby
from molt_bench.serve.lobby_page import lobby_routes
from molt_bench.web_server import quiet_server

#: Seconds that connections get to end when the server stops.
_GRACE_S: Final = 2
#: Milliseconds after which a connection ends whose other side takes nothing: a machine that is gone, or does not read.
_DEAF_MS: Final = 60_000


def application(lobby: Lobby, *, host: str, port: int) -> App:
    """Return the application that is served."""
    doors: list[BaseRoute] = []
    for door in (moltpoker, long_poll, skill, mcp):
        doors += door.routes(lobby)
    routes = [*lobby_routes(lobby), Mount("/j/{invitation}", routes=doors)]
    return guarded(Starlette(routes=routes, exception_handlers=ERROR_HANDLERS), lobby, host=host, port=port)


class LiveServer:
    """Serves a lobby from its start until it is stopped."""

    def __init__(self, lobby: Lobby, listener: socket.socket, host: str) -> None:
        self._listener = listener
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # connections inherit it
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAF_MS)
        app = application(lobby, host=host, port=listener.getsockname()[1])
        self._server = quiet_server(
            app,
            grace_s=_GRACE_S,
            timeout_keep_alive=75,
            lifespan="on",
            ws="websockets-sansio",
            ws_max_size=LONGEST_MESSAGE,
            ws_ping_interval=None,  # the protocol has its own; a client that thinks must not lose its connection
            ws_per_message_deflate=False,
        )
        self._thread = threading.Thread(target=self._run, name="molt-bench serve", daemon=True)

    def start(self) -> None:
        """Begin to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Stop serving, if it has begun, and wait until that is done."""
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=_GRACE_S + 5)
        self._listener.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._listener])
