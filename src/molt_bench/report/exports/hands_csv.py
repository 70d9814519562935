"""Hands as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Final

from molt_bench.report.dealt_hands import DealtHand
from molt_bench.report.hand_rows import hand_rows

#: A spreadsheet treats a cell that starts with one of these as a formula, or drops the apostrophe.
_FORMULA: Final = tuple("=+-@\t\r\n'")


def hands_csv(hands: Iterable[DealtHand]) -> Iterator[str]:
    """Write CSV according to RFC 4180, safe to open in a spreadsheet; the names of the columns are its first line.

    Text that a spreadsheet would treat as a formula, or that starts with an apostrophe, gets an apostrophe in front, so
    dropping the first apostrophe always restores the text.
    """
    text = io.StringIO()
    write = csv.writer(text).writerow
    for number, row in enumerate(hand_rows(hands)):
        if not number:
            write(row)
        write(map(_cell, row.values()))
        yield text.getvalue()
        text.seek(0)
        text.truncate()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{round(value, 4) + 0.0:.4f}"
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
