"""`molt-bench report`: the files of a run, rebuilt from its journal."""

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from molt_bench.cli.options import PATH, Printing, printing_options, run_folder_argument
from molt_bench.cli.parser import Command
from molt_bench.cli.run_result import rebuild_run
from molt_bench.cli.streams import print_json
from molt_bench.errors import ConfigError
from molt_bench.files import write_whole, writing
from molt_bench.lazy_import import lazy_import
from molt_bench.runs.folder import journal_in

if TYPE_CHECKING:  # a plain report starts faster without the viewer
    from molt_bench.view import html_report, library
else:
    html_report = lazy_import("molt_bench.view.html_report")
    library = lazy_import("molt_bench.view.library")


@click.command(cls=Command)
@run_folder_argument
@click.option("--html", metavar="FILE", type=PATH, help="Write the run as one HTML page.")
@click.option("--explain", is_flag=True, help="Also say how each number came about, for these agents.")
@printing_options
def report(folder: str, html: str | None, *, explain: bool, printing: Printing) -> None:
    """Rebuild a run's files from its journal and print the table, or write a page instead.

    For a run in progress, it prints the current table and writes nothing.

    Examples:
      molt-bench report benchmark-results/2026-01-31T12-00-00
      molt-bench report benchmark-results/2026-01-31T12-00-00 --explain
      molt-bench report benchmark-results/2026-01-31T12-00-00 --html run.html
    """
    if explain and html:
        raise click.BadParameter("cannot be used with --html", param_hint="--explain")
    if html is None:
        rebuild_run(folder, printing, explain=explain)
        return
    _check_target(html)
    found = library.Library(journal_in(folder).parent)
    if not found.runs.is_run:
        raise ConfigError("RUN", folder, "the folder of a run, with a journal.jsonl in it")
    run = found.open(found.runs.root.name)
    _write_page(html, html_report.html_report(run), printing)
    if printing.as_json:
        print_json({"runDir": folder, "html": html})


def _write_page(html: str, page: str, printing: Printing) -> None:
    content = page.encode()
    with writing("--html", html, "a file"):
        write_whole(Path(html), content)
    printing.notice(f"wrote {len(content) / 1e6:.2f} MB to {html}")


def _check_target(html: str) -> None:
    """Check that the page can be written, before anything is counted: that may take minutes."""
    parent = Path(html).absolute().parent
    if not os.access(parent, os.W_OK | os.X_OK):
        problem = os.strerror(errno.EACCES if parent.is_dir() else errno.ENOENT)
        raise ConfigError("--html", html, f"a file in a folder that can be written ({problem})")
