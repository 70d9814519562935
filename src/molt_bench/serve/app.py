"""The application of the server: the lobby's page, and all doors under `/j/INVITATION`."""

from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount

from molt_bench.serve.doors import long_poll, mcp, skill
from molt_bench.serve.doors.moltpoker import rest as moltpoker_rest
from molt_bench.serve.doors.moltpoker import socket as moltpoker_socket
from molt_bench.serve.guard import ERROR_HANDLERS, App, guarded
from molt_bench.serve.lobby import Lobby
from molt_bench.serve.lobby_page import lobby_routes


def application(lobby: Lobby, *, host: str, port: int) -> App:
    """Return the application."""
    doors: list[BaseRoute] = []
    for door in (moltpoker_rest, moltpoker_socket, long_poll, skill, mcp):
        doors += door.routes(lobby)
    routes = [*lobby_routes(lobby), Mount("/j/{invitation}", routes=doors)]
    return guarded(Starlette(routes=routes, exception_handlers=ERROR_HANDLERS), lobby, host=host, port=port)
