"""The lobby's page and the spectators': how far the run is; for its host, and at its end, who plays."""

from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final

from starlette.exceptions import HTTPException
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
    "/watch": ("watch.html", "text/html"),
    "/watch.js": ("watch.js", "text/javascript"),
    "/pages.css": ("pages.css", "text/css"),
    "/table.css": ("table.css", "text/css"),
    **{f"/{name}": (name, "text/javascript") for name in ("table.js", "live_turns.js", "hand_words.js", "bets.js")},
}
#: Files of the viewer, by which the pages with cards draw them as it does.
_VIEWER: Final = Path(__file__).parents[1] / "view" / "static"
_VIEWER_FILES: Final = ("dom.js", "pokertable.js", "text.js", "app.css", "pages.css", "replayer.css")


#: Seconds for which spectators get the same answer.
_KEPT_S: Final = 0.5


def lobby_routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of the page and its data."""

    def data(request: Request) -> Response:
        return json_response(lobby_data(lobby, names=lobby.may_see_names(request.query_params.get("host", ""))))

    kept: dict[bool, tuple[float, Response]] = {}

    def watched(request: Request) -> Response:
        names = lobby.may_see_names(request.query_params.get("host", ""))
        made, response = kept.get(names, (-inf, None))
        if response is None or monotonic() > made + _KEPT_S:  # however many watch, it is put together once
            response = json_response(watch_data(lobby, names=names))
            kept[names] = monotonic(), response
        return response

    def page(request: Request) -> Response:
        file, kind = _FILES[request.url.path]
        return Response((_STATIC / file).read_bytes(), media_type=f"{kind}; charset=utf-8")

    def drawing(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _VIEWER_FILES:
            raise HTTPException(404)
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        return Response((_VIEWER / name).read_bytes(), media_type=f"{kind}; charset=utf-8")

    pages = [Route(path, page) for path in _FILES]
    return [Route("/lobby.json", data), Route("/watch.json", watched), *pages, Route("/viewer/{name}", drawing)]


def watch_data(lobby: Lobby, *, names: bool) -> dict[str, Any]:
    """Return what spectators see; without names, nothing that tells an agent whom it plays."""
    status = lobby.status
    progress: dict[str, int] | None = None
    if status is not None:
        progress = {"match": status.match, "round": status.round, "hands": status.hands}
    seen = lobby.spectators.view(titles=lobby.titles, names=names)
    return {"over": lobby.closed, "bigBlind": lobby.game.big_blind, "progress": progress, **seen}


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
                "left": each.left,
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
