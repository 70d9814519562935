"""The result of a run, written to its folder and printed, and the exit status that it asks for."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.text import Text

from molt_bench.bench.participant_failures import failures_of
from molt_bench.bench.result import RunResult
from molt_bench.cli.console import VisibleConsole
from molt_bench.cli.findings_output import save, show
from molt_bench.cli.options import Printing, RunOptions
from molt_bench.cli.streams import notice, warn
from molt_bench.errors import JournalError
from molt_bench.llm.types import Unaccounted
from molt_bench.report.artifacts import leaderboard, summary, write_artifacts
from molt_bench.report.explanation import explanation
from molt_bench.report.number_text import dollars
from molt_bench.report.result_tables import print_result
from molt_bench.report.run_rows import Rows
from molt_bench.report.verdict import remarks, way_on
from molt_bench.runs.folder import journal_in, resume_command
from molt_bench.runs.journal_lines import games_in
from molt_bench.runs.line_file import being_written, lines_after
from molt_bench.runs.run import Run
from molt_bench.study.gate import gate_findings

#: The exit status of a run that ended without a rated match.
UNRATED: Final = 5


def rebuild_run(folder: str, printing: Printing, *, explain: bool = False) -> RunResult:
    """Rewrite a run's files from its journal and print the result; if it is still going, print it only.

    `explain`: also say how each number came about.
    """
    journal = journal_in(folder)
    going = being_written(journal)
    if going and not any(lines_after(journal)):
        raise JournalError(f"{folder}: the run has only just begun, so there is nothing to report yet")
    stored = Run.open(folder, hands=False)
    result = stored.result()
    # Check again: a run that has ended since has written more than was read, one that has started will.
    if not going and not being_written(journal):
        write_result(result, journal.parent, printing, explain=explain)
        return result
    ending = None if stored.ending is None else result.ending
    result = msgspec.structs.replace(result, ending=ending, unaccounted=Unaccounted())  # answers are still to come
    show_result(Rows(result), str(journal.parent), printing, explain=explain)
    for warning in (*result.warnings, "the run is still going: these are interim results, and nothing was written"):
        warn(warning)
    return result


def write_result(
    result: RunResult,
    folder: Path,
    printing: Printing,
    *,
    lost: str | None = None,
    warned: Sequence[str] = (),
    explain: bool = False,
) -> None:
    """Write all files of a run and print its result.

    If the journal is incomplete, `lost` says why; warnings that were printed before are not repeated.
    """
    rows = Rows(result)
    unwritten = write_artifacts(rows, folder)
    show_result(rows, str(folder), printing, explain=explain)
    for warning in [*result.warnings, *unwritten]:
        if warning not in warned:
            warn(warning)
    if lost and unwritten:
        notice(f"the results could not be saved: {lost}")
        sys.exit(1)


def show_result(rows: Rows, folder: str, printing: Printing, *, explain: bool = False) -> None:
    """Print a result, and how each of its numbers came about if that is asked for; of a gate, what it found."""
    result = rows.result
    if result.gate is not None:
        found = gate_findings(result, result.gate, printing.speed)
        save(found, printing.saved)
        stopped = f"Stopped: {result.stop_reason}." if found.verdict == "open" else ""
        show(found, printing, folder=folder, stopped=stopped)
        return
    content: dict[str, Any] = {}
    if printing.as_json:
        content = {"runDir": folder, **leaderboard(rows), "summary": summary(rows)}
        content |= {"explanation": [*explanation(rows), *remarks(rows)]} if explain else {}

    def print_all() -> None:
        out = VisibleConsole(highlight=True)
        print_result(rows, out, folder=folder, explained=explain)
        for paragraph in explanation(rows) if explain else ():
            out.print(Text(f"\n{paragraph}"), soft_wrap=not out.is_terminal)

    printing.answer(content, print_all)


def exit_by_result(result: RunResult, folder: str, options: RunOptions) -> None:
    """End the program with the status that a result asks for, if any does: by faults, without a match, by a gate."""
    most = options.fail_on_faults
    failing = [
        (name, each) for name, each in failures_of(result.matches).items() if most is not None and each.share > most
    ]
    for name, each in failing:
        notice(
            f"{name} made faults in {each.faulty:,} of {each.hands:,} hands ({each.share:.1%}), more than "
            f"--fail-on-faults allows ({most:.10g})"
        )
    if failing:
        sys.exit(1)
    if not result.matches:
        notice(_unrated(result, folder))
        sys.exit(UNRATED)
    if result.gate is not None:
        sys.exit(gate_findings(result, result.gate, options.speed).status)


def _unrated(result: RunResult, folder: str) -> str:
    """Say of a run that ended before one seed pair was complete what it cost, and how it goes on."""
    usd, lost = sum(usage.cost_usd or 0.0 for usage in result.usage), result.unaccounted.usd
    besides = f" and up to {dollars(lost)} unaccounted" if lost else ""
    spent = f"{dollars(usd)} spent{besides}, and " if usd or lost else ""
    played = len(games_in(Run.open(folder, hands=False).content.lines))
    kept = f"{played:,} games are kept" if played > 1 else "What was played is kept"
    flags = way_on(Rows(result)) or ""
    higher = " with a higher limit" if flags else ""
    command = resume_command(folder, result.config, flags)
    return f"no match was rated: {spent}no seed pair is complete. {kept}; go on{higher} with: {command}"
