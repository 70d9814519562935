"""What people and models read: the page of an invitation, and the skill document, with the rules of the run.

Looking at them does not count as coming.
"""

from html import escape
from importlib.resources import files
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench import GameSpec
from molt_bench.plugins.live.guard import invitation_of, invitation_url
from molt_bench.plugins.live.lobby import Invitation, Lobby
from molt_bench.plugins.live.messages import LONGEST_WAIT_S
from molt_bench.specs import MODEL_TIMEOUT_S

_STATIC: Final = files("molt_bench.plugins.live") / "static"


def routes() -> list[BaseRoute]:
    """Return the routes of the style of the pages, and of an invitation without a slash at its end."""

    def style(_: Request) -> Response:
        return Response((_STATIC / "pages.css").read_bytes(), media_type="text/css; charset=utf-8")

    def to_invitation(request: Request) -> Response:
        """Send on; relative, since only the client knows the path of a proxy."""
        return Response(status_code=307, headers={"Location": f"{quote(request.path_params['invitation'], safe='')}/"})

    return [Route("/pages.css", style), Route("/j/{invitation}", to_invitation)]


def invitation_routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of the page of an invitation, and of the skill document."""

    def page(request: Request) -> Response:
        invitation = invitation_of(request)
        rules = "\n".join(f"<li>{escape(rule)}</li>" for rule in rules_of(lobby, invitation))
        text = _filled(
            "landing.html", NAME=escape(str(invitation)), RULES=rules, BASE_URL=escape(invitation_url(request))
        )
        return Response(text, media_type="text/html")

    def skill(request: Request) -> Response:
        rules = "\n".join(f"- {rule}" for rule in rules_of(lobby, invitation_of(request)))
        values = {"BASE_URL": invitation_url(request), "LONGEST_WAIT_S": f"{LONGEST_WAIT_S:g}"}
        return Response(_filled("skill.md", RULES=rules, **values), media_type="text/markdown")

    return [Route("/", page), Route("/skill.md", skill)]


def _filled(file: str, **values: str) -> str:
    """Return a file with values in place of their names."""
    text = (_STATIC / file).read_text("utf-8")
    for name, value in values.items():
        text = text.replace(f"%{name}%", value)
    return text


def rules_of(lobby: Lobby, invitation: Invitation) -> list[str]:
    """Return the rules of this run for one agent, a sentence or two each."""
    game, at_once = lobby.game, len(invitation.slots)
    found = [
        f"Blinds {game.small_blind:,}/{game.big_blind:,}. The button posts the small blind, acts first before "
        f"the flop and last after it; it changes seats every hand.",
        f"{_stacks(game)} No limit.",
        f"A game has {_hands(game.hands)}. You play many games, in either seat, against "
        + ("different opponents." if lobby.opponents > 1 else "the same opponent."),
    ]
    if game.warmup_hands:
        found.append(f"The first {_hands(game.warmup_hands)} of a game are for warming up and do not count.")
    if at_once > 1:
        found.append(f"You play up to {at_once} games at once; `place` says which one a turn belongs to.")
    more = f"you are asked {game.max_retries} more times"
    again = {0: "you are not asked again", 1: "you are asked once more"}.get(game.max_retries, more)
    found.append(
        f"You have {game.action_timeout_s or MODEL_TIMEOUT_S:g} seconds for a decision. An illegal or late answer is a "
        f"mistake: {again}, then your hand is folded."
    )
    return found


def _stacks(game: GameSpec) -> str:
    start = f"{game.stack:,} chips ({game.stack / game.big_blind:g} big blinds)"
    if game.stacks == "reset":
        return f"Every hand starts with {start} each."
    return f"A game starts with {start} each, chips carry over, and it ends early when a player has none left."


def _hands(count: int) -> str:
    return "one hand" if count == 1 else f"{count:,} hands"
