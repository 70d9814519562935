"""The grades of a run on the terminal: the agents, where and how they lose, and the costliest decisions."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from msgspec import UNSET, UnsetType
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from molt_bench.luck.reference.grade import MISTAKES
from molt_bench.poker.actions import STREETS
from molt_bench.report.fitting_table import FittingTable
from molt_bench.report.grades import (
    LISTED,
    MISTAKE_MBB,
    AgentGrades,
    CostlyDecision,
    Grades,
    left_out,
)


def print_grades(found: Grades, names: Mapping[str, str], console: Console, *, folder: str) -> None:
    """Print the grades of a run; `names` are the display names of those to be shown, by id."""
    rows = [row for row in found.participants if row.id in names]
    rows.sort(key=lambda row: (row.loss_mbb is None, row.loss_mbb))
    for table in (agents_table, streets_table, kinds_table):
        console.print(table(rows, names))
    costliest = [(each, names[row.id]) for row in rows for each in row.costliest]
    costliest.sort(key=lambda pair: -pair[0].loss_mbb)
    lines = []
    if costliest:
        console.print(costliest_table(costliest[:LISTED]))
        page = page_of(Path(folder).absolute().name, costliest[0][0])
        lines.append(
            f"To see the first one, append {page} to the address that molt-bench view {shlex.quote(folder)} opens."
        )
    lines += [
        "lost/dec: mbb that a decision gives away on average, by the values of blueprint; above: the same, less what "
        "blueprint itself gives away at the same decisions, since its values are inexact; lost/100: bb per 100 hands, "
        f"beside what was won. Mistakes: decisions that give away {MISTAKE_MBB:.0f} mbb or more.",
        *filter(None, [left_out(rows)]),
        found.note,
    ]
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def page_of(run: str, each: CostlyDecision) -> str:
    """Return the address of a decision in the viewer's replayer."""
    query = f"seating={each.seating}&decision={each.decision}"
    return f"#/run/{quote(run, '')}/hand/{each.match}/{each.seed_index}/{each.hand}?{query}"


def agents_table(rows: Sequence[AgentGrades], names: Mapping[str, str]) -> FittingTable:
    """Return the grade of each agent beside what it won; it fits in 80 columns."""
    table = FittingTable("agent", "decisions", "lost/dec", "above", "±95%", "lost/100", "won/100", "±95%")
    for row in rows:
        table.add_row(
            Text(names[row.id]),
            f"{row.decisions:,}",
            _number(row.loss_mbb),
            _number(row.above_mbb),
            _number(row.above_mbb_half_width_95),
            _number(row.loss_bb_per_100, 1),
            "-" if row.bb_per_100 is None else f"{row.bb_per_100:+,.1f}",
            _number(row.bb_per_100_half_width_95, 1),
        )
    return table


def streets_table(rows: Sequence[AgentGrades], names: Mapping[str, str]) -> FittingTable:
    """Return what each agent loses per 100 hands on each street, in big blinds, and how many mistakes it made."""
    table = FittingTable("lost/100", *STREETS, "mistakes", "forced folds")
    for row in rows:
        losses = [_number(row.streets[street].loss_bb_per_100, 1) for street in STREETS]
        table.add_row(Text(names[row.id]), *losses, f"{row.mistakes:,}", f"{row.forced_folds:,}")
    return table


def kinds_table(rows: Sequence[AgentGrades], names: Mapping[str, str]) -> FittingTable:
    """Return what each agent loses per 100 hands by each kind of mistake, in big blinds."""
    table = FittingTable("lost/100", *[" too\n".join(words.split(" too ")) for words in MISTAKES.values()])
    for row in rows:
        table.add_row(Text(names[row.id]), *[_number(row.kinds[kind].loss_bb_per_100, 1) for kind in MISTAKES])
    return table


def costliest_table(found: Sequence[tuple[CostlyDecision, str]]) -> Table:
    """Return the costliest decisions: where they are, what was done, and what was better."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("agent", "match·seed·hand", "cards", "board", "did", "better"):
        table.add_column(heading, overflow="fold", max_width=20)
    table.add_column("lost bb", justify="right")
    for each, name in found:
        table.add_row(
            Text(name),
            f"{each.match}·{each.seed_index}·{each.hand} {each.seating}",
            each.cards,
            each.board or "-",
            each.done,
            each.best,
            _number(each.loss_mbb / 1000, 2),
        )
    return table


def _number(value: float | UnsetType | None, digits: int = 0) -> str:
    return "-" if value is None or value is UNSET else f"{value:,.{digits}f}"
