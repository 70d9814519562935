"""Terms of luck whose weights are fitted, packed as bytes: a decision has twenty, and lists of them would be slow."""

from collections.abc import Iterable
from struct import Struct
from typing import TYPE_CHECKING, Final

from molt_bench.kernels import compiled

if TYPE_CHECKING:
    from molt_bench.poker.range_equity import Floats

#: The row of its hand, the place of its weight, and the part in chips.
_TERM: Final = Struct("=iid")


def packed_terms(row: int, terms: Iterable[tuple[int, float]]) -> bytes:
    """Pack terms of one hand, each with its place."""
    return b"".join([_TERM.pack(row, place, part) for place, part in terms])


def term_table(terms: bytes, hands: int, size: int) -> "Floats":
    """Return terms as a table: a row for each hand, a column for each weight. Those of one cell are added in order."""
    import numpy as np  # loaded when needed, for a fast start

    if compiled is not None:
        cells = compiled.term_table(terms, hands, size)
        if cells is not None:
            return np.frombuffer(cells).reshape(hands, size)
    read = np.frombuffer(terms, [("row", "=i4"), ("place", "=i4"), ("part", "=f8")])
    found: Floats = np.zeros(hands * size)
    if len(read):
        found += np.bincount(size * read["row"].astype(np.int64) + read["place"], read["part"], hands * size)
    return found.reshape(hands, size)
