"""moltpoker's door: its platform's clients register, join a table and play over a WebSocket."""

from starlette.routing import BaseRoute

from molt_bench.serve.doors.moltpoker import rest, websocket
from molt_bench.serve.doors.moltpoker.sessions import Sessions
from molt_bench.serve.lobby import Lobby


def routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of this door."""
    sessions = Sessions()
    return [*rest.routes(lobby, sessions), *websocket.routes(lobby, sessions)]
