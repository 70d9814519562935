"""`molt-bench export`: the hands or records of a run for other programs, its card, its pages, or runs as a site."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

import click

from molt_bench.cli.options import PATH, RUN_FOLDER, Printing, printing_options
from molt_bench.cli.parser import Command
from molt_bench.cli.streams import data_output, notice, warn
from molt_bench.entry_points import EXPORTS, broken, points
from molt_bench.errors import MoltBenchError
from molt_bench.files import fill_whole, writing
from molt_bench.plugin import Export, FolderExport
from molt_bench.report.card import CARD, card_text
from molt_bench.report.dealt_hands import DealtHand, dealt_hands
from molt_bench.report.exports import FILES, TEXTS
from molt_bench.report.exports.eee import Records
from molt_bench.report.run_rows import Rows
from molt_bench.runs.run import Run

#: Writes what is exported of a run into a file, and returns how much that was.
Write: TypeAlias = Callable[[IO[bytes]], str]

_OURS: Final = (*FILES, "card", "eee")
_THEIRS: Final = [name for name in points(EXPORTS) if name not in _OURS]


@click.command(cls=Command)
@click.argument("folder", metavar="RUN", type=RUN_FOLDER, help="Folder of the run; for a site also of runs.")
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    type=click.Choice([*_OURS, *_THEIRS]),
    required=True,
    help="csv, phh, card (who played what), eee (records for hubs), or that of a plug-in, such as html (one page) "
    "and site (for any web host).",
)
@click.option("--output", metavar="PATH", type=PATH, help="File, or - for standard output; a folder for a site.")
@printing_options
def export(folder: str, form: str, output: str | None, printing: Printing) -> None:
    """Export the hands of a run, records for hubs, its pages as one file, or runs as a site.

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
    made = _made(form) if form in _THEIRS else None
    if output == "-" and (form == "eee" or isinstance(made, FolderExport)):
        raise click.BadParameter(f"cannot be used with --format {form}", param_hint="--output -")
    more: dict[str, Any] = {}
    if isinstance(made, FolderExport):
        where = output or made.folder
        more["runs"] = _write_folder(form, made, folder, where, printing)
        written = f"{len(more['runs']):,} run{'s' * (len(more['runs']) != 1)}"
    elif form == "eee":
        where = output or str(Path(folder, "eee"))
        records = Records(_run_of(folder, hands=False), datetime.now(UTC))
        with writing("--output", where, "a folder"):
            written = f"{records.write(Path(where)):,} records"
    else:
        write, usual = _file_of(folder, form, made)
        where = output or str(Path(folder, usual))
        if output == "-":
            where, data = "standard output", data_output()
            written = write(data)
            data.flush()
        else:
            written = _written(Path(where).absolute(), write)
    about = {"runDir": folder, "format": form, "file": where, "written": written, **more}
    printing.answer(about, lambda: notice(f"wrote {written} to {where}"))


def _file_of(folder: str, form: str, made: Export | None) -> tuple[Write, str]:
    """Return what writes a run in a format that is a file, and the usual name of the file."""
    run = _run_of(folder, hands=made is not None)  # ours read them one game at a time
    if made is not None:
        return partial(_write_theirs, form, made, run), made.file or f"run.{form}"
    return (partial(_write_card, run), CARD) if form == "card" else (partial(_write_hands, run, form), FILES[form])


def _made(form: str) -> Export | FolderExport:
    """Return the format of a plug-in."""
    with _naming(form):
        made: Export | FolderExport = points(EXPORTS)[form].load()()
        return made


@contextmanager
def _naming(form: str) -> Iterator[None]:
    """Name the plug-in whose format fails."""
    try:
        yield
    except (MoltBenchError, OSError):
        raise
    except Exception as error:  # foreign code: it may raise anything
        raise MoltBenchError(broken(points(EXPORTS)[form], error)) from error


def _write_theirs(form: str, export: Export, run: Run, file: IO[bytes]) -> str:
    with _naming(form):
        return export.write(run, file)


def _write_folder(form: str, export: FolderExport, folder: str, output: str, printing: Printing) -> list[str]:
    """Write a folder, and return the names of the runs in it."""
    runs = list[str]()
    with _naming(form), writing("--output", output, "a folder"):
        for run in export.write(Path(folder), Path(output), warn):
            runs.append(run)
            printing.notice(f"wrote {run}")
    return runs


def _run_of(folder: str, *, hands: bool) -> Run:
    """Open a run, and say what its reader should know."""
    run = Run.open(folder, hands=hands)
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


def _write_card(run: Run, file: IO[bytes]) -> str:
    text = card_text(Rows(run.result()), run.header)
    file.write(text.encode())
    return f"{text.count(chr(10)):,} lines"


def _written(target: Path, write: Write) -> str:
    """Write a whole file or nothing; a pipe, a device or a link is written directly, so that it stays what it is."""
    special = target.is_symlink() or (target.exists() and not target.is_file())
    with writing("--output", str(target)):
        if not special:
            return fill_whole(target, write)
        with open(target, "wb") as file:
            return write(file)
