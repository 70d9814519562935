"""`molt-bench view`: runs in the browser."""

import os
import sys
import webbrowser
from typing import Annotated, Final

import typer

from molt_bench.cli.completion import run_folders
from molt_bench.cli.options import AsJson, Printing, port_number
from molt_bench.errors import MoltBenchError, how_to_install
from molt_bench.view.library import Library
from molt_bench.web_server import bound, is_loopback, url_of

#: Seconds that a page waits for what is still to be counted; after that it says so, and is updated.
_WAIT_S: Final = 0.5


def view(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder of runs, or of one run.", autocompletion=run_folders)
    ] = "benchmark-results",
    port: Annotated[int, typer.Option(callback=port_number, help="0 picks a free port.")] = 8765,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; by default, this machine only.")
    ] = "127.0.0.1",
    *,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    as_json: AsJson = False,
) -> None:
    """View runs in the browser, live or finished: results, confidence, every hand from both sides.

    Examples:
      molt-bench view
      molt-bench view benchmark-results/2026-01-31T12-00-00 --port 0 --no-browser
    """
    try:
        from molt_bench.view.server import serve  # here, since it needs the extra view
    except ImportError as error:
        raise MoltBenchError(f"view needs {error.name}, which is not installed: {how_to_install('view')}") from error
    library = Library(folder, wait_s=_WAIT_S, editable=is_loopback(host))
    listener = bound(host, port)
    url = f"{url_of(host, listener.getsockname()[1])}/"
    count = len(library.runs.ids())
    line = f"Viewing {count:,} {'run' if count == 1 else 'runs'} in {folder} at {url} (Ctrl-C to stop)"
    Printing(as_json=as_json).answer({"url": url, "folder": folder, "runs": count}, lambda: print(line, flush=True))
    try:
        if not no_browser:
            _open_browser(url)
        serve(library, listener, host)
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()


def _open_browser(url: str) -> None:
    """Open a browser if there is a display."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    webbrowser.open(url)
