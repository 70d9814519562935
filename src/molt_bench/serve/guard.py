"""The guard: what may come in. Host and Origin, the size and the rate of messages, and the invitation in the path."""

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from time import monotonic
from typing import Any, Final, TypeAlias

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response

from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.web_server import is_our_name

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Most bytes of one message.
LONGEST_MESSAGE: Final = 64 * 1024
#: Messages a second that an invitation may send on average, and how many at once.
RATE_A_SECOND: Final = 50.0
BURST: Final = 200.0

_SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}


class Allowance:
    """A token bucket: how many messages may come now."""

    def __init__(self, rate: float = RATE_A_SECOND, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, monotonic()

    def spend(self) -> bool:
        """Count a message; return whether it may come in."""
        now = monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def refund(self) -> None:
        """Allow one message more, such as the answer to one of ours."""
        self._left = min(self._burst, self._left + 1)


def json_response(content: Any, *, status: int = 200) -> Response:
    """Return content as JSON."""
    return Response(msgspec.json.encode(content), status, media_type="application/json")


def json_error(status: int, code: str, message: str) -> Response:
    """Return an error as all doors answer it: always JSON, with a code and a sentence."""
    body = json.dumps({"error": {"code": code, "message": message}})
    return Response(body, status, media_type="application/json")


class Refused(Exception):  # noqa: N818 - a client's mistake, not an error of ours
    """A request that is refused: its HTTP status, a code for programs, a sentence for people and models, and more."""

    def __init__(self, status: int, code: str, message: str, **more: str) -> None:
        self.status = status
        self.error = {"code": code, "message": message, **more}
        super().__init__(message)


async def _http_error(_: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    code, said = {404: ("NOT_FOUND", "there is nothing here"), 405: ("METHOD_NOT_ALLOWED", "not with this method")}.get(
        status, ("INTERNAL_ERROR", "the server made a mistake")
    )
    response = json_error(status, code, said)
    response.headers.update((error.headers or {}) if isinstance(error, HTTPException) else {})
    return response


#: What answers when no route does, or one fails: clients read every body as JSON.
ERROR_HANDLERS: Final = {HTTPException: _http_error, Exception: _http_error}


def invitation_of(connection: HTTPConnection) -> Invitation:
    """Return the invitation that a request or a socket came with."""
    found: Invitation = connection.scope["molt_bench.invitation"]
    return found


def answered(connection: HTTPConnection) -> None:
    """Count a request as the answer to a decision of ours, which may come as fast as it can."""
    allowance: Allowance = connection.scope["molt_bench.allowance"]
    allowance.refund()


def guarded(inner: App, lobby: Lobby, *, host: str, port: int) -> App:
    """Let in what is meant for this server and comes with an invitation, or asks for the lobby's own page."""
    allowances: dict[int, Allowance] = {}

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await inner(scope, receive, send)
            return
        refusal = _stranger(scope, host, port)
        if refusal is None and scope["path"].startswith("/j/"):
            invitation = lobby.find(scope["path"].split("/")[2])
            if invitation is None:
                refusal = json_error(404, "INVITATION_NOT_FOUND", "there is no such invitation")
            elif not (allowance := allowances.setdefault(id(invitation), Allowance())).spend():
                refusal = json_error(429, "RATE_LIMIT_EXCEEDED", "too many requests: wait a second")
                refusal.headers["Retry-After"] = "1"
            else:
                scope["molt_bench.invitation"] = invitation
                scope["molt_bench.allowance"] = allowance
        if refusal is not None:
            await _refuse(refusal, scope, receive, send)
            return
        try:
            await inner(scope, _bounded(scope, receive), _with_headers(send))
        except asyncio.CancelledError:  # the server stops: whoever waits is to come again, as it may be started again
            if scope["type"] == "websocket":
                raise
            await _refuse(json_error(503, "BUSY", "the server is stopping: try again"), scope, receive, send)

    return guard


def _stranger(scope: Scope, host: str, port: int) -> Response | None:
    """Return the refusal of a request that is not meant for this server, or comes from another site's page."""
    headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
    named = [value for name, value in headers if name == b"host"]
    if len(named) != 1 or not is_our_name(named[0], host, port):
        return json_error(421, "WRONG_HOST", "this server does not answer to that host name")
    origins = [value for name, value in headers if name == b"origin"]
    if any(not is_our_name(origin.partition("://")[2], host, port) for origin in origins):
        return json_error(403, "WRONG_ORIGIN", "pages of other sites may not use this server")
    lengths = [value for name, value in headers if name == b"content-length"]
    if any(not value.isdigit() or int(value) > LONGEST_MESSAGE for value in lengths):
        return json_error(413, "VALIDATION_ERROR", f"a message may have {LONGEST_MESSAGE // 1024} KiB")
    return None


def _bounded(scope: Scope, receive: Receive) -> Receive:
    """Return a `receive` that cuts off a body that grows too long without saying so first."""
    if scope["type"] != "http":
        return receive
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
            message["headers"] = [
                *message.get("headers", ()),
                *[(name.lower().encode(), value.encode()) for name, value in _SECURITY_HEADERS.items()],
            ]
        await send(message)

    return sending


async def _refuse(refusal: Response, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()  # the client's request to connect
        await send({"type": "websocket.close", "code": 1008, "reason": "not allowed"})
        return
    await refusal(scope, receive, _with_headers(send))
