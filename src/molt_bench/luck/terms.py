"""Terms of luck whose weights are fitted, packed as bytes: a decision has twenty, and lists of them would be slow."""

from collections.abc import Iterable
from struct import Struct
from typing import Final

import numpy as np

from molt_bench.luck.cards.card_luck import ChanceTerm
from molt_bench.luck.coefficients import SOLID
from molt_bench.luck.dice.draws import FEATURES
from molt_bench.poker.arrays import Floats

#: Buckets of a deal; and how many weights of cards there are, without the hole cards, which cancel out.
_BUCKETS: Final = len(SOLID.chance[0])
CARDS: Final = _BUCKETS * (len(SOLID.chance) - 1)
#: How many weights there are: those of the features of decisions follow.
SIZE: Final = CARDS + FEATURES

#: The row of its hand, the place of its weight, and the part in chips of player A.
_TERM: Final = Struct("=iid")


def packed_deals(row: int, terms: Iterable[ChanceTerm], sign: int) -> bytes:
    """Pack the deals of a hand, without the hole cards; `sign` is -1 if player A sat in seat 1."""
    return b"".join(
        [
            _TERM.pack(
                row,
                _BUCKETS * (term.dealt - 1) + SOLID.bucket(term.behind, term.pot, raised=term.raised),
                sign * term.pot * term.change,
            )
            for term in terms
            if term.dealt
        ]
    )


def packed_features(row: int, features: Iterable[tuple[int, float]], player: int) -> bytes:
    """Pack the features of a decision of a player: 0 for player A, 1 for player B."""
    return b"".join([_TERM.pack(row, CARDS + at, part if player else -part) for at, part in features])


def term_table(terms: bytes, hands: int) -> Floats:
    """Return terms as a table: a row for each hand, a column for each weight. Those of one cell are added in order."""
    read = np.frombuffer(terms, [("row", "=i4"), ("place", "=i4"), ("part", "=f8")])
    found: Floats = np.zeros(hands * SIZE)
    if len(read):
        found += np.bincount(SIZE * read["row"].astype(np.int64) + read["place"], read["part"], hands * SIZE)
    return found.reshape(hands, SIZE)
