"""The guard: what may come in. Host and Origin, the size of messages, and the invitation in the path."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.serve.public_address import ServerAddress

#: Most bytes of one message.
LONGEST_MESSAGE: Final = 64 * 1024
#: Digits of the largest Content-Length that is read as a number.
_LONGEST_LENGTH: Final = 18

_SECURITY_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}
_ENCODED_HEADERS: Final = [(name.lower().encode(), value.encode()) for name, value in _SECURITY_HEADERS.items()]


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


class Guard:
    """Lets in what is meant for this server and comes with an invitation, or asks for the lobby's own page."""

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
        headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        refusal = _not_meant_for_us(headers, self._address)
        if refusal is not None:
            return refusal
        scope["path"] = path = self._address.local_path(scope["path"])
        scope["raw_path"] = path.encode("utf-8", "surrogateescape")
        secure = "s" if scope["scheme"] in ("https", "wss") else ""
        own = next(value for name, value in headers if name == b"host")
        scope["molt_bench.url"] = self._address.public_url or f"http{secure}://{own}"
        if path.startswith("/j/"):
            scope["molt_bench.invitation"] = invitation = self._lobby.find(path.split("/")[2])
            if invitation is None:
                return json_error(404, "INVITATION_NOT_FOUND", "there is no such invitation")
        return None


def invitation_url(connection: HTTPConnection) -> str:
    """Return the invitation of a request or a socket as its client reaches it."""
    return f"{connection.scope['molt_bench.url']}/j/{invitation_of(connection).invited.token}"


def _not_meant_for_us(headers: Sequence[tuple[bytes, str]], address: ServerAddress) -> Response | None:
    """Return the refusal of a request that is not meant for this server, or comes from another site's page."""
    named = [value for name, value in headers if name == b"host"]
    if len(named) != 1 or not address.answers_to(named[0]):
        return json_error(421, "WRONG_HOST", "this server does not answer to that host name")
    origins = [value for name, value in headers if name == b"origin"]
    if any(not address.is_own_origin(origin) for origin in origins):
        return json_error(403, "WRONG_ORIGIN", "pages of other sites may not use this server")
    lengths = [value for name, value in headers if name == b"content-length"]
    if any(not value.isdigit() or len(value) > _LONGEST_LENGTH or int(value) > LONGEST_MESSAGE for value in lengths):
        return json_error(413, "VALIDATION_ERROR", f"a message may have {LONGEST_MESSAGE // 1024} KiB")
    return None


def _bounded(receive: Receive) -> Receive:
    """Return a `receive` that cuts off a body that grows too long without saying so first."""
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
