"""`molt-bench compare`: is a new run better or worse than an old one?"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal, TypeAlias, get_args

import click
from rich.text import Text

from molt_bench.cli.completion import run_agents, run_folders
from molt_bench.cli.options import Printing, printing_options
from molt_bench.cli.parser import CONFIDENCE, NOT_NEGATIVE, POSITIVE, Command, flag, grouped
from molt_bench.cli.run_result import notes_on
from molt_bench.cli.streams import console, print_json, tolerate_closed_pipe, warn
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.report.fitting_table import FittingTable
from molt_bench.runs.folder import JOURNAL
from molt_bench.runs.header import recorded_reply_forms
from molt_bench.runs.run import Run
from molt_bench.study import comparison
from molt_bench.study import comparison_formats as formats
from molt_bench.study.comparison import ComparedRun
from molt_bench.study.comparison_formats import Outcome
from molt_bench.study.gate import Gate
from molt_bench.visible_text import on_one_line

Format: TypeAlias = Literal["text", "json", "markdown", "junit"]
#: The exit status of runs that cannot be compared; the others are in `study.gate`.
_NOT_COMPARED: Final = 3


@dataclass(frozen=True, kw_only=True)
class VerdictOptions:
    """What counts as a difference, and as a failure."""

    within: float = flag(
        "Differences up to this do not matter; 10 mbb are 1 bb/100.", default=250.0, metavar="MBB", type=POSITIVE
    )
    fail_below: float | None = flag(
        "Exit with status 1 if an agent has certainly lost more than this, 6 if the hands are too few to tell.",
        metavar="MBB",
        type=NOT_NEGATIVE,
    )
    strict: bool = flag(
        "With --fail-below: exit with status 1 unless it is certain that no agent lost more.", default=False
    )
    exit_code: bool = flag("Exit with status 1 if an agent is worse, 4 if that is not known.", default=False)
    confidence: float = flag("Confidence of the verdicts.", default=0.95, type=CONFIDENCE)

    def check(self) -> None:
        """Refuse flags that contradict each other."""
        if self.strict and self.fail_below is None:
            raise click.BadParameter("requires --fail-below", param_hint="--strict")
        if self.exit_code and self.fail_below is not None:
            raise click.BadParameter("cannot be used with --fail-below: choose one gate", param_hint="--exit-code")


@click.command(cls=Command)
@click.argument("old", metavar="OLD", help="Folder of the earlier run.", shell_complete=run_folders)
@click.argument("new", metavar="NEW", help="Folder of the later run.", shell_complete=run_folders)
@click.option(
    "--agent",
    "agents",
    metavar="ID",
    multiple=True,
    help="Agent to compare: ID, or OLD_ID=NEW_ID; repeatable.",
    shell_complete=run_agents,
)
@grouped(VerdictOptions, "verdict")
@click.option(
    "--format",
    "form",
    default="text",
    metavar="FORMAT",
    type=click.Choice(get_args(Format)),
    help="text, json, markdown (a comment) or junit.",
)
@printing_options
def compare(
    old: str, new: str, agents: Sequence[str], verdict: VerdictOptions, form: Format, printing: Printing
) -> None:
    """Test whether a new run is better or worse than an old one, on the same cards where possible.

    Exit status: 0 if all is well, 1 for a loss by --fail-below or --exit-code, 2 for wrong usage,
    3 if there is nothing to compare (no such folder, an unreadable run, an unknown agent),
    4 with --exit-code if nobody is worse, but somebody may be,
    6 if the hands are too few to notice what --fail-below asks for.

    Examples:
      molt-bench compare old new
      molt-bench compare old new --agent tight --fail-below 100
      molt-bench compare old new --format markdown
    """
    verdict.check()
    if printing.as_json and form not in ("text", "json"):
        raise click.BadParameter(f"cannot be used with --format {form}", param_hint="--json")
    gate = Gate(fail_below=verdict.fail_below, strict=verdict.strict, exit_code=verdict.exit_code)
    try:
        ids = [_both_ids(text) for text in agents]
        found = comparison.compare(
            _run(old), _run(new), agents=ids, confidence=verdict.confidence, within=verdict.within
        )
    except MoltBenchError as error:
        error.status = _NOT_COMPARED
        if form == "junit" and not printing.quiet:
            with tolerate_closed_pipe():
                print(formats.junit_error(str(error), datetime.now(UTC)), end="")
        raise
    failures = {each.name: failure for each in found.differences if (failure := gate.failure(each)) is not None}
    outcome = Outcome(
        old=old,
        new=new,
        found=found,
        confidence=verdict.confidence,
        within=verdict.within,
        failures={name: failure.reason for name, failure in failures.items()},
    )
    with tolerate_closed_pipe():
        _print_outcome(outcome, verdict, "json" if printing.as_json else form, quiet=printing.quiet)
    for name, reason in outcome.failures.items():
        print(f"molt-bench: {on_one_line(name)}: {reason}", file=sys.stderr)
    if failures:
        sys.exit(min(failure.status for failure in failures.values()))


def _both_ids(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not old or bool(equals) != bool(new) or "=" in new:
        raise ConfigError("--agent", text, "an id, or OLD_ID=NEW_ID")
    return old, new or old


def _run(folder: str) -> ComparedRun:
    stored = Run.open(folder)
    for note in notes_on(stored.content, stored.folder / JOURNAL):
        warn(note)
    skills = stored.exchanges().skills
    header = stored.header
    return ComparedRun(
        folder,
        stored.config,
        stored.result(),
        header.source_hashes,
        skills,
        reply_forms=recorded_reply_forms(header),
        bench_version=header.bench_version,
    )


def _print_outcome(outcome: Outcome, verdict: VerdictOptions, form: Format, *, quiet: bool) -> None:
    """Print a comparison; all formats but text contain its warnings."""
    if form == "json":
        print_json({**formats.plain(outcome), "failBelowMbb": verdict.fail_below, "strict": verdict.strict})
    elif form == "text" or quiet:
        if not quiet:
            _print_table(outcome)
        for warning in outcome.found.warnings:
            warn(warning)
    elif form == "junit":
        print(formats.junit(outcome, datetime.now(UTC)), end="")
    else:
        print(formats.markdown(outcome), end="")


def _print_table(outcome: Outcome) -> None:
    first, *numbers, last = outcome.headings()
    table = FittingTable(first, *numbers, last, width=22, spare=numbers[:-1])
    for each in outcome.found.differences:
        table.add_row(Text(on_one_line(each.name)), *outcome.cells(each))
    screen = console()
    screen.print(table)
    screen.print(outcome.foot())
