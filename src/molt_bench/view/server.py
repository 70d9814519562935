"""The server: the pages and their data, for this machine.

It only answers GET and HEAD, for the host names it is bound to, with files of the package and data from the runs of one
folder. Other sites cannot read it: the Host header is checked, which prevents DNS rebinding, and responses may not be
shared across origins.
"""

import socket
from collections.abc import Awaitable, Callable, MutableMapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.view.library import Library, answer, run_of
from molt_bench.view.run_list import inside
from molt_bench.view.single_file import STATIC
from molt_bench.web.addresses import is_our_name
from molt_bench.web.quiet_server import quiet_server

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",
}
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
}


def application(library: Library, *, host: str, port: int, static: Path = STATIC) -> App:
    """Return the server's application; `static` is the folder of the pages."""
    pages = static.resolve()

    def respond(request: Request) -> Response:
        path = request.path_params["path"]
        try:
            if path.startswith("api/"):
                return _data(library, path, request)
            return _page(pages, path or "index.html", request)
        except ConfigError as error:
            return _error(404, str(error))
        except (MoltBenchError, ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
            # A journal that was tampered with may hold anything.
            return _error(500, " ".join(f"cannot be read: {error}".split()))

    inner = Starlette(routes=[Route("/{path:path}", respond, methods=["GET"])])
    return _guarded(inner, host, port)


def _data(library: Library, path: str, request: Request) -> Response:
    run = run_of(path)
    since = request.query_params.get("since")
    if run is not None and since is not None:
        found = library.newer_page(run, since)
        if found is None:
            return Response(status_code=304)
    else:
        found = answer(library, path)
    if found is None:
        return _error(404, f"there is no {path}")
    return _tagged(msgspec.json.encode(found), _TYPES[".json"], request)


def _page(static: Path, path: str, request: Request) -> Response:
    file = static / path
    if "\0" in path or file.suffix not in _TYPES or not inside(static, file):
        return _error(404, f"there is no {path}")
    return _tagged(file.read_bytes(), _TYPES[file.suffix], request)


def _tagged(body: bytes, kind: str, request: Request) -> Response:
    """Return a body, or status 304 if the browser already has it."""
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    known = [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers={"ETag": tag})
    return Response(body, media_type=kind, headers={"ETag": tag})


def _error(status: int, said: str) -> Response:
    return Response(msgspec.json.encode({"error": said}), status, media_type=_TYPES[".json"])


def _guarded(inner: App, host: str, port: int) -> App:
    """Refuse requests that are not for this server, and add the security headers to every response."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await inner(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", ()),
                    *[(name.lower().encode(), value.encode()) for name, value in HEADERS.items()],
                ]
            await send(message)

        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(named) != 1:
            refusal = _error(400, "expected one Host header")
        elif not is_our_name(named[0], host, port):
            refusal = _error(421, "this server does not answer to that host name")
        elif scope["method"] not in ("GET", "HEAD"):
            refusal = _error(405, "only GET and HEAD are allowed")
            refusal.headers["Allow"] = "GET, HEAD"
        else:
            await inner(scope, receive, with_headers)
            return
        await refusal(scope, receive, with_headers)

    return guard


def serve(library: Library, listener: socket.socket, host: str) -> None:
    """Serve until the program is interrupted."""
    app = application(library, host=host, port=listener.getsockname()[1])
    quiet_server(app, grace_s=1, lifespan="off", ws="none").run(sockets=[listener])
