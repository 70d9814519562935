"""`molt-bench grade`: what each agent's decisions gave away."""

import sys
from typing import Any

import click
import msgspec

from molt_bench.plugins.reference.grade import reference
from molt_bench.plugins.reference.grade_tables import print_grades
from molt_bench.plugins.reference.grades import GRADES, grade_run
from molt_bench.report.rows import Rows
from molt_bench.runs.run import Run


@click.command()
@click.argument("folder", metavar="RUN", help="Folder of the run.")
@click.option("--agent", metavar="ID", help="Print the grades of this agent only.")
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object to standard output and nothing else.")
def grade(folder: str, *, agent: str | None, quiet: bool, as_json: bool) -> dict[str, Any]:
    """Grade every decision of a run by the values of the reference bot, and write grades.json.

    It is not the ranking. For a run in progress, it prints the grades so far and writes nothing.

    Examples:
      molt-bench grade benchmark-results/2026-01-31T12-00-00
      molt-bench grade benchmark-results/2026-01-31T12-00-00 --agent tight --json
    """
    run = Run.open(folder)
    going = run.going
    for note in [] if going else run.notes:
        _warn(note)
    rows = Rows(run.result())
    chosen = [*rows.names] if agent is None else [rows.checked("--agent", agent)]
    shown = {name: rows.names[name] for name in chosen}
    grades = grade_run(run, reference()).grades(rows)
    if not going:
        try:
            run.write(GRADES, msgspec.json.encode(grades) + b"\n")
        except OSError as error:
            _warn(f"{run.folder / GRADES} could not be written: {error.strerror}")
    if not quiet and not as_json:
        print_grades(grades, shown, folder=folder)
    if going:
        _warn("the run is still going: these are interim grades, and nothing was written")
    found = [row for row in grades.participants if row.id in shown]
    content: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(grades, participants=found))
    return {"runDir": str(run.folder), **content}


def _warn(warning: str) -> None:
    print(f"molt-bench: warning: {warning}", file=sys.stderr)
