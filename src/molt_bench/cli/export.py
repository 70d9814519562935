"""`molt-bench export`: a run in the formats of other programs, written as it is read."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias, get_args

import click

from molt_bench._version import READABLE_VERSIONS
from molt_bench.agents.llm.types import Exchange
from molt_bench.cli.completion import run_agents
from molt_bench.cli.options import PATH, Printing, printing_options, run_folder_argument
from molt_bench.cli.parser import COUNT, Command
from molt_bench.cli.run_result import notes_on
from molt_bench.cli.streams import data_output, notice, warn
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.files import fill_whole, writing
from molt_bench.report.analysis import Analysis
from molt_bench.report.exports import FILES, TABLES, TEXTS, WITH_HERO, Format
from molt_bench.report.exports.csv_and_parquet import write_parquet
from molt_bench.report.exports.dealt_hands import DealtHand, GameFilter, checked_outline, dealt_hands, that_count
from molt_bench.report.exports.latex import latex
from molt_bench.report.exports.whole_exchanges import whole_exchanges
from molt_bench.runs.derived_files import check_record
from molt_bench.runs.folder import EXCHANGES, journal_in
from molt_bench.runs.stored_run import StoredRun
from molt_bench.suggestions import one_of

#: Fills a file, and returns a description of what it wrote.
Fill: TypeAlias = Callable[[IO[bytes]], str]


@click.command(cls=Command)
@run_folder_argument
@click.option("--format", "form", type=click.Choice(get_args(Format)), required=True, help="Format to write.")
@click.option("--output", metavar="FILE", type=PATH, help="File, or - for stdout; by default a file in RUN.")
@click.option("--match", type=COUNT, help="Only hands of this match.")
@click.option("--agent", metavar="ID", help="Only hands of this agent.", shell_complete=run_agents)
@click.option("--hero", metavar="ID", help="Show cards as this agent saw them.", shell_complete=run_agents)
@printing_options
def export(
    folder: str,
    form: Format,
    output: str | None,
    match: int | None,
    agent: str | None,
    hero: str | None,
    printing: Printing,
) -> None:
    """Export a run's hands for trackers, spreadsheets and data frames, its tables, or what models were asked.

    Examples:
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format csv
      molt-bench export benchmark-results/2026-01-31T12-00-00 --format phh --agent tight --output hands.phhs
    """
    if printing.as_json and output == "-":
        raise click.BadParameter("cannot be used with --output -", param_hint="--json")
    journal = journal_in(folder)
    outline = checked_outline(journal, versions=READABLE_VERSIONS if form == "latex" else None)
    participants = [each["id"] for each in outline.header.config["participants"]]
    for option, name in (("--agent", agent), ("--hero", hero)):
        if name is not None and name not in participants:
            raise ConfigError(option, name, one_of(participants, name))
    if hero is not None and form not in WITH_HERO:
        raise ConfigError("--hero", hero, f"--format {' or '.join(sorted(WITH_HERO))} with it")
    if form == "latex" and not (match is None and agent is None):
        raise ConfigError("--format", form, "neither --match nor --agent with it, since it covers the whole run")
    if form == "latex":
        fill: Fill = partial(_write_tables, journal.parent)
    elif form == "exchanges":
        check_record(journal.parent, EXCHANGES, outline)
        fill = partial(_write_exchanges, journal.parent, match, agent)
    else:
        fill = partial(_write_hands, journal, form, _filter(match, agent), hero)
    for note in notes_on(outline, journal, decided=form == "latex"):
        warn(note)
    _deliver(fill, output, Path(folder) / FILES[form], printing, {"runDir": folder, "format": form})


def _deliver(fill: Fill, output: str | None, usual: Path, printing: Printing, about: dict[str, str]) -> None:
    """Write to the standard output, to a file, or to the usual one, and say so."""
    if output == "-":
        where, data = "standard output", data_output()
        written = fill(data)
        data.flush()
    else:
        where = output or str(usual)
        written = _write(Path(output or usual.absolute()), fill)
    printing.answer({**about, "file": where, "written": written}, lambda: notice(f"wrote {written} to {where}"))


def _filter(match: int | None, agent: str | None) -> GameFilter | None:
    if match is None and agent is None:
        return None
    return lambda game: match in (None, game.match) and (agent is None or agent in game.participants)


def _write_hands(journal: Path, form: Format, wanted: GameFilter | None, hero: str | None, file: IO[bytes]) -> str:
    count = 0

    def counted() -> Iterator[DealtHand]:
        nonlocal count
        hands = dealt_hands(str(journal), wanted or (lambda _: True))
        for dealt in hands if form in TABLES else that_count(hands):
            count += 1
            yield dealt

    if form == "parquet":
        write_parquet(counted(), file)
    else:
        for piece in TEXTS[form](counted(), hero):
            file.write(piece.encode())
    if wanted and not count:
        raise MoltBenchError(f"{journal.parent}: no hands of this match and agent")
    return f"{count:,} {'hand' if count == 1 else 'hands'}"


def _write_tables(folder: Path, file: IO[bytes]) -> str:
    found = Analysis(StoredRun.open(folder).result(recount=False))
    file.write("".join(latex(found)).encode())
    return "the leaderboard" if found.reference is not None else "the leaderboard and the payoff matrix"


def _write_exchanges(folder: Path, match: int | None, agent: str | None, file: IO[bytes]) -> str:
    def wanted(each: Exchange) -> bool:
        return match in (None, each.game.match) and agent in (None, each.participant)

    count = 0
    for line in whole_exchanges(folder, wanted):
        file.write(line.encode())
        count += 1
    if not count:
        raise MoltBenchError(f"{folder}: no exchanges with a language model, or none of this match and agent")
    return f"{count:,} {'exchange' if count == 1 else 'exchanges'}"


def _write(target: Path, fill: Fill) -> str:
    """Write a whole file or nothing; a pipe, a device or a link is written directly, so that it stays what it is."""
    special = target.is_symlink() or (target.exists() and not target.is_file())
    with writing("--output", str(target)):
        if not special:
            return fill_whole(target, fill)
        with open(target, "wb") as file:
            return fill(file)
