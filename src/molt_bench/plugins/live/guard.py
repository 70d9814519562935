"""The guard: clients with an invitation may come in; and no message is too long.

The invitation in the path is a secret that no page of another site knows, so neither Host nor Origin says more.
"""

import asyncio
from typing import Any, Final

import msgspec
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from molt_bench.errors import AgentFailed
from molt_bench.plugins.live.address import ServerAddress
from molt_bench.plugins.live.lobby import Invitation, Lobby

#: Most bytes of one message.
LONGEST_MESSAGE: Final = 64 * 1024

_SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_ENCODED_HEADERS: Final = [(name.lower().encode(), value.encode()) for name, value in _SECURITY_HEADERS.items()]
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
    if isinstance(error, ClientDisconnect):  # it is gone, or its body grew too long
        return json_error(413, "VALIDATION_ERROR", f"a message may have {LONGEST_MESSAGE // 1024} KiB")
    if isinstance(error, HTTPException):
        code, said = _HTTP_ERRORS.get(error.status_code, ("VALIDATION_ERROR", error.detail))
        response = json_error(error.status_code, code, said)
        response.headers.update(error.headers or {})
        return response
    return json_error(500, "INTERNAL_ERROR", "the server made a mistake")


#: What answers when no route does, or one fails.
ERROR_HANDLERS: Final = dict.fromkeys((Refused, AgentFailed, ClientDisconnect, HTTPException, Exception), _answered)


def invitation_of(connection: HTTPConnection) -> Invitation:
    """Return the invitation that a request or a socket came with."""
    found: Invitation = connection.scope["molt_bench.invitation"]
    return found


def invitation_url(connection: HTTPConnection) -> str:
    """Return the invitation of a request or a socket as its client reaches it."""
    return f"{connection.scope['molt_bench.url']}/j/{invitation_of(connection).invited.token}"


class Guard:
    """Lets in what comes with an invitation; other paths have no secret."""

    def __init__(self, inner: ASGIApp, lobby: Lobby, *, address: ServerAddress) -> None:
        self._inner = inner
        self._lobby = lobby
        self._address = address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        try:
            refusal = self._refusal(scope)
            if refusal is not None:
                await _refuse(refusal, scope, receive, send)
            elif scope["type"] == "http":
                await self._inner(scope, _bounded(receive), _with_headers(send))
            else:
                await self._inner(scope, receive, send)
        except asyncio.CancelledError:  # the server stops: whoever waits is to come again, as it may be started again
            if scope["type"] == "websocket":
                raise
            await _refuse(json_error(503, "BUSY", "the server is stopping: try again"), scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why a request is refused, if it is; else note in its scope who came, and by which URL."""
        scope["path"] = path = self._address.local_path(scope["path"])
        scope["raw_path"] = path.encode("utf-8", "surrogateescape")
        scope["molt_bench.url"] = self._address.public_url or f"http://{Headers(scope=scope).get('host', '')}"
        if path.startswith("/j/"):
            scope["molt_bench.invitation"] = invitation = self._lobby.find(path.split("/")[2])
            if invitation is None:
                return json_error(404, "INVITATION_NOT_FOUND", "there is no such invitation")
        return None


def _bounded(receive: Receive) -> Receive:
    """Return a `receive` that cuts off a body that grows too long."""
    read = 0

    async def limited() -> Message:
        nonlocal read
        message = await receive()
        read += len(message.get("body", b""))
        return {"type": "http.disconnect"} if read > LONGEST_MESSAGE else message

    return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), *_ENCODED_HEADERS]
        await send(message)

    return sending


async def _refuse(refusal: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()  # the client's request to connect
        await send({"type": "websocket.close", "code": 1008, "reason": "not allowed"})
        return
    await refusal(scope, receive, _with_headers(send))
