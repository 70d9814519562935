"""The landing page of an invitation, which never counts as coming, and the results it shows at the end."""

from collections.abc import Iterable
from html import escape

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.runs.journal_lines import Game
from molt_bench.serve.doors.skill import rules_of_run
from molt_bench.serve.guard import invitation_of, invitation_url, json_response
from molt_bench.serve.invitations import Invited
from molt_bench.serve.lobby import Lobby
from molt_bench.serve.lobby_page import filled_page
from molt_bench.serve.waiting_for_guests import named


def routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of the page, and of the results that it shows at the end."""

    def page(request: Request) -> Response:
        invitation = invitation_of(request)
        rules = rules_of_run(lobby.game, games_at_once=invitation.invited.slots)
        text = filled_page(
            "landing.html",
            NAME=escape(named(invitation)),
            RULES="\n".join(f"<li>{escape(rule)}</li>" for rule in rules),
            BASE_URL=escape(invitation_url(request)),
        )
        return Response(text, media_type="text/html")

    def results(request: Request) -> Response:
        over = lobby.closed
        games = [] if over is None else own_results(lobby.finished_games(), invitation_of(request).invited)
        return json_response({"over": over, "games": games})

    return [Route("/", page), Route("/v1/results", results)]


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
