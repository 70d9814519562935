"""The pages of an invitation: the landing page, which never counts as coming, and the table at which a person plays."""

import re
from collections.abc import Iterable
from functools import partial
from html import escape
from pathlib import Path
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.runs.journal import Game
from molt_bench.serve.doors.skill import rules_of_run
from molt_bench.serve.guard import invitation_of, invitation_url, json_response
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby

_STATIC: Final = Path(__file__).parents[1] / "static"


def routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of the pages, and of the results that are shown at the end."""

    def page(file: str, request: Request) -> Response:
        invitation = invitation_of(request)
        seating = invitation.invited.seating
        rules = rules_of_run(lobby.game, games_at_once=invitation.invited.slots)
        values = {
            "NAME": escape(invitation.title if seating is None else f"{invitation.title} (copy for seating {seating})"),
            "RULES": "\n".join(f"<li>{escape(rule)}</li>" for rule in rules),
            "BASE_URL": escape(invitation_url(request)),
            "STATE": "The run is not over." if lobby.closed is None else "The run is over.",
        }
        text = re.sub(r"%([A-Z_]+)%", lambda name: values[name[1]], (_STATIC / file).read_text("utf-8"))
        return Response(text, media_type="text/html")

    def results(request: Request) -> Response:
        over = lobby.closed
        games = [] if over is None else own_results(lobby.finished_games(), invitation_of(request).invited)
        return json_response({"over": over, "games": games})

    return [
        Route("/", partial(page, "landing.html")),
        Route("/table", partial(page, "table.html")),
        Route("/v1/results", results),
    ]


class OwnGame(msgspec.Struct, frozen=True):
    """One game of a guest: its number, the hands that count, the chips won in them, and the guest's faults."""

    game: int
    hands: int
    chips: int
    faults: int


def own_results(games: Iterable[Game], invited: Invited) -> list[OwnGame]:
    """Return the games that were played with an invitation, in the order in which they ended."""
    found: list[OwnGame] = []
    for each in games:
        record = each.record
        if invited.participant in record.players and invited.seating in (None, record.seating):
            own = record.players.index(invited.participant)
            faults = sum(fault.player == own for fault in record.faults)
            found.append(OwnGame(len(found) + 1, record.hands, record.net[own], faults))
    return found
