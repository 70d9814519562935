"""`molt-bench view`: runs in the browser."""

import json
import os
import sys
import webbrowser

import click

from molt_bench.plugins.view.library import Library
from molt_bench.plugins.view.server import Access, serve
from molt_bench.plugins.web_server import bound, is_loopback, url_of


@click.command()
@click.argument("folder", metavar="DIR", default="benchmark-results", help="Folder of runs, or of one run.")
@click.option("--port", metavar="N", type=click.IntRange(0, 65535), default=8765, help="0 picks a free port.")
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", help="Address to listen on; by default, this machine only."
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--json", "told_as_json", is_flag=True, help="Print one JSON object to standard output and nothing else.")
def view(folder: str, port: int, host: str, *, no_browser: bool, told_as_json: bool) -> None:
    """View runs in the browser, in progress or finished: results, confidence, every hand from both sides.

    Examples:
      molt-bench view
      molt-bench view benchmark-results/2026-01-31T12-00-00 --port 0 --no-browser
    """
    library = Library(folder)
    listener = bound(host, port)
    port = listener.getsockname()[1]
    access = Access(port=port, local=is_loopback(host))
    url, count = f"{url_of(host, port)}/?token={access.token}", len(library.ids())
    line = f"Viewing {count:,} {'run' if count == 1 else 'runs'} in {folder} at {url} (Ctrl-C to stop)"
    print(json.dumps({"url": url, "folder": folder, "runs": count}) if told_as_json else line, flush=True)
    try:
        display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
        if not no_browser and (display or not sys.platform.startswith("linux")):
            webbrowser.open(url)
        serve(library, listener, host, access)
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()
