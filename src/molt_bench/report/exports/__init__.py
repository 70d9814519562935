"""Exports: the hands of a run for other programs, and its tables for papers."""

from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias

from molt_bench.report.exports.acpc import acpc
from molt_bench.report.exports.csv_and_parquet import hands_csv
from molt_bench.report.exports.dealt_hands import DealtHand
from molt_bench.report.exports.ohh import ohh
from molt_bench.report.exports.phh import phh
from molt_bench.report.exports.pokerstars import pokerstars

Format: TypeAlias = Literal["phh", "pokerstars", "acpc", "ohh", "csv", "parquet", "latex", "exchanges"]

#: File names in the folder of the run.
FILES: Final[dict[Format, str]] = {
    "phh": "hands.phhs",
    "pokerstars": "hands.txt",
    "acpc": "hands.log",
    "ohh": "hands.ohh",
    "csv": "hands.csv",
    "parquet": "hands.parquet",
    "latex": "tables.tex",
    "exchanges": "exchanges-whole.jsonl",
}
#: Formats that also hold the hands that do not count, and mark them.
TABLES: Final[frozenset[Format]] = frozenset({"csv", "parquet"})
#: Formats that can be limited to what one player saw.
WITH_HERO: Final[frozenset[Format]] = frozenset({"pokerstars", "ohh"})

#: The text formats that are made of hands: these, and the hero if there is one, become pieces of text.
TEXTS: Final[dict[Format, Callable[[Iterator[DealtHand], str | None], Iterator[str]]]] = {
    "phh": lambda hands, _: phh(hands),
    "pokerstars": lambda hands, hero: pokerstars(hands, hero=hero),
    "acpc": lambda hands, _: acpc(hands),
    "ohh": lambda hands, hero: ohh(hands, hero=hero),
    "csv": lambda hands, _: hands_csv(hands),
}
