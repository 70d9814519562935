"""`molt-bench export`: the hands or records of a run for other programs, its card, its pages, or runs as a site."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import IO, Final, TypeAlias, get_args

import click

from molt_bench.cli.completion import run_folders
from molt_bench.cli.options import PATH, Printing, printing_options
from molt_bench.cli.parser import COUNT, NONE_OR_MORE, Command
from molt_bench.cli.streams import data_output, notice, warn
from molt_bench.entry_points import EXPORTS, broken, points
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.files import fill_whole, writing
from molt_bench.plugin import Export
from molt_bench.report.card import CARD, card_text
from molt_bench.report.dealt_hands import DealtHand, GameFilter, checked_outline, dealt_hands, that_count
from molt_bench.report.exports import FILES, TABLES, TEXTS, Format
from molt_bench.report.exports.eee import Records
from molt_bench.report.rows import Rows
from molt_bench.runs.conclusion import notes_on
from molt_bench.runs.folder import journal_in
from molt_bench.runs.run import Run
from molt_bench.suggestions import one_of
from molt_bench.view.html_report import html_report
from molt_bench.view.library import Library
from molt_bench.view.site import MOST_DEALS, write_site

#: Fills a file, and returns a description of what it wrote.
Fill: TypeAlias = Callable[[IO[bytes]], str]


#: The formats that are not hands: pages and a card for people, and records for hubs of results.
_HTML: Final = "html"
_SITE: Final = "site"
_CARD: Final = "card"
_EEE: Final = "eee"
#: By default, where those are written: in the folder of the run, and the site in the current one.
_PAGE: Final = "run.html"
_SITE_FOLDER: Final = "site"
_EEE_FOLDER: Final = "eee"
#: Our formats, and those of plug-ins.
_OURS: Final = (*get_args(Format), _CARD, _EEE, _HTML, _SITE)
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
@click.option("--match", type=COUNT, help="csv, phh: only hands of this match.")
@click.option("--agent", metavar="ID", help="csv, phh: only hands of this agent.")
@click.option("--deals", type=NONE_OR_MORE, help=f"site: most deals of a run, by swing; {MOST_DEALS} by default.")
@printing_options
def export(
    folder: str,
    form: str,
    output: str | None,
    match: int | None,
    agent: str | None,
    deals: int | None,
    printing: Printing,
) -> None:
    """Export a run: its hands for other programs, records for hubs, pages as one file, or runs as a site.

    A file is written into the folder of the run unless --output says otherwise. A site has all pages, the files of
    runs and their hashes; an earlier site in its folder is replaced. Records are those of Every Eval Ever, with a data
    card and a citation.

    Examples:
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format csv
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format phh --agent tight --output hands.phhs
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format html --output run.html
      molt-bench export benchmark-results --format site --output site
    """
    if printing.as_json and output == "-":
        raise click.BadParameter("cannot be used with --output -", param_hint="--json")
    for flag, value, fits in (
        ("--match", match, form in FILES),
        ("--agent", agent, form in FILES),
        ("--deals", deals, form == _SITE),
        ("--output -", output == "-" or None, form not in (_SITE, _EEE)),
    ):
        if value is not None and not fits:
            raise click.BadParameter(f"cannot be used with --format {form}", param_hint=flag)
    if form == _SITE:
        _write_site(folder, output or _SITE_FOLDER, MOST_DEALS if deals is None else deals, printing)
        return
    if form == _EEE:
        _write_records(folder, output or str(Path(folder, _EEE_FOLDER)), printing)
        return
    fill: Fill
    if form in _THEIRS:
        fill, usual = _export_of(folder, form)
    elif form in (_HTML, _CARD):
        fill = partial(_write_page if form == _HTML else _write_card, folder)
        usual = _PAGE if form == _HTML else CARD
    else:
        hands: Format = "csv" if form == "csv" else "phh"
        fill, usual = _hands_of(folder, hands, match, agent), FILES[hands]
    if output == "-":
        where, data = "standard output", data_output()
        written = fill(data)
        data.flush()
    else:
        where = output or str(Path(folder, usual))
        written = _write(Path(where).absolute(), fill)
    about = {"runDir": folder, "format": form, "file": where, "written": written}
    printing.answer(about, lambda: notice(f"wrote {written} to {where}"))


def _export_of(folder: str, form: str) -> tuple[Fill, str]:
    """Return what writes a run in the format of a plug-in, and the usual name of the file."""
    run = _run_of(folder)
    point = points(EXPORTS)[form]
    try:
        made: Export = point.load()()
        return partial(_write_theirs, point, made, run), made.file or f"run.{form}"
    except Exception as error:  # foreign code: it may raise anything
        raise MoltBenchError(broken(point, error)) from error


def _write_theirs(point: EntryPoint, export: Export, run: Run, file: IO[bytes]) -> str:
    try:
        return export.write(run, file)
    except (MoltBenchError, OSError):
        raise
    except Exception as error:  # as above
        raise MoltBenchError(broken(point, error)) from error


def _hands_of(folder: str, form: Format, match: int | None, agent: str | None) -> Fill:
    """Return what writes the hands of a run, once it is known that there are any."""
    journal = journal_in(folder)
    outline = checked_outline(journal)
    participants = [each["id"] for each in outline.header.config["participants"]]
    if agent is not None and agent not in participants:
        raise ConfigError("--agent", agent, one_of(participants, agent))
    for note in notes_on(outline, journal, decided=False):
        warn(note)
    return partial(_write_hands, journal, form, _filter(match, agent))


def _write_page(folder: str, file: IO[bytes]) -> str:
    library = Library(journal_in(folder).parent)
    if not library.runs.is_run:
        raise ConfigError("RUN", folder, "the folder of a run, with a journal.jsonl in it")
    content = html_report(library.open(library.runs.root.name)).encode()
    file.write(content)
    return f"{len(content) / 1e6:.2f} MB"


def _write_card(folder: str, file: IO[bytes]) -> str:
    run = _run_of(folder)
    text = card_text(Rows(run.result()), run.header)
    file.write(text.encode())
    return f"{text.count(chr(10)):,} lines"


def _write_records(folder: str, output: str, printing: Printing) -> None:
    records = Records(_run_of(folder), datetime.now(UTC))
    with writing("--output", output, "a folder"):
        written = f"{records.write(Path(output)):,} records"
    about = {"runDir": folder, "format": _EEE, "file": output, "written": written}
    printing.answer(about, lambda: notice(f"wrote {written} to {output}"))


def _run_of(folder: str) -> Run:
    """Open a run, and say what its reader should know."""
    run = Run.open(folder)
    for note in run.notes:
        warn(note)
    return run


def _write_site(folder: str, output: str, deals: int, printing: Printing) -> None:
    library, runs = Library(folder), list[str]()
    if Path(output).absolute().is_relative_to(library.runs.root):
        raise ConfigError("--output", output, "a folder outside the folder of runs")
    with writing("--output", output, "a folder"):
        for run in write_site(library, Path(output), most_deals=deals, warn=warn):
            runs.append(str(run))
            printing.notice(f"wrote {run}")
    written = f"{len(runs):,} run{'s' * (len(runs) != 1)}"
    about = {"runDir": folder, "format": _SITE, "file": output, "written": written, "runs": runs}
    printing.answer(about, lambda: notice(f"wrote {written} to {output}; put it on any web host"))


def _filter(match: int | None, agent: str | None) -> GameFilter | None:
    if match is None and agent is None:
        return None
    return lambda game: match in (None, game.match) and (agent is None or agent in game.participants)


def _write_hands(journal: Path, form: Format, wanted: GameFilter | None, file: IO[bytes]) -> str:
    count = 0

    def counted() -> Iterator[DealtHand]:
        nonlocal count
        hands = dealt_hands(str(journal), wanted or (lambda _: True))
        for dealt in hands if form in TABLES else that_count(hands):
            count += 1
            yield dealt

    for piece in TEXTS[form](counted()):
        file.write(piece.encode())
    if wanted and not count:
        raise MoltBenchError(f"{journal.parent}: no hands of this match and agent")
    return f"{count:,} {'hand' if count == 1 else 'hands'}"


def _write(target: Path, fill: Fill) -> str:
    """Write a whole file or nothing; a pipe, a device or a link is written directly, so that it stays what it is."""
    special = target.is_symlink() or (target.exists() and not target.is_file())
    with writing("--output", str(target)):
        if not special:
            return fill_whole(target, fill)
        with open(target, "wb") as file:
            return fill(file)
