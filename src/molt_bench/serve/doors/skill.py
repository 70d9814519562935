"""The skill document: what an agent that can read needs to play, with its own URL filled in."""

from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.agents.live.turn_messages import LONGEST_WAIT_S
from molt_bench.config.game import GameConfig
from molt_bench.serve.guard import invitation_of, invitation_url
from molt_bench.serve.lobby import Lobby
from molt_bench.specs import MODEL_TIMEOUT_S

_GAMES: Final = "You play many games, in either seat, against different opponents."
_TEXT: Final = files("molt_bench.serve.doors").joinpath("skill.md")


def routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the route of the document."""

    def document(request: Request) -> Response:
        return Response(skill_of(lobby, request), media_type="text/markdown")

    return [Route("/skill.md", document)]


def skill_of(lobby: Lobby, request: Request) -> str:
    """Return the document for whoever sent a request."""
    base, slots = invitation_url(request), invitation_of(request).invited.slots
    return skill_text(lobby.game, base=base, games_at_once=slots)


def skill_text(game: GameConfig, *, base: str, games_at_once: int = 1) -> str:
    """Return the document for a reader whose invitation is the URL `base`."""
    values = {
        "BASE_URL": base,
        "RULES": "\n".join(f"- {rule}" for rule in rules_of_run(game, games_at_once=games_at_once)),
        "LONGEST_WAIT_S": f"{LONGEST_WAIT_S:g}",
    }
    text = _TEXT.read_text("utf-8")
    for name, value in values.items():
        text = text.replace(f"%{name}%", value)
    return text


def rules_of_run(game: GameConfig, *, games_at_once: int) -> list[str]:
    """Return the rules of this run, one sentence each."""
    ante = f", and both post an ante of {game.ante:,}" if game.ante else ""
    start = f"{game.stack:,} chips ({game.stack / game.big_blind:g} big blinds)"
    stacks = (
        f"Every hand starts with {start} each."
        if game.stacks == "reset"
        else f"A game starts with {start} each, chips carry over, and it ends early when somebody has none left."
    )
    found = [
        f"Blinds {game.small_blind:,}/{game.big_blind:,}{ante}. The button posts the small blind, acts first before "
        f"the flop and last after it; it changes seats every hand.",
        f"{stacks} No limit.",
        f"A game has {_hands(game.hands_per_game)}. {_GAMES}",
    ]
    if game.warmup_hands:
        found.append(f"The first {_hands(game.warmup_hands)} of a game are for warming up and do not count.")
    if games_at_once > 1:
        found.append(f"You play up to {games_at_once} games at once; `place` says which one a turn belongs to.")
    more = f"you are asked {game.max_retries} more times"
    again = {0: "you are not asked again", 1: "you are asked once more"}.get(game.max_retries, more)
    found.append(
        f"You have {game.action_timeout_s or MODEL_TIMEOUT_S:g} seconds for a decision. An illegal or late answer is a "
        f"mistake: {again}, then your hand is folded."
    )
    return found


def _hands(count: int) -> str:
    return "one hand" if count == 1 else f"{count:,} hands"
