"""The tables on the terminal."""

from collections.abc import Sequence
from math import isfinite
from typing import Protocol

from rich import box
from rich.console import Console
from rich.table import Table


class Row(Protocol):
    """What a line of the table needs."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def bb_per_100(self) -> float: ...  # noqa: D102
    @property
    def half_width(self) -> float: ...  # noqa: D102
    @property
    def hands(self) -> int: ...  # noqa: D102
    @property
    def faults(self) -> int: ...  # noqa: D102


def print_standings(rows: Sequence[Row], *, console: Console | None = None) -> None:
    """Print who won how much, best first."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("#", justify="right")
    table.add_column("agent", overflow="fold")
    for heading in ("bb/100", "95% interval", "hands", "faults"):
        table.add_column(heading, justify="right")
    for rank, row in enumerate(rows, start=1):
        low, high = row.bb_per_100 - row.half_width, row.bb_per_100 + row.half_width
        interval = f"{low:+.1f} to {high:+.1f}" if isfinite(high) else "needs 2 seeds"
        table.add_row(str(rank), row.id, f"{row.bb_per_100:+.1f}", interval, f"{row.hands:,}", str(row.faults))
    (console or Console()).print(table)
