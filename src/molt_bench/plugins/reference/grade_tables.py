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

from molt_bench.plugins.reference.grade import MISTAKES
from molt_bench.plugins.reference.grades import (
    LISTED,
    MISTAKE_MBB,
    AgentGrades,
    CostlyDecision,
    Grades,
    left_out,
)
from molt_bench.poker.actions import STREETS


def print_grades(found: Grades, names: Mapping[str, str], *, folder: str) -> None:
    """Print the grades of a run; `names` are the display names of those to be shown, by id."""
    console = Console(markup=False, emoji=False, highlight=False, color_system=None)
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


def agents_table(rows: Sequence[AgentGrades], names: Mapping[str, str]) -> Table:
    """Return the grade of each agent beside what it won; it fits in 80 columns."""
    table = _table("agent", "decisions", "lost/dec", "above", "±95%", "lost/100", "won/100", "±95%")
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


def streets_table(rows: Sequence[AgentGrades], names: Mapping[str, str]) -> Table:
    """Return what each agent loses per 100 hands on each street, in big blinds, and how many mistakes it made."""
    table = _table("lost/100", *STREETS, "mistakes", "forced folds")
    for row in rows:
        losses = [_number(row.streets[street].loss_bb_per_100, 1) for street in STREETS]
        table.add_row(Text(names[row.id]), *losses, f"{row.mistakes:,}", f"{row.forced_folds:,}")
    return table


def kinds_table(rows: Sequence[AgentGrades], names: Mapping[str, str]) -> Table:
    """Return what each agent loses per 100 hands by each kind of mistake, in big blinds."""
    table = _table("lost/100", *[" too\n".join(words.split(" too ")) for words in MISTAKES.values()])
    for row in rows:
        table.add_row(Text(names[row.id]), *[_number(row.kinds[kind].loss_bb_per_100, 1) for kind in MISTAKES])
    return table


def costliest_table(found: Sequence[tuple[CostlyDecision, str]]) -> Table:
    """Return the costliest decisions: where they are, what was done, and what was better."""
    table = _table("agent", "lost bb", words=("match·seed·hand", "cards", "board", "did", "better"))
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


def _table(first: str, *numbers: str, words: Sequence[str] = ()) -> Table:
    """Return a table with a name, words and numbers in its columns."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in (first, *words):
        table.add_column(heading, overflow="fold", max_width=20)
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _number(value: float | UnsetType | None, digits: int = 0) -> str:
    return "-" if value is None or value is UNSET else f"{value:,.{digits}f}"
