"""`molt-bench view`: runs in the browser."""

import os
import sys
import webbrowser
from typing import Final

import click

from molt_bench.cli.completion import run_folders
from molt_bench.cli.options import Printing, json_option
from molt_bench.cli.parser import PORT, Command
from molt_bench.view.access_token import Access
from molt_bench.view.library import Library
from molt_bench.view.server import serve
from molt_bench.web_server import bound, is_loopback, url_of

#: Seconds that a page waits for what is still to be counted; after that it says so, and is updated.
_WAIT_S: Final = 0.5


@click.command(cls=Command)
@click.argument(
    "folder",
    default="benchmark-results",
    metavar="DIR",
    help="Folder of runs, or of one run.",
    shell_complete=run_folders,
)
@click.option("--port", type=PORT, default=8765, help="0 picks a free port.")
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", help="Address to listen on; by default, this machine only."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@json_option
def view(folder: str, port: int, host: str, *, no_browser: bool, as_json: bool) -> None:
    """View runs in the browser, in progress or finished: results, confidence, every hand from both sides.

    Examples:
      molt-bench view
      molt-bench view benchmark-results/2026-01-31T12-00-00 --port 0 --no-browser
    """
    library = Library(folder, wait_s=_WAIT_S)
    listener = bound(host, port)
    port = listener.getsockname()[1]
    allowed = Access(port=port, local=is_loopback(host))
    url = f"{url_of(host, port)}/?token={allowed.token}"
    count = len(library.runs.ids())
    line = f"Viewing {count:,} {'run' if count == 1 else 'runs'} in {folder} at {url} (Ctrl-C to stop)"
    Printing(as_json=as_json).answer({"url": url, "folder": folder, "runs": count}, lambda: print(line, flush=True))
    try:
        display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if not no_browser and (display or not sys.platform.startswith("linux")):
            webbrowser.open(url)
        serve(library, listener, host, allowed)
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
