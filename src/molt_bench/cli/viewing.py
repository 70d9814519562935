"""`view`, and what `report` writes for people to look at."""

import os
import sys
import webbrowser
from pathlib import Path

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.files import write_whole
from molt_bench.runs.folder import journal_in
from molt_bench.view.library import Library
from molt_bench.view.open_run import OpenRun


def view(folder: str, *, host: str, port: int, browser: bool) -> None:
    """Serve the runs of a folder until Ctrl-C."""
    try:
        from molt_bench.view.server import bound, serve
    except ImportError as error:
        raise MoltBenchError(
            f"view needs {error.name}, which is not installed: pip install 'molt-bench[view]'"
        ) from error
    library = Library(folder)
    listener = bound(host, port)
    shown = "localhost" if host in ("0.0.0.0", "::", "") else f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{listener.getsockname()[1]}/"
    count = len(library.runs.ids())
    print(f"Viewing {count:,} {'run' if count == 1 else 'runs'} of {folder} at {url} (Ctrl-C ends it)", flush=True)
    try:
        if browser:
            _open_browser(url)
        serve(library, listener, host)
    except KeyboardInterrupt:
        pass
    finally:
        listener.close()


def _open_browser(url: str) -> None:
    """Show the pages, where there is a screen; what a browser prints is not ours to show."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    webbrowser.open(url)


def write_pages(folder: str, *, html: str | None, figures: str | None) -> None:
    """Write a run as one HTML file, or as figures, or both."""
    run = _whole(folder)
    if html is not None:
        _write_html(run, html)
    if figures is not None:
        _write_figures(run, figures)


def _write_html(run: OpenRun, target: str) -> None:
    from molt_bench.view.single_file import single_file

    page = single_file(run).encode()
    try:
        write_whole(Path(target), page)
    except OSError as error:
        raise ConfigError("--html", target, f"a file that can be written ({error.strerror})") from error
    print(f"molt-bench: wrote {len(page) / 1e6:.2f} MB to {target}", file=sys.stderr)


def _write_figures(run: OpenRun, target: str) -> None:
    from molt_bench.view.figures import write_figures

    path = Path(target)
    try:
        path.mkdir(parents=True, exist_ok=True)
        written = write_figures(run, path)
    except OSError as error:
        raise ConfigError("--figures", target, f"a folder that can be written ({error.strerror})") from error
    print(f"molt-bench: wrote {', '.join(written)} to {target}", file=sys.stderr)


def _whole(folder: str) -> OpenRun:
    """Return a run, read to its end."""
    library = Library(journal_in(folder).parent, work_s=None)
    if not library.runs.single:
        raise ConfigError("RUN", folder, "the folder of a run, with a journal.jsonl in it")
    return library.open(library.runs.root.name)
