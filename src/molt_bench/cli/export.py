"""`molt-bench export`: the hands or records of a run for other programs, its card, its pages, or runs as a site."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import click

from molt_bench.cli.completion import run_folders
from molt_bench.cli.options import PATH, Printing, printing_options
from molt_bench.cli.parser import NONE_OR_MORE, Command
from molt_bench.cli.streams import data_output, notice, warn
from molt_bench.entry_points import EXPORTS, broken, points
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.files import fill_whole, writing
from molt_bench.plugin import Export
from molt_bench.report.card import CARD, card_text
from molt_bench.report.dealt_hands import DealtHand, dealt_hands
from molt_bench.report.exports import FILES, TEXTS
from molt_bench.report.exports.eee import Records
from molt_bench.report.rows import Rows
from molt_bench.runs.folder import journal_in
from molt_bench.runs.run import Run
from molt_bench.view.html_report import html_report
from molt_bench.view.library import Library
from molt_bench.view.site import MOST_DEALS, write_site

#: Writes what is exported of a run into a file, and returns how much that was.
Write: TypeAlias = Callable[[IO[bytes]], str]

#: The formats that are folders, not files: records for hubs, and pages for web hosts.
_FOLDERS: Final = ("eee", "site")
_OURS: Final = (*FILES, "card", "html", *_FOLDERS)
_THEIRS: Final = [name for name in points(EXPORTS) if name not in _OURS]


@click.command(cls=Command)
@click.argument("folder", metavar="RUN", help="Folder of the run; for a site also of runs.", shell_complete=run_folders)
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    type=click.Choice([*_OURS, *_THEIRS]),
    required=True,
    help="csv, phh, card (who played what), eee (records for hubs), html (one page), site (for any web host), or that "
    "of a plug-in.",
)
@click.option("--output", metavar="PATH", type=PATH, help="File, - for stdout, or the folder of a site or records.")
@click.option("--deals", type=NONE_OR_MORE, help=f"site: most deals of a run, by swing; {MOST_DEALS} by default.")
@printing_options
def export(folder: str, form: str, output: str | None, deals: int | None, printing: Printing) -> None:
    """Export a run: its hands for other programs, records for hubs, pages as one file, or runs as a site.

    A file is written into the folder of the run unless --output says otherwise. A site has all pages, the files of
    runs and their hashes; an earlier site in its folder is replaced. Records are those of Every Eval Ever, with a data
    card and a citation.

    Examples:
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format csv
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format phh --output hands.phhs
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format html --output run.html
      molt-bench export benchmark-results --format site --output site
    """
    if printing.as_json and output == "-":
        raise click.BadParameter("cannot be used with --output -", param_hint="--json")
    for flag, unfit in (
        ("--deals", deals is not None and form != "site"),
        ("--output -", output == "-" and form in _FOLDERS),
    ):
        if unfit:
            raise click.BadParameter(f"cannot be used with --format {form}", param_hint=flag)
    more: dict[str, Any] = {}
    if form == "site":
        where = output or "site"
        more["runs"] = _write_site(folder, where, MOST_DEALS if deals is None else deals, printing)
        written = f"{len(more['runs']):,} run{'s' * (len(more['runs']) != 1)}"
    elif form == "eee":
        where = output or str(Path(folder, "eee"))
        records = Records(_run_of(folder), datetime.now(UTC))
        with writing("--output", where, "a folder"):
            written = f"{records.write(Path(where)):,} records"
    else:
        write, usual = _file_of(folder, form)
        where = output or str(Path(folder, usual))
        if output == "-":
            where, data = "standard output", data_output()
            written = write(data)
            data.flush()
        else:
            written = _written(Path(where).absolute(), write)
    about = {"runDir": folder, "format": form, "file": where, "written": written, **more}
    host = "; put it on any web host" if form == "site" else ""
    printing.answer(about, lambda: notice(f"wrote {written} to {where}{host}"))


def _file_of(folder: str, form: str) -> tuple[Write, str]:
    """Return what writes a run in a format that is a file, and the usual name of the file."""
    if form in FILES:
        return partial(_write_hands, _run_of(folder), form), FILES[form]
    if form == "html":
        return partial(_write_page, folder), "run.html"
    run = _run_of(folder)
    if form == "card":
        return partial(_write_card, run), CARD
    point = points(EXPORTS)[form]

    def write(file: IO[bytes]) -> str:
        try:
            return made.write(run, file)
        except (MoltBenchError, OSError):
            raise
        except Exception as error:  # foreign code: it may raise anything
            raise MoltBenchError(broken(point, error)) from error

    try:
        made: Export = point.load()()
        return write, made.file or f"run.{form}"
    except Exception as error:  # as above
        raise MoltBenchError(broken(point, error)) from error


def _run_of(folder: str) -> Run:
    """Open a run, and say what its reader should know."""
    run = Run.open(folder)
    for note in run.notes:
        warn(note)
    return run


def _write_hands(run: Run, form: str, file: IO[bytes]) -> str:
    count = 0

    def counted() -> Iterator[DealtHand]:
        nonlocal count
        for dealt in dealt_hands(run):
            if dealt.counts or form == "csv":  # where hands that do not count are marked
                count += 1
                yield dealt

    for piece in TEXTS[form](counted()):
        file.write(piece.encode())
    return f"{count:,} {'hand' if count == 1 else 'hands'}"


def _write_page(folder: str, file: IO[bytes]) -> str:
    library = Library(journal_in(folder).parent)
    if not library.runs.is_run:
        raise ConfigError("RUN", folder, "the folder of a run, with a journal.jsonl in it")
    content = html_report(library.open(library.runs.root.name)).encode()
    file.write(content)
    return f"{len(content) / 1e6:.2f} MB"


def _write_card(run: Run, file: IO[bytes]) -> str:
    text = card_text(Rows(run.result()), run.header)
    file.write(text.encode())
    return f"{text.count(chr(10)):,} lines"


def _write_site(folder: str, output: str, deals: int, printing: Printing) -> list[str]:
    library, runs = Library(folder), list[str]()
    if Path(output).absolute().is_relative_to(library.runs.root):
        raise ConfigError("--output", output, "a folder outside the folder of runs")
    with writing("--output", output, "a folder"):
        for run in write_site(library, Path(output), most_deals=deals, warn=warn):
            runs.append(str(run))
            printing.notice(f"wrote {run}")
    return runs


def _written(target: Path, write: Write) -> str:
    """Write a whole file or nothing; a pipe, a device or a link is written directly, so that it stays what it is."""
    special = target.is_symlink() or (target.exists() and not target.is_file())
    with writing("--output", str(target)):
        if not special:
            return fill_whole(target, write)
        with open(target, "wb") as file:
            return write(file)
