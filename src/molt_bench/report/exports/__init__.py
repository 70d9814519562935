"""Exports: the hands of a run for other programs."""

from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias

from molt_bench.report.dealt_hands import DealtHand
from molt_bench.report.exports.hands_csv import hands_csv
from molt_bench.report.exports.phh import phh

Format: TypeAlias = Literal["phh", "csv"]

#: File names in the folder of the run.
FILES: Final[dict[Format, str]] = {"phh": "hands.phhs", "csv": "hands.csv"}

#: Formats that also hold the hands that do not count, and mark them.
TABLES: Final[frozenset[Format]] = frozenset({"csv"})

#: What makes pieces of text of hands.
TEXTS: Final[dict[Format, Callable[[Iterator[DealtHand]], Iterator[str]]]] = {"phh": phh, "csv": hands_csv}
