"""The result of an exam on the terminal, with where it misleads beside the numbers."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.text import Text

from molt_bench.exam.result import NOT_ENDED, ExamResult
from molt_bench.exam.scoring import Order
from molt_bench.report.fitting_table import FittingTable

MISLEADS: Final = (
    "This is a distance from an equilibrium, not winnings: against weak players other play wins more, and how two "
    "compare may be the other way round in play. Hands and ranges are those of the reference, blueprint, and so are "
    "the values before the flop."
)


def print_exam(found: ExamResult, console: Console) -> None:
    """Print the ranking, what is known about neighbours, and how to read it."""
    parts = [*found.streets] if len(found.streets) > 1 else []
    kinds = [*found.participants[0].kinds] if found.participants else []
    costs = bool(found.cost_usd)
    paid = ["$"] if costs else []
    spare = [*reversed(kinds), *reversed(parts), *paid, "forced", "±95%"]
    table = FittingTable("agent", "answers", "lost", "±95%", *parts, *kinds, "forced", *paid, spare=spare)
    for row in found.participants:
        table.add_row(
            Text(row.id),
            f"{row.answered:,}",
            _number(row.loss),
            _number(row.half_width),
            *[_number(row.streets[each]) for each in parts],
            *[_number(row.kinds[each]) for each in kinds],
            f"{row.forced:,}",
            *([f"{found.cost_usd[row.id]:.2f}" if row.id in found.cost_usd else "-"] if costs else []),
        )
    console.print(table)
    for line in lines_of(found):
        console.print(Text(line), soft_wrap=True)
    errors = ", ".join(f"{street} {error:.3f}" for street, error in found.errors.items())
    stated = f" The values that it is measured by have an error themselves, in big blinds for a decision: {errors}."
    often = f", {found.repeated:,} of them asked again" if found.repeated else ""
    ended = "Not ended yet" if found.stop_reason == NOT_ENDED else f"Stopped: {found.stop_reason}"
    for line in (
        f"{ended}. {found.asked:,} questions of {found.questions}{often}.",
        "lost: big blinds given away per 100 decisions, weighted by how often such decisions occur."
        f"{stated if errors else ''}",
        MISLEADS,
    ):
        console.print(Text(line), soft_wrap=True)


def lines_of(found: ExamResult) -> list[str]:
    """Say what is known about each two neighbours, and who has left."""
    return [*map(order_line, found.orders), *found.left]


def order_line(order: Order) -> str:
    """Say what is known about two neighbours.

    >>> order = Order(above="a", below="b", questions=50, lead=3.0, half_width=2.0, sure=0.99, kind="better")
    >>> order_line(order)
    'a gives away less than b: 3.0 ± 2.0 per 100 decisions, 99.0% sure (50 questions)'
    """
    lead = f"{order.lead:.1f} ± {_number(order.half_width)} per 100 decisions"
    on = f"({order.questions:,} question{'s' if order.questions != 1 else ''})"
    if order.kind == "better":
        return f"{order.above} gives away less than {order.below}: {lead}, {100 * order.sure:.1f}% sure {on}"
    if order.kind == "tied":
        return f"{order.above} and {order.below} are tied: {lead} {on}"
    return f"{order.above} or {order.below}: open, {lead}, {100 * order.sure:.1f}% sure {on}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"
