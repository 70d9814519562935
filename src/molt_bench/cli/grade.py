"""`molt-bench grade`: what each agent's decisions gave away."""

import click
import msgspec

from molt_bench.cli.options import Printing, printing_options, run_folder_argument
from molt_bench.cli.parser import Command
from molt_bench.cli.run_result import notes_on
from molt_bench.cli.streams import console, warn
from molt_bench.errors import ConfigError
from molt_bench.files import write_whole
from molt_bench.luck.reference.grade import reference
from molt_bench.report.analysis import Analysis
from molt_bench.report.grade_tables import print_grades
from molt_bench.report.grades import GRADES, grade_run
from molt_bench.report.rows import Rows
from molt_bench.runs.file_lock import being_written
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.run import Run
from molt_bench.suggestions import one_of


@click.command(cls=Command)
@run_folder_argument
@click.option("--agent", metavar="ID", help="Print the grades of this agent only.")
@printing_options
def grade(folder: str, agent: str | None, printing: Printing) -> None:
    """Grade every decision of a run by the values of the reference bot, and write grades.json.

    It is not the ranking. For a run in progress, it prints the grades so far and writes nothing.

    Examples:
      molt-bench grade benchmark-results/2026-01-31T12-00-00
      molt-bench grade benchmark-results/2026-01-31T12-00-00 --agent tight --json
    """
    stored = Run.open(folder)
    going = being_written(stored.folder / JOURNAL)
    for note in [] if going else notes_on(stored.content, stored.folder / JOURNAL):
        warn(note)
    found = Analysis(stored.result())
    if agent is not None and agent not in found.names:
        raise ConfigError("--agent", agent, one_of(found.names, agent))
    grades = grade_run(stored, reference()).grades(Rows(found))
    if not going:
        path = stored.folder / GRADES
        try:
            write_whole(path, msgspec.json.encode(grades) + b"\n")
        except OSError as error:
            warn(f"{path} could not be written: {error.strerror}")
    shown = {name: shown for name, shown in found.shown.items() if agent in (None, name)}
    chosen = [row for row in grades.participants if row.id in shown]
    content = msgspec.to_builtins(msgspec.structs.replace(grades, participants=chosen))
    printing.answer(
        {"runDir": str(stored.folder), **content}, lambda: print_grades(grades, shown, console(), folder=folder)
    )
    if going:
        warn("the run is still going: these are interim grades, and nothing was written")
