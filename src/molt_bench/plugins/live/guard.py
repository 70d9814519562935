"""The guard: only clients with an invitation come in, and everything that goes wrong is answered as JSON.

The invitation in the path is a secret that no page of another site knows, so neither Host nor Origin says more.
"""

import asyncio
from typing import Any, Final

import msgspec
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from molt_bench.errors import AgentFailed
from molt_bench.plugins.live.lobby import Invitation, Lobby

_HTTP_ERRORS: Final = {
    404: ("NOT_FOUND", "there is nothing here"),
    405: (
        "METHOD_NOT_ALLOWED",
        "not with this method: MCP is at /mcp below the invitation, and /skill.md has the rest",
    ),
}


def json_response(content: Any, *, status: int = 200) -> Response:
    """Return content as JSON."""
    return Response(msgspec.json.encode(content), status, media_type="application/json")


def json_error(status: int, code: str, message: str) -> Response:
    """Return an error as all doors answer it: always JSON, with a code and a sentence."""
    return json_response({"error": {"code": code, "message": message}}, status=status)


class Refused(Exception):  # noqa: N818 - a client's mistake, not an error of ours
    """A request that is refused: its HTTP status, a code for programs, and a sentence for people and models."""

    def __init__(self, status: int, code: str, message: str) -> None:
        self.status = status
        self.code = code
        super().__init__(message)


async def _answered(_: Request, error: Exception) -> Response:
    """Answer an error that no door has answered: clients read every body as JSON."""
    if isinstance(error, Refused):
        return json_error(error.status, error.code, str(error))
    if isinstance(error, AgentFailed):
        forms = "{turn_token, kind, amount} or {turn_token, mix}"
        return json_error(400, "VALIDATION_ERROR", f"{error}. Send {forms} as JSON")
    if isinstance(error, HTTPException):
        code, said = _HTTP_ERRORS.get(error.status_code, ("VALIDATION_ERROR", error.detail))
        response = json_error(error.status_code, code, said)
        response.headers.update(error.headers or {})
        return response
    return json_error(500, "INTERNAL_ERROR", "the server made a mistake")


#: What answers when no route does, or one fails.
ERROR_HANDLERS: Final = dict.fromkeys((Refused, AgentFailed, HTTPException, Exception), _answered)


def invitation_of(connection: HTTPConnection) -> Invitation:
    """Return the invitation that a request or a socket came with."""
    found: Invitation = connection.scope["molt_bench.invitation"]
    return found


def invitation_url(connection: HTTPConnection) -> str:
    """Return the invitation of a request or a socket as its client reaches it."""
    return f"{connection.scope['molt_bench.url']}/j/{invitation_of(connection).invited.token}"


class Guard:
    """An application for clients with an invitation; `public_url` is where they reach the server, if that differs."""

    def __init__(self, inner: ASGIApp, lobby: Lobby, *, public_url: str | None) -> None:
        self._inner = inner
        self._lobby = lobby
        self._public_url = public_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a client in, and note who came, and by which URL; raises Refused."""
        invitation = self._lobby.find(scope["path_params"]["invitation"])
        if invitation is None:
            raise Refused(404, "INVITATION_NOT_FOUND", "there is no such invitation")
        scope["molt_bench.invitation"] = invitation
        scope["molt_bench.url"] = self._public_url or f"http://{Headers(scope=scope).get('host', '')}"
        try:
            await self._inner(scope, receive, send)
        except asyncio.CancelledError:
            if scope["type"] == "websocket":
                raise
            raise Refused(503, "BUSY", "the server is stopping, and may be started again: try again") from None
