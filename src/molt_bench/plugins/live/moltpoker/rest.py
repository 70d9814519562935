"""moltpoker's REST: register, join a table, leave it. Every slot of an invitation is one table, for the whole run.

What clients say of themselves in the bodies of their requests decides nothing here, and is not read.
"""

from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.plugins.live.guard import Refused, invitation_of, invitation_url, json_response
from molt_bench.plugins.live.lobby import Invitation, Lobby
from molt_bench.plugins.live.moltpoker import sessions
from molt_bench.plugins.live.moltpoker.messages import PROTOCOL_VERSION
from molt_bench.plugins.live.moltpoker.sessions import Tables
from molt_bench.specs import MODEL_TIMEOUT_S


def routes(lobby: Lobby, tables: Tables) -> list[BaseRoute]:
    """Return the routes of requests."""

    async def register(request: Request) -> Response:
        invitation = invitation_of(request)
        slot = tables.given(invitation)
        answer = {
            "agent_id": sessions.agent_id(invitation, slot),
            "api_key": sessions.key_of(invitation, slot),
            "protocol_version": PROTOCOL_VERSION,
            "skill_doc_url": skill_url(request),
        }
        return json_response(answer, status=201)

    async def join(request: Request) -> Response:
        """Join the table of the client, whether it is named or not."""
        invitation, slot = _authorized(request)
        if lobby.closed is not None:
            raise Refused(400, "TABLE_ENDED", "the run is over")
        table = sessions.table_id(invitation, slot)
        if table in tables.sockets:
            raise Refused(400, "TABLE_FULL", "another client plays with this invitation already")
        answer = {
            "table_id": table,
            "seat_id": invitation.slots[slot].seat or 0,
            "session_token": sessions.key_of(invitation, slot),
            "ws_url": "ws" + invitation_url(request).removeprefix("http") + "/v1/ws",
            "protocol_version": PROTOCOL_VERSION,
            "min_supported_protocol_version": PROTOCOL_VERSION,
            "skill_doc_url": skill_url(request),
            "action_timeout_ms": timeout_ms(lobby),
        }
        return json_response(answer)

    async def leave(request: Request) -> Response:
        invitation, slot = _authorized(request)
        end = tables.sockets.get(sessions.table_id(invitation, slot))
        if end is not None:
            end(1000, "Left the table", "")
        return json_response({"success": True, "message": "Left the table"})

    return [
        Route("/v1/agents", register, methods=["POST"]),
        Route("/v1/tables/auto-join", join, methods=["POST"]),
        Route("/v1/tables/{table}/join", join, methods=["POST"]),
        Route("/v1/tables/{table}/leave", leave, methods=["POST"]),
    ]


def skill_url(connection: HTTPConnection) -> str:
    """Return where the client of a connection can read how to play."""
    return f"{invitation_url(connection)}/skill.md"


def timeout_ms(lobby: Lobby) -> int:
    """Return how long a client may think about a decision."""
    return max(1, int(1000 * (lobby.game.action_timeout_s or MODEL_TIMEOUT_S)))


def _authorized(request: Request) -> tuple[Invitation, int]:
    """Return the invitation and the slot that the key of a request is for; they are those of the table it names."""
    given = request.headers.get("authorization", "").strip()
    word, _, rest = given.partition(" ")
    key = rest.strip() if word.lower() == "bearer" else given
    if not key:
        raise Refused(401, "UNAUTHORIZED", "expected a header `Authorization: Bearer API_KEY`")
    invitation = invitation_of(request)
    slot = sessions.slot_of(invitation, key)
    if slot is None:
        raise Refused(401, "INVALID_API_KEY", "this API key is not one of this invitation")
    if request.path_params.get("table") not in (None, sessions.table_id(invitation, slot)):
        raise Refused(404, "TABLE_NOT_FOUND", "there is no such table for this API key")
    return invitation, slot
