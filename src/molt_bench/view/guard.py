"""The guard: GET and HEAD alone are answered, and only for the host names that the viewer is bound to.

Other sites cannot read it: the Host header is checked, which prevents DNS rebinding, and responses may not be shared
across origins.
"""

from typing import Final

import msgspec
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from molt_bench.web_server import is_our_name

JSON: Final = "application/json"
ALLOWED: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
#: The headers of every answer; that of the pages also allows what is in them.
HEADERS: Final = {
    "Content-Security-Policy": ALLOWED,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",
}


def json_error(status: int, said: str) -> Response:
    """Return an error as the pages read it."""
    return Response(msgspec.json.encode({"error": said}), status, media_type=JSON)


def guarded(inner: ASGIApp, host: str, port: int) -> ASGIApp:
    """Refuse requests that are not for this server, and add the security headers to every response."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await inner(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [*message.get("headers", ())]
                names = [name for name, _ in own]
                ours = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*own, *[each for each in ours if each[0] not in names]]
            await send(message)

        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1:
            refusal = json_error(400, "expected one Host header")
        elif not is_our_name(named[0], host, port):
            refusal = json_error(421, "this server does not answer to that host name")
        elif scope["method"] not in ("GET", "HEAD"):
            refusal = json_error(405, "only GET and HEAD are allowed here")
            refusal.headers["Allow"] = "GET, HEAD"
        else:
            await inner(scope, receive, with_headers)
            return
        await refusal(scope, receive, with_headers)

    return guard
