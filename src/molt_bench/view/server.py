"""The server: the pages and their data, for this machine, from files of the package and the runs of one folder."""

import re
import socket
from collections.abc import Callable
from functools import cache
from importlib import import_module
from threading import Thread
from time import sleep
from typing import Any, Final

import anyio
import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.quiet_server import quiet_server
from molt_bench.view.access_token import Access
from molt_bench.view.compressed_body import Body
from molt_bench.view.guard import ALLOWED, JSON, guarded, json_error
from molt_bench.view.library import Library
from molt_bench.view.pages import inlined, script_of_pages
from molt_bench.view.search import end_searches

#: Seconds between looks whether the server is to end.
_LOOK_S: Final = 0.2
_HTML: Final = "text/html; charset=utf-8"
#: What the pages ask for besides JSON: columns of numbers as they use them.
_BYTES: Final = "application/octet-stream"
_NUMBER: Final = r"(0|[1-9][0-9]{0,8})"
_RUN: Final = r"api/runs/([^/]+)"
#: The paths of the data; a run is named first, the numbers follow.
_ROUTES: Final[dict[str, Callable[..., Any]]] = {
    r"api/runs\.json": Library.run_list,
    r"api/history\.json": Library.history,
    rf"{_RUN}\.json": Library.run_page,
    rf"{_RUN}/names\.json": Library.names,
    rf"{_RUN}/hands\.json": Library.hand_columns,
    rf"{_RUN}/match/{_NUMBER}\.json": Library.match_page,
    rf"{_RUN}/lines/{_NUMBER}\.json": Library.played_hands,
    rf"{_RUN}/hand/{_NUMBER}/{_NUMBER}/{_NUMBER}\.json": Library.hand_page,
}


def application(library: Library, *, host: str, port: int, access: Access | None = None) -> ASGIApp:
    """Return the server's application; without `access`, everything is shown to everybody."""

    def respond(request: Request) -> Response:
        path = request.path_params["path"]
        try:
            if access is not None:
                entered = access.entered(request)
                if entered is not None:
                    return entered
                refusal = access.refusal(request, library)
                if refusal is not None:
                    return json_error(403, refusal)
            if path.startswith("api/"):
                library.asked.set()
                return _data(library, path, request)
            if path not in ("", "index.html"):
                return json_error(404, f"there is no {path}")
            body, allowed = _inlined_page()
            response = _sent(body, _HTML, request)
            response.headers["Content-Security-Policy"] = f"{ALLOWED}; {allowed}; img-src data:; connect-src 'self'"
            return response
        except ConfigError as error:
            return json_error(404, str(error))
        except (MoltBenchError, ArithmeticError, LookupError, OSError, TypeError, ValueError) as error:
            # A journal that was tampered with may hold anything.
            return json_error(500, " ".join(f"cannot be read: {error}".split()))

    return guarded(Starlette(routes=[Route("/{path:path}", respond, methods=["GET"])]), host, port)


def _data(library: Library, path: str, request: Request) -> Response:
    asked = request.query_params
    run, looked_through, listed = [run_of(path, page) for page in ("", "/search", "/hands")]
    found: Any
    if listed is not None:
        packed = _BYTES in request.headers.get("accept", "")
        response = _sent(library.hands_body(listed, packed=packed), _BYTES if packed else JSON, request)
        response.headers["Vary"] = "Accept, Accept-Encoding"
        return response
    if run is not None and "since" in asked:
        found = library.newer_page(run, asked["since"])
        if found is None:
            return Response(status_code=304)
    elif looked_through is not None:
        skip = asked.get("skip", "")
        found = library.search(
            looked_through,
            asked.get("q", ""),
            regex=asked.get("regex") == "1",
            skip=int(skip) if skip.isascii() and skip.isdecimal() and len(skip) < 10 else 0,
        )
    else:
        found = answer(library, path)
    if found is None:
        return json_error(404, f"there is no {path}")
    response = _sent(Body(msgspec.json.encode(found)), JSON, request)
    if run is not None and "since" not in asked:
        response.background = BackgroundTask(library.prepare_hands, run)
    return response


@cache
def _inlined_page() -> tuple[Body, str]:
    """Return the pages, and what their security header allows besides."""
    html, allowed = inlined(script_of_pages(), deferred=True)
    return Body(html.encode()), allowed


def _sent(body: Body, kind: str, request: Request) -> Response:
    """Return a body, compressed where the browser can read that, or status 304 if it already has the body."""
    tag = f'"{body.tag}"'
    headers = {"ETag": f"W/{tag}", "Vary": "Accept-Encoding"}
    known = [each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    if body.small or not _takes_gzip(request.headers.get("accept-encoding", "")):
        return Response(body.text, media_type=kind, headers=headers)
    return Response(body.packed, media_type=kind, headers={**headers, "Content-Encoding": "gzip"})


def _takes_gzip(accepted: str) -> bool:
    """Return whether a browser accepts gzip.

    >>> _takes_gzip("br, gzip;q=0.5"), _takes_gzip("gzip;q=0"), _takes_gzip("")
    (True, False, False)
    """
    weights = {
        name.strip(): weight.strip() for name, _, weight in (each.partition(";") for each in accepted.split(","))
    }
    return weights.get("gzip", weights.get("*", "q=0")).rstrip(".0") != "q="


def _warm_up(library: Library) -> None:
    """Do what takes long the first time, so that nobody waits for it: load modules, and make the likely pages."""
    anyio.run(run_in_threadpool, _inlined_page)  # as a request does
    for name in ("molt_bench.view.hand_arrays", "openskill.models", "yaml"):
        if not library.asked.is_set():  # a reader who waits gets what that page needs, and nothing else is done
            import_module(name)
    library.prepare()


def _end_searches_with(server: uvicorn.Server) -> None:
    """Wait until the server is told to end, then end the searches that it would wait for."""
    while not server.should_exit:
        sleep(_LOOK_S)
    end_searches()


def serve(library: Library, listener: socket.socket, host: str, access: Access) -> None:
    """Serve until the program is interrupted."""
    Thread(target=_warm_up, args=(library,), daemon=True).start()
    app = application(library, host=host, port=listener.getsockname()[1], access=access)
    server = quiet_server(app, grace_s=1, lifespan="off", ws="none")
    Thread(target=_end_searches_with, args=(server,), daemon=True).start()
    server.run(sockets=[listener])


def answer(library: Library, path: str) -> Any | None:
    """Return the data of a path without a leading slash, decoded once; None if there is no such path."""
    for pattern, make in _ROUTES.items():
        found = re.fullmatch(pattern, path)
        if found:
            return make(library, *found.groups()[:1], *map(int, found.groups()[1:]))
    return None


def run_of(path: str, page: str = "") -> str | None:
    """Return the run if a path is the page of a run, or another page of it.

    >>> run_of("api/runs/mine.json"), run_of("api/runs/mine/search.json", "/search"), run_of("api/runs.json")
    ('mine', 'mine', None)
    """
    found = re.fullmatch(rf"{_RUN}{page}\.json", path)
    return found[1] if found else None
