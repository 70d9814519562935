"""Hands as CSV."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from molt_bench.report.dealt_hands import DealtHand
from molt_bench.report.hand_rows import COLUMNS, hand_rows

#: A spreadsheet treats a cell that starts with one of these as a formula, or drops the apostrophe.
_FORMULA: Final = tuple("=+-@\t\r\n'")


def hands_csv(hands: Iterable[DealtHand]) -> Iterator[str]:
    """Write CSV according to RFC 4180, safe to open in a spreadsheet.

    Text that a spreadsheet would treat as a formula, or that starts with an apostrophe, gets an apostrophe in front, so
    dropping the first apostrophe always restores the text.
    """
    text = io.StringIO()
    write = csv.writer(text).writerow

    def line(values: Iterable[object]) -> str:
        write(values)
        written = text.getvalue()
        text.seek(0)
        text.truncate()
        return written

    yield line(COLUMNS)
    for each in hand_rows(hands):
        yield line([_CELLS[type(value)](value) for value in each.values()])


def _as_text(value: str) -> str:
    """Return text as a spreadsheet has to be told it, so that it is not taken for a formula."""
    return f"'{value}" if value.startswith(_FORMULA) else value


#: How the values of a row are written.
_CELLS: Final[dict[type, Callable[[Any], object]]] = {
    bool: lambda value: "true" if value else "false",
    float: lambda value: f"{round(value, 4) + 0.0:.4f}",
    str: _as_text,
    int: int,
}
