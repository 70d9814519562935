"""`molt-bench compare`: is a new run better or worse than an old one?"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import click
from rich.text import Text

from molt_bench.cli.completion import run_folders
from molt_bench.cli.options import Printing, printing_options
from molt_bench.cli.parser import CONFIDENCE, NOT_NEGATIVE, Command, flag, grouped
from molt_bench.cli.saved_files import ABOUT, check_endings, save
from molt_bench.cli.streams import console, tolerate_closed_pipe, warn
from molt_bench.config.stop import MOST_TIE_MARGIN
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.records import bb_per_100
from molt_bench.report.artifacts import indented
from molt_bench.report.fitting_table import FittingTable
from molt_bench.runs.header import recorded_reply_forms
from molt_bench.runs.run import Run
from molt_bench.study import comparison
from molt_bench.study import comparison_formats as formats
from molt_bench.study.comparison import ComparedRun
from molt_bench.study.comparison_formats import Outcome
from molt_bench.study.gate import OPEN, WORSE
from molt_bench.visible_text import on_one_line


@dataclass(frozen=True, kw_only=True)
class VerdictOptions:
    """What counts as a difference, and as a loss."""

    margin: float | None = flag(
        "Exit with status 4 if an agent lost more than this, 6 if that is not known; 10 mbb are 1 bb/100.",
        metavar="MBB",
        type=NOT_NEGATIVE,
    )
    confidence: float = flag("Confidence of the verdicts.", default=0.95, type=CONFIDENCE)

    @property
    def within(self) -> float:
        """The largest difference that does not matter."""
        return self.margin or MOST_TIE_MARGIN


@click.command(cls=Command)
@click.argument("old", metavar="OLD", help="Folder of the earlier run.", shell_complete=run_folders)
@click.argument("new", metavar="NEW", help="Folder of the later run.", shell_complete=run_folders)
@click.option(
    "--agent",
    "agents",
    metavar="ID",
    multiple=True,
    help="Agent to compare: ID, or OLD_ID=NEW_ID; repeatable.",
)
@grouped(VerdictOptions, "verdict")
@click.option("--save", "saved", metavar="FILE", multiple=True, help=ABOUT)
@printing_options
def compare(
    old: str, new: str, agents: Sequence[str], verdict: VerdictOptions, saved: Sequence[str], printing: Printing
) -> None:
    """Test whether a new run is better or worse than an old one, on the same cards where possible.

    With --margin, the exit status is that of a gate: 4 if an agent lost more than that, on average or to one
    opponent, or hardly answered, and 6 if the hands are too few to say that it did not.

    Examples:
      molt-bench compare old new
      molt-bench compare old new --agent tight --margin 500
      molt-bench compare old new --save comment.md --save junit.xml
    """
    check_endings(saved)
    try:
        ids = [_both_ids(text) for text in agents]
        found = comparison.compare(
            _run(old), _run(new), agents=ids, confidence=verdict.confidence, within=verdict.within
        )
    except MoltBenchError as error:
        problem = str(error)
        save(saved, {".xml": lambda: formats.junit_error(problem, datetime.now(UTC))})
        raise
    margin = verdict.margin
    answers = {} if margin is None else {each.name: each.answer(margin) for each in found.differences}
    reasons = {} if margin is None else {each.name: each.reason(margin) for each in found.differences}
    outcome = Outcome(
        old=old,
        new=new,
        found=found,
        confidence=verdict.confidence,
        within=verdict.within,
        failures={name: reason for name, reason in reasons.items() if reason is not None},
    )
    content = {**formats.plain(outcome), "marginBbPer100": None if margin is None else bb_per_100(margin)}
    writers = {
        ".json": lambda: indented(content),
        ".md": lambda: formats.markdown(outcome),
        ".xml": lambda: formats.junit(outcome, datetime.now(UTC)),
    }
    save(saved, writers)
    with tolerate_closed_pipe():
        printing.answer(content, lambda: _print_table(outcome))
    for warning in () if printing.as_json else found.warnings:
        warn(warning)
    for name, reason in outcome.failures.items():
        print(f"molt-bench: {on_one_line(name)}: {reason}", file=sys.stderr)
    if "worse" in answers.values():
        sys.exit(WORSE)
    if "open" in answers.values():
        sys.exit(OPEN)


def _both_ids(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not old or bool(equals) != bool(new) or "=" in new:
        raise ConfigError("--agent", text, "an id, or OLD_ID=NEW_ID")
    return old, new or old


def _run(folder: str) -> ComparedRun:
    stored = Run.open(folder)
    for note in stored.notes:
        warn(note)
    skills = stored.replies().skills
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


def _print_table(outcome: Outcome) -> None:
    first, *numbers, last = outcome.headings()
    table = FittingTable(first, *numbers, last, width=22, spare=numbers[:-1], words=[last])
    for each in outcome.found.differences:
        table.add_row(Text(on_one_line(each.name)), *outcome.cells(each))
    screen = console()
    screen.print(table)
    screen.print(outcome.foot())
