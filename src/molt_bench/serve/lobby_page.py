"""The lobby's page: how far the run is; for its host, and at its end, who plays."""

import re
from html import escape
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.serve.waiting_for_guests import named

_STATIC: Final = Path(__file__).with_name("static")
#: The files of the page; the landing pages of invitations share the style, and have a script here.
_FILES: Final = {"lobby.js": "text/javascript", "landing.js": "text/javascript", "pages.css": "text/css"}


def lobby_routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of the page and its files."""

    def page(request: Request) -> Response:
        names = lobby.may_see_names(request.query_params.get("host", ""))
        return Response(lobby_page(lobby, names=names), media_type="text/html")

    def file(request: Request) -> Response:
        name = request.url.path[1:]
        return Response((_STATIC / name).read_bytes(), media_type=f"{_FILES[name]}; charset=utf-8")

    return [Route("/", page), *(Route(f"/{name}", file) for name in _FILES)]


def filled_page(file: str, **values: str) -> str:
    """Return a page with values, which are HTML, in place of their names."""
    return re.sub(r"%([A-Z_]+)%", lambda name: values[name[1]], (_STATIC / file).read_text("utf-8"))


def lobby_page(lobby: Lobby, *, names: bool) -> str:
    """Return the page; without names, nothing that tells an agent whom it plays."""
    at, missing = lobby.status, len(lobby.missing())
    if lobby.closed is not None:
        state = "The run is over."
    elif at is not None:
        state = "The run is under way."
    elif missing:
        state = f"Waiting for {missing} of {len(lobby.invitations)} agents."
    else:
        state = "Everybody is there. The run begins."
    return filled_page(
        "lobby.html",
        STATE=state,
        OVER="" if lobby.closed is None else " data-over",
        AGENTS=_agents(lobby) if names else "",
        PROGRESS=""
        if at is None
        else f"Match {at.match}, round {at.round}: {at.games} of {at.games_in_round} games of this round are done; "
        f"{at.hands:,} hands in finished rounds.",
    )


def _agents(lobby: Lobby) -> str:
    """Return the table of the agents: where each is, and what it has decided."""
    head = '<th scope="col">Agent</th><th scope="col">State</th><th scope="col" class="number">Decisions</th>'
    rows = "\n".join(
        f"<tr><td>{escape(named(each))}</td><td>{_state(each) if lobby.closed is None else 'done'}</td>"
        f'<td class="number">{each.decisions:,}</td></tr>'
        for each in lobby.invitations
    )
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _state(agent: Invitation) -> str:
    if not agent.came:
        return "has not come yet"
    forfeits = f"; {agent.forfeits} games forfeited" if agent.forfeits else ""
    if agent.left:
        return f"has left: the run goes on without it{forfeits}"
    if agent.away_s is not None:
        return f"away for {agent.away_s:.0f} s{forfeits}"
    slots = [slot.snapshot() for slot in agent.slots]
    now = "waits"
    if any(slot.turn is not None for slot in slots):
        now = "is deciding"
    elif any(slot.sat is not None for slot in slots):
        now = "is playing"
    partly = f" at {agent.filled} of {len(slots)} places" if agent.filled < len(slots) else ""
    return now + partly + ("" if agent.present else ", not connected right now")
