"""The guard: what may come in. Host and Origin, the size of messages, and the invitation in the path."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from time import monotonic
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from molt_bench.serve.connection_limits import Address, ConnectionLimits, most_of_one_guest
from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.serve.public_address import ServerAddress
from molt_bench.serve.request_rates import Allowance, Strangers
from molt_bench.serve.trusted_proxies import client_address

#: Most bytes of one message.
LONGEST_MESSAGE: Final = 64 * 1024
#: Digits of the largest Content-Length that is read as a number.
_LONGEST_LENGTH: Final = 18
#: Seconds in which the body of a request has to be there.
_BODY_S: Final = 10.0
#: Seconds for what came in time while this server was too busy to look.
_LAST_LOOK_S: Final = 1.0

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


def answered(connection: HTTPConnection) -> None:
    """Count a request as the answer to a decision of ours, which may come as fast as it can."""
    allowance: Allowance = connection.scope["molt_bench.allowance"]
    allowance.refund()


class Guard:
    """Lets in what is meant for this server and comes with an invitation, or asks for the lobby's own page."""

    def __init__(self, inner: ASGIApp, lobby: Lobby, *, address: ServerAddress, limits: ConnectionLimits) -> None:
        self._inner = inner
        self._lobby = lobby
        self._address = address
        self._limits = limits
        self._allowances: dict[int, Allowance] = {}
        self._under_way: Counter[int] = Counter()
        self._strangers = Strangers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        client = scope.get("client") or ("", 0)
        client = (client[0], client[1])
        self._limits.begin_request(client)
        try:
            refusal = self._refusal(scope, client)
            if refusal is not None:
                await _refuse(refusal, scope, receive, send)
            else:
                await self._pass_on(scope, receive, send)
        except asyncio.CancelledError:  # the server stops: whoever waits is to come again, as it may be started again
            if scope["type"] == "websocket":
                raise
            await _refuse(json_error(503, "BUSY", "the server is stopping: try again"), scope, receive, send)
        finally:
            self._limits.end_request(client)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            receive, send = _bounded(receive), _with_headers(send)
        guest = id(scope.get("molt_bench.invitation"))
        self._under_way[guest] += 1
        try:
            await self._inner(scope, receive, send)
        finally:
            self._under_way[guest] -= 1

    def _refusal(self, scope: Scope, client: Address) -> Response | None:
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
        invitation = self._lobby.find(path.split("/")[2]) if path.startswith("/j/") else None
        if invitation is None:  # whoever guesses invitations is a stranger, and no faster than others
            forwarded = [value for name, value in headers if name == b"x-forwarded-for"]
            stranger = client_address(client[0], forwarded, self._address.trusted_proxies)
            too_fast = self._rate_refusal(self._strangers.at(stranger))
            if too_fast is not None or not path.startswith("/j/"):
                return too_fast
            return json_error(404, "INVITATION_NOT_FOUND", "there is no such invitation")
        self._limits.invited(client, id(invitation), slots=len(invitation.slots))
        allowance = self._allowances.setdefault(id(invitation), Allowance())
        scope["molt_bench.invitation"], scope["molt_bench.allowance"] = invitation, allowance
        if self._under_way[id(invitation)] >= most_of_one_guest(len(invitation.slots)):
            return json_error(429, "RATE_LIMIT_EXCEEDED", "too many requests at once with this invitation")
        return self._rate_refusal(allowance)

    @staticmethod
    def _rate_refusal(allowance: Allowance) -> Response | None:
        if allowance.spend():
            return None
        refusal = json_error(429, "RATE_LIMIT_EXCEEDED", "too many requests: wait a second")
        refusal.headers["Retry-After"] = "1"
        return refusal


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
    """Return a `receive` that cuts off a body that grows too long without saying so first, or never ends."""
    read, whole = 0, False
    until: float | None = None

    async def limited() -> Message:
        nonlocal read, whole, until
        if whole:  # from now on, somebody waits until the client is gone
            return await receive()
        until = until or monotonic() + _BODY_S
        message = await _received(receive, until - monotonic()) or await _received(receive, _LAST_LOOK_S)
        if message is None:
            return {"type": "http.disconnect"}
        read += len(message.get("body", b""))
        whole = not message.get("more_body", False)
        return {"type": "http.disconnect"} if read > LONGEST_MESSAGE else message

    return limited


async def _received(receive: Receive, limit_s: float) -> Message | None:
    """Return what is received within a time limit; None for nothing."""
    try:
        async with asyncio.timeout(limit_s):
            return await receive()
    except TimeoutError:
        return None


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
