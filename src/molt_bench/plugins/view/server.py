"""The server: the pages and their data, for this machine, of the runs of one folder.

GET and HEAD alone are answered, and only for the host names that the viewer is bound to, which prevents DNS rebinding.
From other machines, nothing is shown without the token that `molt-bench view` prints. On this machine, only a run with
live agents that has not ended is kept back: an agent that plays here could read there what its opponents hold.
"""

import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.plugins.view.hand import hand_page
from molt_bench.plugins.view.inlined import inlined, script_of_pages
from molt_bench.plugins.view.library import Library
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.plugins.view.pages import curves_page, hands_page, match_page, names_page, run_page, said_page
from molt_bench.plugins.view.styles import styles_data
from molt_bench.plugins.web_server import is_every_address

_JSON: Final = "application/json"
_NUMBER: Final = r"(0|[1-9][0-9]{0,8})"
#: The data of a run, by what follows its name in a path; the numbers follow there.
_PAGES: Final[dict[str, Callable[..., Any]]] = {
    r"": run_page,
    r"/names": names_page,
    r"/curves": curves_page,
    r"/styles": styles_data,
    r"/hands": hands_page,
    r"/said": said_page,
    rf"/match/{_NUMBER}": match_page,
    rf"/hand/{_NUMBER}/{_NUMBER}/{_NUMBER}": hand_page,
}
_ALLOWED: Final = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
#: The headers of every answer; that of the pages also allows what is in them.
HEADERS: Final = {
    "Content-Security-Policy": _ALLOWED,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",
}
_NEEDS_TOKEN: Final = "open the whole address that `molt-bench view` printed, with its token"


class Access:
    """The token of a viewer, which opens everything.

    Args:
        port: The port of the viewer: browsers keep cookies by host, so that those of several viewers need names.
        local: Whether it can be reached from this machine alone.
    """

    def __init__(self, *, port: int, local: bool) -> None:
        self.token = secrets.token_hex(16)
        self.local = local
        self._cookie = f"molt_bench_{port}"

    def knows(self, request: Request) -> bool:
        """Return whether a browser has the token."""
        return self._is_token(request.cookies.get(self._cookie, ""))

    def entered(self, request: Request) -> Response | None:
        """Return the answer to a browser that comes with the token: it keeps it, and the address no longer shows it."""
        if not self._is_token(request.query_params.get("token", "")):
            return None
        response = RedirectResponse(request.url.path, 303)
        response.set_cookie(self._cookie, self.token, httponly=True, samesite="strict")
        return response

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())


def application(library: Library, *, host: str, port: int, access: Access) -> ASGIApp:
    """Return the application of the server."""

    def respond(request: Request) -> Response:
        path, known = request.path_params["path"], access.knows(request)
        try:
            if (entered := access.entered(request)) is not None:
                return entered
            if not known and not access.local:
                return _error(403, _NEEDS_TOKEN)
            if path in ("", "index.html"):
                return _page()
            found = answer(library, path, since=request.query_params.get("since"), host_asks=known)
        except PermissionError as error:
            return _error(403, str(error))
        except ConfigError as error:
            return _error(404, str(error))
        except (MoltBenchError, ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
            # A journal that was tampered with may hold anything.
            return _error(500, " ".join(f"cannot be read: {error}".split()))
        return Response(status_code=304) if found is None else Response(msgspec.json.encode(found), media_type=_JSON)

    app = Starlette(routes=[Route("/{path:path}", respond, methods=["GET"])])
    return _guarded(GZipMiddleware(app, minimum_size=1000, compresslevel=1), host, port)


def answer(library: Library, path: str, *, since: str | None = None, host_asks: bool = False) -> Any:
    """Return the data of a path; None if it is the version `since`.

    `host_asks`: the request may see runs with live agents that have not ended. Raises ConfigError if there is no such
    path, PermissionError if it may not be seen.
    """
    if path == "api/runs.json":
        return library.runs_page()
    if path == "api/history.json":
        return library.history_page()
    for pattern, page in _PAGES.items():
        found = re.fullmatch(rf"api/runs/([^/]+){pattern}\.json", path)
        if found is not None:
            return _data(library, found[1], page, [*map(int, found.groups()[1:])], since=since, host_asks=host_asks)
    raise ConfigError("path", path, "a page of the viewer")


def _data(
    library: Library, name: str, page: Callable[..., Any], numbers: list[int], *, since: str | None, host_asks: bool
) -> Any:
    with library.lock(name):
        run: OpenRun = library.open(name)
        if run.has_guests and not host_asks:
            said = (
                f"a run with live agents shows neither cards nor names before it has ended: to see them, {_NEEDS_TOKEN}"
            )
            raise PermissionError(said)
        return None if since is not None and since == run.version else page(run, *numbers)


@cache
def _inlined_page() -> tuple[str, str]:
    return inlined(script_of_pages(), deferred=True)


def _page() -> Response:
    """Return the pages, with a header that allows what is in them alone."""
    html, allowed = _inlined_page()
    policy = f"{_ALLOWED}; {allowed}; img-src data:; connect-src 'self'; worker-src blob:"
    return Response(html, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": policy})


def _error(status: int, said: str) -> Response:
    return Response(msgspec.json.encode({"error": said}), status, media_type=_JSON)


def _guarded(inner: ASGIApp, host: str, port: int) -> ASGIApp:
    """Refuse requests that are not for this server, and add the security headers to every response."""

    async def guard(scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message["headers"]}
                ours = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *[each for each in ours if each[0] not in own]]
            await send(message)

        named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        answering = inner
        if len(named) != 1:
            answering = _error(400, "expected one Host header")
        elif not is_our_name(named[0], host, port):
            answering = _error(421, "this server does not answer to that host name")
        elif scope["method"] not in ("GET", "HEAD"):
            answering = _error(405, "only GET and HEAD are allowed here")
            answering.headers["Allow"] = "GET, HEAD"
        await answering(scope, receive, with_headers)

    return guard


def is_our_name(header: str, host: str, port: int) -> bool:
    """Return whether a Host header names this server: the host it is bound to, or the loopback.

    A server bound to every address accepts any IP address, since no foreign host name is one.

    >>> is_our_name("127.0.0.1:80", "127.0.0.1", 80), is_our_name("evil.example:80", "127.0.0.1", 80)
    (True, False)
    """
    name, colon, given = header.rpartition(":") if not header.endswith("]") else (header, "", "")
    if not colon:
        name, given = header, "80"
    if given != str(port):
        return False
    name = name.lower().removeprefix("[").removesuffix("]")
    if name in ("localhost", "127.0.0.1", "::1", host.lower()) and name:
        return True
    if not is_every_address(host):
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == socket.gethostname().lower()
    return True


def serve(library: Library, listener: socket.socket, host: str, access: Access) -> None:
    """Serve until the program is interrupted, without a log, in which the token could stand."""
    app = application(library, host=host, port=listener.getsockname()[1], access=access)
    quiet: dict[str, Any] = {"log_level": "critical", "access_log": False, "server_header": False, "date_header": False}
    config = uvicorn.Config(app, **quiet, timeout_graceful_shutdown=1, lifespan="off", ws="none")
    uvicorn.Server(config).run(sockets=[listener])
