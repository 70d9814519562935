"""moltpoker's REST: register, join a table, leave it. Every slot of an invitation is one table, for the whole run."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Final, TypeAlias

import msgspec
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench._version import __version__
from molt_bench.serve.doors.moltpoker import sessions
from molt_bench.serve.doors.moltpoker.server_messages import OPPONENT, PROTOCOL_VERSION
from molt_bench.serve.guard import LONGEST_MESSAGE, Refused, invitation_of, invitation_url, json_response
from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.specs import MODEL_TIMEOUT_S

Json: TypeAlias = dict[str, Any]

_LONGEST_NAME: Final = 50
_MOST_SEATS: Final = 9
_MOST_LISTED: Final = 100
_STATUSES: Final = ("waiting", "running", "ended")
#: Seconds between two looks whether a slot has become free.
_LOOK_S: Final = 0.1


def routes(lobby: Lobby, known: sessions.Sessions) -> list[BaseRoute]:
    """Return the routes of requests."""
    desk = _Desk(lobby, known)
    return [
        _route("/v1/agents", desk.register, "POST", status=201),
        _route("/v1/tables/auto-join", desk.join, "POST"),
        _route("/v1/tables/{table}/join", desk.join, "POST"),
        _route("/v1/tables/{table}/leave", desk.leave, "POST"),
        _route("/v1/tables/{table}/events", desk.events, "GET"),
        _route("/v1/tables/{table}", desk.table, "GET"),
        _route("/v1/tables", desk.tables, "GET"),
        _route("/health", desk.health, "GET"),
    ]


def _route(path: str, endpoint: Callable[[Request], Awaitable[Json]], method: str, *, status: int = 200) -> Route:
    async def respond(request: Request) -> Response:
        try:
            return json_response(await endpoint(request), status=status)
        except Refused as refused:
            return json_response({"error": refused.error}, status=refused.status)

    return Route(path, respond, methods=[method])


class _Desk:
    def __init__(self, lobby: Lobby, known: sessions.Sessions) -> None:
        self._lobby = lobby
        self._sessions = known

    async def register(self, request: Request) -> Json:
        body = await _body(request)
        name, metadata = body.get("name", "agent"), body.get("metadata", {})
        if not isinstance(name, str) or not 1 <= len(name) <= _LONGEST_NAME or not isinstance(metadata, dict):
            raise _invalid(f"expected a name of 1 to {_LONGEST_NAME} characters, and metadata that is an object")
        invitation, agent = invitation_of(request), sessions.new_agent()
        return {
            "agent_id": sessions.agent_id(invitation, agent),
            "api_key": sessions.api_key(invitation, agent),
            "protocol_version": PROTOCOL_VERSION,
            "skill_doc_url": skill_url(request),
        }

    async def join(self, request: Request) -> Json:
        """Join the table that is named, or any."""
        only = _slot(request) if "table" in request.path_params else None
        invitation, agent = _authorized(request)
        await _check_join(request)
        until = monotonic() + 2 * sessions.KEPT_S
        while True:
            if self._lobby.closed is not None:
                raise Refused(400, "TABLE_ENDED", "the run is over")
            slot = self._sessions.slot_for(invitation, agent, only=only)
            if slot is not None:
                break
            if monotonic() > until or not self._sessions.may_become_free(invitation, only=only):
                raise Refused(400, "TABLE_FULL", "another client plays with this invitation already")
            await asyncio.sleep(_LOOK_S)
        self._sessions.take(invitation, slot, agent)
        sat = invitation.slots[slot].snapshot().sat
        return {
            "table_id": sessions.table_id(invitation, slot),
            "seat_id": 0 if sat is None else sat.seat,
            "session_token": sessions.session_token(invitation, slot, agent),
            "ws_url": "ws" + invitation_url(request).removeprefix("http") + "/v1/ws",
            "protocol_version": PROTOCOL_VERSION,
            "min_supported_protocol_version": PROTOCOL_VERSION,
            "skill_doc_url": skill_url(request),
            "action_timeout_ms": timeout_ms(self._lobby),
        }

    async def leave(self, request: Request) -> Json:
        slot = _slot(request)
        invitation, agent = _authorized(request)
        await _body(request)
        if not self._sessions.leave(invitation, slot, agent) and self._lobby.closed is None:
            raise Refused(400, "NOT_SEATED", "this agent does not sit at that table")
        return {"success": True, "message": "Left the table"}

    async def tables(self, request: Request) -> Json:
        invitation, query = invitation_of(request), request.query_params
        status = query.get("status")
        limit, offset = _number(query.get("limit", "10")), _number(query.get("offset", "0"))
        if status not in (None, *_STATUSES) or not 1 <= limit <= _MOST_LISTED or offset < 0:
            raise _invalid(f"expected status {', '.join(_STATUSES)}, limit 1 to {_MOST_LISTED}, offset 0 or more")
        found = [self._listed(invitation, at) for at in range(len(invitation.slots))]
        found = [each for each in found if status in (None, each["status"])]
        return {
            "tables": found[offset : offset + limit],
            "hasMore": len(found) > offset + limit,
            "protocol_version": PROTOCOL_VERSION,
        }

    async def table(self, request: Request) -> Json:
        return self._listed(invitation_of(request), _slot(request))

    async def events(self, request: Request) -> Json:
        """Return no event: nobody may read hands while the run goes on, and its files have them afterwards."""
        _slot(request)
        return {"events": [], "hasMore": False}

    async def health(self, _: Request) -> Json:
        return {"status": "ok", "timestamp": datetime.now(UTC).isoformat(), "version": __version__}

    def _listed(self, invitation: Invitation, slot: int) -> Json:
        game, snapshot = self._lobby.game, invitation.slots[slot].snapshot()
        hold = self._sessions.holds(invitation)[slot]
        own = 0 if snapshot.sat is None else snapshot.sat.seat
        there = {own: sessions.agent_id(invitation, hold.agent)} if hold.agent else {}
        names = {own: invitation.title}
        if snapshot.sat is not None:
            there[1 - own], names[1 - own] = sessions.opponent_id(invitation), OPPONENT
        status = "waiting" if snapshot.sat is None else "running"
        return {
            "id": sessions.table_id(invitation, slot),
            "status": status if snapshot.closed is None else "ended",
            "config": {
                "blinds": {"small": game.small_blind, "big": game.big_blind},
                "maxSeats": 2,
                "initialStack": game.stack,
                "actionTimeoutMs": timeout_ms(self._lobby),
                "minPlayersToStart": 2,
                "realMoney": False,
            },
            "seats": [
                {
                    "seatId": seat,
                    "agentId": there.get(seat),
                    "agentName": names[seat] if seat in there else None,
                    "stack": game.stack if seat in there else 0,
                    "isActive": seat in there,
                }
                for seat in (0, 1)
            ],
            "availableSeats": 2 - len(there),
            "playerCount": len(there),
            "created_at": None,
            "bucket_key": "default",
            "realMoney": False,
        }


def skill_url(connection: HTTPConnection) -> str:
    """Return where the client of a connection can read how to play."""
    return f"{invitation_url(connection)}/skill.md"


def timeout_ms(lobby: Lobby) -> int:
    """Return how long a client may think about a decision."""
    return max(1, int(1000 * (lobby.game.action_timeout_s or MODEL_TIMEOUT_S)))


def _authorized(request: Request) -> tuple[Invitation, str]:
    given = request.headers.get("authorization", "").strip()
    word, _, rest = given.partition(" ")
    key = rest.strip() if word.lower() == "bearer" else given
    if not key:
        raise Refused(401, "UNAUTHORIZED", "expected a header `Authorization: Bearer API_KEY`")
    invitation = invitation_of(request)
    agent = sessions.agent_of(invitation, key)
    if agent is None:
        raise Refused(401, "INVALID_API_KEY", "this API key is not one of this invitation")
    return invitation, agent


def _slot(request: Request) -> int:
    invitation, named = invitation_of(request), request.path_params["table"]
    for slot in range(len(invitation.slots)):
        if sessions.same(named, sessions.table_id(invitation, slot)):
            return slot
    raise Refused(404, "TABLE_NOT_FOUND", "there is no such table")


async def _check_join(request: Request) -> None:
    body = await _body(request)
    version, seat = body.get("client_protocol_version", PROTOCOL_VERSION), body.get("preferred_seat", 0)
    if not isinstance(version, str) or type(seat) is not int or not 0 <= seat <= _MOST_SEATS:
        raise _invalid(f"expected client_protocol_version as text, and preferred_seat from 0 to {_MOST_SEATS}")
    if not isinstance(body.get("bucket_key", ""), str):
        raise _invalid("expected bucket_key as text")
    if version < PROTOCOL_VERSION:
        raise Refused(
            400,
            "OUTDATED_CLIENT",
            "your client's protocol version is outdated",
            min_supported_protocol_version=PROTOCOL_VERSION,
            skill_doc_url=skill_url(request),
        )


async def _body(request: Request) -> Json:
    try:
        text = await request.body()
    except ClientDisconnect:
        raise Refused(413, "VALIDATION_ERROR", f"a message may have {LONGEST_MESSAGE // 1024} KiB") from None
    try:
        found = msgspec.json.decode(text) if text else {}
    except (msgspec.MsgspecError, RecursionError, ValueError):
        raise _invalid("the body is not JSON") from None
    if not isinstance(found, dict):
        raise _invalid("the body is not an object")
    return found


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _invalid(why: str) -> Refused:
    return Refused(400, "VALIDATION_ERROR", f"Invalid request: {why}")
