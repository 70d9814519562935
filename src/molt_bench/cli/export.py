"""`molt-bench export`: a run in the formats of other programs, written as it is read."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, get_args

import click

from molt_bench.cli.completion import run_agents
from molt_bench.cli.options import PATH, Printing, printing_options, run_folder_argument
from molt_bench.cli.parser import COUNT, Command
from molt_bench.cli.run_result import notes_on
from molt_bench.cli.streams import data_output, notice, warn
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.files import fill_whole, writing
from molt_bench.report.exports import FILES, TABLES, TEXTS, Format
from molt_bench.report.exports.dealt_hands import DealtHand, GameFilter, checked_outline, dealt_hands, that_count
from molt_bench.runs.folder import journal_in
from molt_bench.suggestions import one_of


@click.command(cls=Command)
@run_folder_argument
@click.option("--format", "form", type=click.Choice(get_args(Format)), required=True, help="Format to write.")
@click.option("--output", metavar="FILE", type=PATH, help="File, or - for stdout; by default a file in RUN.")
@click.option("--match", type=COUNT, help="Only hands of this match.")
@click.option("--agent", metavar="ID", help="Only hands of this agent.", shell_complete=run_agents)
@printing_options
def export(
    folder: str,
    form: Format,
    output: str | None,
    match: int | None,
    agent: str | None,
    printing: Printing,
) -> None:
    """Export a run's hands for spreadsheets and for other programs.

    Examples:
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format csv
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format phh --agent tight --output hands.phhs
    """
    if printing.as_json and output == "-":
        raise click.BadParameter("cannot be used with --output -", param_hint="--json")
    journal = journal_in(folder)
    outline = checked_outline(journal)
    participants = [each["id"] for each in outline.header.config["participants"]]
    if agent is not None and agent not in participants:
        raise ConfigError("--agent", agent, one_of(participants, agent))
    for note in notes_on(outline, journal, decided=False):
        warn(note)
    fill = partial(_write_hands, journal, form, _filter(match, agent))
    if output == "-":
        where, data = "standard output", data_output()
        written = fill(data)
        data.flush()
    else:
        where = output or str(Path(folder, FILES[form]))
        written = _write(Path(where).absolute(), fill)
    about = {"runDir": folder, "format": form, "file": where, "written": written}
    printing.answer(about, lambda: notice(f"wrote {written} to {where}"))


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


def _write(target: Path, fill: Callable[[IO[bytes]], str]) -> str:
    """Write a whole file or nothing; a pipe, a device or a link is written directly, so that it stays what it is."""
    special = target.is_symlink() or (target.exists() and not target.is_file())
    with writing("--output", str(target)):
        if not special:
            return fill_whole(target, fill)
        with open(target, "wb") as file:
            return fill(file)
