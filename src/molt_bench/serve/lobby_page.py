"""The lobby's page: how many are there and how far the run is; for its host, and at its end, who. No card is on it."""

from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.serve.guard import json_response
from molt_bench.serve.lobby import Lobby

_STATIC: Final = Path(__file__).with_name("static")
#: The files of the page by their path; the landing pages of invitations share the style, and have a script here.
_FILES: Final = {
    "/": ("lobby.html", "text/html"),
    "/lobby.js": ("lobby.js", "text/javascript"),
    "/landing.js": ("landing.js", "text/javascript"),
    "/pages.css": ("pages.css", "text/css"),
}


def lobby_routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of the page and its data."""

    def data(request: Request) -> Response:
        return json_response(lobby_data(lobby, names=lobby.may_see_names(request.query_params.get("host", ""))))

    def page(request: Request) -> Response:
        file, kind = _FILES[request.url.path]
        return Response((_STATIC / file).read_bytes(), media_type=f"{kind}; charset=utf-8")

    return [Route("/lobby.json", data), *[Route(path, page) for path in _FILES]]


def lobby_data(lobby: Lobby, *, names: bool) -> dict[str, Any]:
    """Return what the page shows; without names, nothing that tells an agent whom it plays."""
    status = lobby.status
    progress = None
    if status is not None:
        progress = {
            "match": status.match,
            "round": status.round,
            "games": status.games,
            "gamesInRound": status.games_in_round,
            "hands": status.hands,
            "seconds": round(status.seconds),
        }
    there = {"over": lobby.closed, "invited": len(lobby.invitations), "missing": len(lobby.missing())}
    if not names:
        return {**there, "progress": progress}
    return {
        **there,
        "agents": [
            {
                "name": each.title,
                "seating": each.invited.seating,
                "came": each.came,
                "connected": each.present,
                "away": None if each.away_s is None else round(each.away_s),
                "forfeits": each.forfeits,
                "left": lobby.closed is None and each.slots[0].snapshot().closed is not None,
                "places": len(each.slots),
                "filled": each.filled,
                "playing": sum(slot.snapshot().sat is not None for slot in each.slots),
                "deciding": sum(slot.snapshot().turn is not None for slot in each.slots),
                "decisions": each.decisions,
            }
            for each in lobby.invitations
        ],
        "progress": progress,
    }
