"""The equities of two hands in hindsight, street by street."""

from collections.abc import Iterable
from typing import Final

from molt_bench.kernels import compiled
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import equity
from molt_bench.poker.evaluator import showdown
from molt_bench.poker.flop_equity import flop_scores_of
from molt_bench.poker.memo import Memo

#: Slow to compute, and needed again: a deal is played in two seatings. Some 500 bytes for each flop. Hardly any two
#: deals of a run match but for the names of the suits.
_FLOPS: Final = Memo(flop_scores_of, 1 << 16)


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
    found = [equity(first, second)]
    if board:
        on_flop, by_turn = _FLOPS.of((first, second, board[:3]))
        found.append(on_flop / (2 * 990))
        if len(board) > 3:
            found.append(by_turn[board[3]] / (2 * 44))
        if len(board) > 4:
            one, two = showdown(holes, board)
            found.append(((one > two) + (one >= two)) / 2)
    return tuple(found)


def prepare_equities(deals: Iterable[tuple[tuple[Hole, Hole], Board]]) -> None:
    """Compute the equities of deals that are about to be asked for, together: in Python, much faster."""
    if compiled is None:
        _FLOPS.prepare([(*holes, board[:3]) for holes, board in deals if board])


def forget_equities() -> None:
    """Clear the cache, for benchmarks; that of the kernel is small."""
    _FLOPS.clear()
