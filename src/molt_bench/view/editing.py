"""Editing: the name and the note of a run, the only thing that a page may change.

Only a viewer that listens on the loopback interface takes changes, and only from its own pages: a page of another site
cannot send this kind of request, since the browser would have to ask first, and names itself as the origin. What the
page showed is sent along, so that nobody overwrites a change that they have not seen.
"""

from typing import Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.runs.about import ABOUT, About, write_about
from molt_bench.view.library import Library
from molt_bench.view.run_names import about_of
from molt_bench.web_server import is_loopback

_MOST_BYTES: Final = 64 * 1024


class Change(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the page sends: the name and the note, and those that it had shown."""

    name: str
    note: str
    was: About


async def change(library: Library, request: Request) -> Response:
    """Change the name and the note of a run, and return them as they are then."""
    refusal = _foreign(request)
    if refusal is not None:
        return _answer(403, error=refusal)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            return _answer(413, error=f"expected at most {_MOST_BYTES:,} bytes")
    try:
        wanted = msgspec.json.decode(body, type=Change)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return _answer(400, error=f"expected a name, a note and what they were: {error}")
    return await run_in_threadpool(_write, library, request.path_params["run"], wanted)


def _foreign(request: Request) -> str | None:
    """Return why a request is refused: it does not come from a page of this server on this machine."""
    headers = request.headers
    if request.client is None or not is_loopback(request.client.host):
        return "names and notes are changed on the machine of the viewer alone"
    if (
        headers.getlist("origin") != [f"http://{headers['host']}"]
        or headers.get("sec-fetch-site", "same-origin") != "same-origin"
    ):
        return "names and notes are changed by the viewer's own pages alone"
    if headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        return "expected application/json"
    return None


def _write(library: Library, run: str, wanted: Change) -> Response:
    folder = library.runs.folder(run)
    if folder is None or not folder.resolve().is_relative_to(library.runs.root):
        return _answer(404, error="there is no such run")
    about = About(wanted.name.strip(), wanted.note.strip())
    try:
        about.check(flag="")
        if about_of(folder) != wanted.was:
            return _answer(409, error=f"{ABOUT} was changed since this page was loaded: reload it, then change it")
        write_about(folder, about)
    except ConfigError as error:
        return _answer(400, error=str(error))
    except (OSError, MoltBenchError) as error:
        return _answer(403, error=f"{ABOUT} cannot be written: {getattr(error, 'strerror', None) or error}")
    now = about_of(folder)
    return _answer(200, title=now.name, note=now.note)


def _answer(status: int, **content: str) -> Response:
    return Response(msgspec.json.encode(content), status, media_type="application/json")
