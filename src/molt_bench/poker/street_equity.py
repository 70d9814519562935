"""The equity of one hand against another, street by street."""

from functools import lru_cache

from molt_bench.kernels import compiled
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import equity

#: How many board cards are open on the streets on which equity may change.
_STREETS = (0, 3, 4, 5)


def street_equities(holes: tuple[Hole, Hole], board: Board) -> tuple[float, ...]:
    """Return seat 0's exact equity before the flop, on the flop, on the turn and on the river, as far as `board` goes.

    >>> from molt_bench.poker.cards import deal_from_text
    >>> [round(share, 4) for share in street_equities(*deal_from_text("AhAd KsKc 2c3d9hKh8s"))]
    [0.8126, 0.9162, 0.0455, 0.0]
    """
    first, second = holes
    if compiled is not None:
        shares: tuple[float, ...] | None = compiled.street_equities(first, second, board)
        if shares is not None:
            return shares
    return tuple([_equity(first, second, board[:size]) for size in _STREETS if size <= len(board)])


#: A deal is played in two seatings.
_equity = lru_cache(maxsize=1 << 16)(equity)
