"""A table for the terminal that fits: where there is no room for all columns, the least important are left out.

Who a row is about is always there, and whole: names wrap between words. A note says what was left out.
"""

from collections.abc import Sequence

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text


class FittingTable:
    """A name of limited width, and columns of numbers behind it, or `before` it.

    Args:
        first: The heading of the names.
        numbers: The headings of the numbers.
        width: The longest line of a name.
        before: Headings before the names; never left out.
        spare: The headings that may be left out, the least important first; by default all numbers but the first, from
            the right.
        words: The headings of columns of words, which begin at the left.
    """

    def __init__(
        self,
        first: str,
        *numbers: str,
        width: int = 20,
        before: Sequence[str] = (),
        spare: Sequence[str] | None = None,
        words: Sequence[str] = (),
    ) -> None:
        self._headings = (*before, first, *numbers)
        self._name = len(before)
        self._width = width
        self._words = words
        places = range(len(self._headings) - 1, self._name + 1, -1)
        self._spare = [*places] if spare is None else [self._headings.index(heading) for heading in spare]
        self._rows: list[tuple[RenderableType, ...]] = []

    def add_row(self, *cells: RenderableType) -> None:
        """Add a row with a cell for every column."""
        self._rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Print as many columns as there is room for, and a note about the others."""
        gone: set[int] = set()
        for place in (None, *self._spare):
            gone |= {place} if place is not None else set()
            table = self._table(gone)
            if Measurement.get(console, options.update(max_width=10_000), table).maximum <= options.max_width:
                break
        yield table
        if gone:
            named = ", ".join(" ".join(self._headings[at].split()) for at in sorted(gone))
            yield Text(f"Left out for lack of room: {named}.")

    def _table(self, gone: set[int]) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
        for at, heading in enumerate(self._headings):
            if at == self._name:
                table.add_column(heading, overflow="fold", max_width=self._width)
            elif at not in gone:
                table.add_column(heading, justify="left" if heading in self._words else "right", no_wrap=True)
        for cells in self._rows:
            table.add_row(*[cell for at, cell in enumerate(cells) if at not in gone])
        return table
