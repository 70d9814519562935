"""The long poll: one request for a decision, one for an answer that brings the next decision. For curl and scripts."""

import math
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.agents.live.turn_messages import DEFAULT_WAIT_S, LONGEST_WAIT_S, read_act
from molt_bench.errors import AgentFailed
from molt_bench.serve.doors.turns import ClientGone, give, next_turn, unless_gone
from molt_bench.serve.guard import LONGEST_MESSAGE, Refused, answered, invitation_of, json_error, json_response
from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.serve.practice_hand import practice_answer, practice_turn
from molt_bench.specs import MODEL_TIMEOUT_S

#: To a client that is gone, nothing can be said.
_NOBODY: Final = 499


def routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of this door."""

    def run(request: Request) -> Response:
        return json_response(about_run(lobby, invitation_of(request)))

    async def turn(request: Request) -> Response:
        invitation = invitation_of(request)
        lobby.arrived(invitation)
        wait_s, slot = _asked(request, invitation)
        found = await unless_gone(request, next_turn(invitation, wait_s=wait_s, slot=slot))
        if found.over is not None:
            error = {"code": "RUN_OVER", "message": found.over.reason}
            return json_response({"error": error, "over": found.over}, status=410)
        return Response(status_code=204) if found.turn is None else json_response(found)

    async def act(request: Request) -> Response:
        invitation = invitation_of(request)
        lobby.arrived(invitation)
        wait_s, slot = _asked(request, invitation)
        verdict = await give(invitation, read_act(await request.body()))
        if verdict == "taken":
            answered(request)
        found = await unless_gone(request, next_turn(invitation, wait_s=wait_s, slot=slot))
        return json_response(msgspec.structs.replace(found, verdict=verdict))

    def practice(request: Request) -> Response:
        return json_response(practice_turn(lobby.game, practice_token(invitation_of(request))))

    async def practised(request: Request) -> Response:
        token = practice_token(invitation_of(request))
        return json_response(practice_answer(lobby.game, token, read_act(await request.body())))

    return [
        Route("/v1/run", run),
        Route("/v1/test", practice),
        Route("/v1/test", partial(_unless_refused, practised), methods=["POST"]),
        Route("/v1/turn", partial(_unless_refused, turn)),
        Route("/v1/act", partial(_unless_refused, act), methods=["POST"]),
    ]


async def _unless_refused(endpoint: Callable[[Request], Awaitable[Response]], request: Request) -> Response:
    try:
        return await endpoint(request)
    except ClientDisconnect:  # or a body that grew too long, or did not end
        most = f"{LONGEST_MESSAGE // 1024} KiB"
        return json_error(413, "VALIDATION_ERROR", f"a message may have {most}, and has to come without a pause")
    except AgentFailed as failure:
        return json_error(400, "VALIDATION_ERROR", f"{failure}. Send {{turn_token, kind, amount}} as JSON")
    except Refused as refusal:
        return json_error(refusal.status, **refusal.error)
    except ClientGone:
        return Response(status_code=_NOBODY)


def practice_token(invitation: Invitation) -> str:
    """Return the token of the practice turn, which is that of no decision."""
    return invitation.derived("practice")[:32]


def about_run(lobby: Lobby, invitation: Invitation) -> dict[str, object]:
    """Return what an agent may know about the run: its own name, the game, and how many it plays at once."""
    return {
        "name": invitation.title,
        "games_at_once": invitation.invited.slots,
        "seconds_per_decision": lobby.game.action_timeout_s or MODEL_TIMEOUT_S,
        "game": lobby.game.model_dump(by_alias=True),
        "over": lobby.closed,
    }


def _asked(request: Request, invitation: Invitation) -> tuple[float, int | None]:
    """Return how long to wait and for which slot, or raise Refused."""
    wait = request.query_params.get("wait", str(DEFAULT_WAIT_S))
    place = request.query_params.get("place")
    try:
        wait_s = float(wait)
    except ValueError:
        wait_s = math.nan
    if not wait_s >= 0:
        raise Refused(400, "VALIDATION_ERROR", f"wait is not a number of seconds, such as {DEFAULT_WAIT_S:g}")
    slots = len(invitation.slots)
    if place is not None and place not in map(str, range(1, slots + 1)):
        raise Refused(400, "VALIDATION_ERROR", f"place is not a whole number from 1 to {slots}")
    return min(wait_s, LONGEST_WAIT_S), None if place is None else int(place)
