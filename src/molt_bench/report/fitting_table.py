"""A table for the terminal that fits: where there is no room for all columns, the least important are left out.

Who a row is about is always there, and whole: names wrap between words. A note says what was left out.
"""

from collections.abc import Sequence
from typing import Final

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

#: The longest line of a name.
_NAME_WIDTH: Final = 22


class FittingTable:
    """A table with a column of names of limited width; the others hold numbers, aligned to the right.

    Args:
        headings: All headings.
        name: The heading of the names.
        spare: The headings that may be left out, the least important first.
        words: The headings of other columns that begin at the left.
    """

    def __init__(self, headings: Sequence[str], *, name: str, spare: Sequence[str], words: Sequence[str] = ()) -> None:
        self._headings, self._name, self._spare, self._words = headings, name, spare, words
        self._rows: list[tuple[RenderableType, ...]] = []

    def add_row(self, *cells: RenderableType) -> None:
        """Add a row with a cell for every column."""
        self._rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print as many columns as there is room for, and a note about the others."""
        for count in range(len(self._spare) + 1):
            gone = self._spare[:count]
            table = self._table(gone)
            if Measurement.get(console, options.update(max_width=10_000), table).maximum <= options.max_width:
                break
        yield table
        if gone:
            left = [" ".join(heading.split()) for heading in self._headings if heading in gone]
            yield Text(f"Left out for lack of room: {', '.join(left)}.")

    def _table(self, gone: Sequence[str]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        shown = [at for at, heading in enumerate(self._headings) if heading not in gone]
        for heading in [self._headings[at] for at in shown]:
            if heading == self._name:
                table.add_column(heading, overflow="fold", max_width=_NAME_WIDTH)
            else:
                table.add_column(heading, justify="left" if heading in self._words else "right", no_wrap=True)
        for cells in self._rows:
            table.add_row(*[cells[at] for at in shown])
        return table
