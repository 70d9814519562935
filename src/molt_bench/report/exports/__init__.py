"""Exports: the hands of a run for other programs."""

from collections.abc import Callable, Iterator
from typing import Final

from molt_bench.report.dealt_hands import DealtHand
from molt_bench.report.exports.hands_csv import hands_csv
from molt_bench.report.exports.phh import phh

#: What makes pieces of text of hands, by format, and the names of the files in the folder of the run.
TEXTS: Final[dict[str, Callable[[Iterator[DealtHand]], Iterator[str]]]] = {"phh": phh, "csv": hands_csv}
FILES: Final = {"phh": "hands.phhs", "csv": "hands.csv"}
