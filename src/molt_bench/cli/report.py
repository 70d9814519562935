"""`molt-bench report`: the files of a run, rebuilt from its journal."""

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from molt_bench.cli.options import Printing, RunFolder
from molt_bench.cli.output import rebuild_run
from molt_bench.cli.streams import print_json
from molt_bench.errors import ConfigError
from molt_bench.files import write_whole
from molt_bench.runs.folder import journal_in

if TYPE_CHECKING:
    from molt_bench.view.open_run import OpenRun


def report(
    folder: RunFolder,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Write the run as one HTML page.")] = None,
    figures: Annotated[str | None, typer.Option(metavar="DIR", help="Write figures for a paper.")] = None,
    *,
    printing: Printing,
) -> None:
    """Rebuild a run's files from its journal and print the table, or write a page or figures instead.

    For a run that is still going it prints the current table and writes nothing.

    Examples:
      molt-bench report benchmark-results/2026-01-31T12-00-00
      molt-bench report benchmark-results/2026-01-31T12-00-00 --html run.html
    """
    if html is None and figures is None:
        rebuild_run(folder, printing)
        return
    _check_targets(html, figures)
    run = _open_run(folder)
    written: dict[str, Any] = {"runDir": folder}
    if html is not None:
        size = _write_html(run, html)
        written["html"] = html
        printing.notice(f"wrote {size / 1e6:.2f} MB to {html}")
    if figures is not None:
        names = _write_figures(run, figures)
        written["figures"] = [str(Path(figures, name)) for name in names]
        printing.notice(f"wrote {', '.join(names)} to {figures}")
    if printing.as_json:
        print_json(written)


def _check_targets(html: str | None, figures: str | None) -> None:
    """Check that what was asked for can be written, before anything is counted: that may take minutes."""
    if html is not None and not os.access(Path(html).absolute().parent, os.W_OK | os.X_OK):
        raise ConfigError("--html", html, f"a file in a folder that can be written ({_folder_problem(Path(html))})")
    if figures is not None:
        try:
            Path(figures).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError("--figures", figures, f"a folder that can be written ({error.strerror})") from error


def _folder_problem(file: Path) -> str:
    return os.strerror(errno.EACCES if file.absolute().parent.is_dir() else errno.ENOENT)


def _open_run(folder: str) -> "OpenRun":
    from molt_bench.view.library import Library  # here, since a plain report starts faster without the viewer

    library = Library(journal_in(folder).parent)
    if not library.runs.single:
        raise ConfigError("RUN", folder, "the folder of a run, with a journal.jsonl in it")
    return library.open(library.runs.root.name)


def _write_html(run: "OpenRun", target: str) -> int:
    """Write the page and return its size in bytes."""
    from molt_bench.view.single_file import single_file  # here for a fast start, as above

    page = single_file(run).encode()
    try:
        write_whole(Path(target), page)
    except OSError as error:
        raise ConfigError("--html", target, f"a file that can be written ({error.strerror})") from error
    return len(page)


def _write_figures(run: "OpenRun", target: str) -> list[str]:
    """Write the figures and return the names of their files."""
    from molt_bench.report.analysis import Analysis  # here for a fast start, as above
    from molt_bench.report.figures import write_figures

    path = Path(target)
    try:
        return write_figures(Analysis(run.result()), path)
    except OSError as error:
        raise ConfigError("--figures", target, f"a folder that can be written ({error.strerror})") from error
