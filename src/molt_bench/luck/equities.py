"""Equities in hindsight: both hands against each other, street by street."""

from functools import lru_cache

from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.equity import equity, flop_scores
from molt_bench.poker.evaluator import showdown


def street_equities(holes: tuple[Hole, Hole], board: Board) -> tuple[float, ...]:
    """Return seat 0's exact equity before the flop, on the flop, on the turn and on the river, as far as `board` goes.

    A deal is played in two seatings, and by every pairing that uses its seed, so slow results are cached. Before the
    flop, deals that differ only in the names of the suits share a table entry. After it hardly any two deals of a
    run match even so, and normalising suits would take longer than it saves.

    >>> from molt_bench.poker.cards import deal_from_text
    >>> [round(share, 4) for share in street_equities(*deal_from_text("AhAd KsKc 2c3d9hKh8s"))]
    [0.8126, 0.9162, 0.0455, 0.0]
    """
    first, second = holes
    found = [equity(first, second)]
    if board:
        on_flop, by_turn = _flop_scores(first, second, board[:3])
        found.append(on_flop / (2 * 990))
        if len(board) > 3:
            found.append(by_turn[board[3]] / (2 * 44))
        if len(board) > 4:
            one, two = showdown(holes, board)
            found.append(((one > two) + (one >= two)) / 2)
    return tuple(found)


def forget() -> None:
    """Clear the cache, for benchmarks."""
    _flop_scores.cache_clear()


#: Some 500 bytes for each flop.
_flop_scores = lru_cache(maxsize=1 << 16)(flop_scores)
