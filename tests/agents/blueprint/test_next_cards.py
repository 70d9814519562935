"""One hole on many boards falls into the buckets that it falls into on each."""

from itertools import combinations

import numpy as np
import pytest

from molt_bench.agents.blueprint.buckets import bucket
from molt_bench.agents.blueprint.next_cards import buckets_on
from molt_bench.poker.cards import cards_from_text


@pytest.mark.parametrize("hole", ["AhKs", "7d7h", "3s2s"])
@pytest.mark.parametrize("board", ["", "2c7sTs", "2c2dTc", "2c2dTcTd", "9c8d5s4h"])
def test_buckets_on_many_boards_are_those_on_each(hole, board):
    hole, board = cards_from_text(hole), cards_from_text(board)
    live = [card for card in range(52) if card not in {*hole, *board}]
    following = list(combinations(live, 1 if board else 3))
    if not board:
        following = following[::701]
    boards = np.array([(*board, *cards) for cards in following])
    assert buckets_on(hole, boards).tolist() == [bucket(hole, tuple(each)) for each in boards.tolist()]
