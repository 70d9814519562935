"""The server of live mode: all doors under `/j/INVITATION`, served in a thread of its own."""

import socket
import threading
from functools import partial
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Router
from starlette.types import ASGIApp

from molt_bench.plugins.live import door, mcp, pages
from molt_bench.plugins.live.address import ServerAddress
from molt_bench.plugins.live.guard import ERROR_HANDLERS, Guard
from molt_bench.plugins.live.lobby import Lobby
from molt_bench.plugins.live.moltpoker import rest
from molt_bench.plugins.live.moltpoker import socket as sockets
from molt_bench.plugins.live.moltpoker.sessions import Tables

#: Seconds that connections get to end when the server stops.
_GRACE_S: Final = 2
#: Milliseconds after which a connection ends whose other side takes nothing: a machine that is gone, or does not read.
_DEAF_MS: Final = 60_000
#: Most bytes of a message over a WebSocket.
_LONGEST_MESSAGE: Final = 64 * 1024
#: Headers of every response.
_HEADERS: Final = [
    ("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cache-Control", "no-store"),
]


def application(lobby: Lobby, address: ServerAddress) -> ASGIApp:
    """Return the application that is served."""
    tables = Tables()
    doors: list[BaseRoute] = [  # what is asked most comes first
        *door.routes(lobby),
        *mcp.routes(lobby),
        *sockets.routes(lobby, tables),
        *rest.routes(lobby, tables),
        *pages.invitation_routes(lobby),
    ]
    invited = Guard(Router(doors), lobby, public_url=address.public_url)
    routes = [*pages.routes(), Mount("/j/{invitation}", app=invited)]
    below = [Mount(address.prefix, routes=routes)] if address.prefix else []
    return Starlette(routes=[*below, *routes], exception_handlers=ERROR_HANDLERS)


class LiveServer:
    """Serves a lobby from its start until it is stopped."""

    def __init__(self, lobby: Lobby, listener: socket.socket, address: ServerAddress) -> None:
        self._listener = listener
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # connections inherit it
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _DEAF_MS)
        self._server = uvicorn.Server(
            uvicorn.Config(
                application(lobby, address),
                headers=_HEADERS,
                log_level="critical",  # a log could have a secret of a URL
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,  # the public URL is the operator's to tell
                timeout_graceful_shutdown=_GRACE_S,
                timeout_keep_alive=75,
                lifespan="off",
                ws="websockets-sansio",
                ws_max_size=_LONGEST_MESSAGE,
                ws_ping_interval=None,  # the protocol has its own; a client that thinks must not lose its connection
                ws_per_message_deflate=False,
            )
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
