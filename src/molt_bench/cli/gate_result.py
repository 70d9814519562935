"""What a gate found, printed and saved in the forms that were asked for, and the exit status that says it."""

import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from molt_bench.bench.result import RunResult
from molt_bench.cli.options import Printing
from molt_bench.cli.saved_files import save
from molt_bench.cli.streams import console
from molt_bench.report.artifacts import indented
from molt_bench.report.fitting_table import FittingTable
from molt_bench.study import gate
from molt_bench.study.gate import GateOutcome, Speed, outcome_of

_STYLES: Final = {"kept": "bold green", "worse": "bold red", "open": "bold yellow"}


@dataclass(frozen=True, kw_only=True)
class GatePrinting(Printing):
    """How a gate prints what it found.

    Attributes:
        saved: Files that are written as well, each in the form that its ending says.
        speed: How long decisions take, if that was measured.
    """

    saved: tuple[str, ...] = ()
    speed: Speed | None = None


def show_gate(result: RunResult, folder: str, printing: Printing) -> None:
    """Print what a gate found, and save it where that was asked for."""
    outcome = _outcome(result, printing)
    writers = {
        ".json": lambda: indented(gate.plain(outcome)),
        ".md": lambda: gate.markdown(outcome),
        ".xml": lambda: gate.junit(outcome, datetime.now(UTC)),
    }
    save(printing.saved if isinstance(printing, GatePrinting) else (), writers)
    printing.answer({"runDir": folder, **gate.plain(outcome)}, lambda: _print(outcome, folder))


def exit_by_gate(result: RunResult, printing: Printing) -> None:
    """Exit with the status of a gate: 4 if the new version is worse, 6 if that is not known."""
    if result.config.gate is None:
        return
    outcome = _outcome(result, printing)
    if outcome.status:
        sys.exit(outcome.status)


def _outcome(result: RunResult, printing: Printing) -> GateOutcome:
    return outcome_of(result, printing.speed if isinstance(printing, GatePrinting) else None)


def _print(outcome: GateOutcome, folder: str) -> None:
    screen = console()
    first, *headings = gate.HEADINGS
    table = FittingTable(first, *headings, spare=("seed pairs", "old", "new"))
    for name, *cells in outcome.rows():
        table.add_row(Text(name), *cells)
    screen.print(Text(outcome.sentence(), _STYLES[outcome.verdict]), soft_wrap=not screen.is_terminal)
    screen.print(table)
    screen.print(Text(outcome.foot()), soft_wrap=not screen.is_terminal)
    if outcome.verdict == "open":
        screen.print(Text(f"Stopped: {outcome.stopped}."), soft_wrap=not screen.is_terminal)
    screen.print(f"Results: {folder}", highlight=False, soft_wrap=True)
