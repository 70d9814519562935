"""Which formats there are, and the file each is written to by default."""

from collections.abc import Callable, Iterator
from typing import Final, Literal, TypeAlias

from molt_bench.report.exports.acpc import acpc
from molt_bench.report.exports.dealt import DealtHand
from molt_bench.report.exports.ohh import ohh
from molt_bench.report.exports.phh import phh
from molt_bench.report.exports.pokerstars import pokerstars
from molt_bench.report.exports.rows import hands_csv

Format: TypeAlias = Literal["phh", "pokerstars", "acpc", "ohh", "csv", "parquet", "latex"]

#: The name of the file in the folder of the run.
FILES: Final[dict[Format, str]] = {
    "phh": "hands.phhs",
    "pokerstars": "hands.txt",
    "acpc": "hands.log",
    "ohh": "hands.ohh",
    "csv": "hands.csv",
    "parquet": "hands.parquet",
    "latex": "tables.tex",
}
#: Those that hold hands which do not count, too, and say which.
TABLES: Final[frozenset[Format]] = frozenset({"csv", "parquet"})
#: Those in which one may ask for what a single player saw.
WITH_HERO: Final[frozenset[Format]] = frozenset({"pokerstars", "ohh"})

#: Turns hands, and the hero if there is one, into pieces of text.
Writer: TypeAlias = Callable[[Iterator[DealtHand], str | None], Iterator[str]]

#: The formats that are text made of hands.
TEXTS: Final[dict[Format, Writer]] = {
    "phh": lambda hands, _: phh(hands),
    "pokerstars": lambda hands, hero: pokerstars(hands, hero=hero),
    "acpc": lambda hands, _: acpc(hands),
    "ohh": lambda hands, hero: ohh(hands, hero=hero),
    "csv": lambda hands, _: hands_csv(hands),
}
