"""The answers of an exam as CSV for spreadsheets."""

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any, Final

from molt_bench.report.exports.csv_and_parquet import as_text

#: The name of the file in the folder of an exam.
FILE: Final = "answers.csv"


def answers_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; text that a spreadsheet would treat as a formula is marked, as in the hands of a run."""
    text = StringIO(newline="")
    table = csv.DictWriter(text, list(rows[0]) if rows else ["participant"])
    table.writeheader()
    for row in rows:
        table.writerow({name: as_text(value) if isinstance(value, str) else value for name, value in row.items()})
    return text.getvalue()
