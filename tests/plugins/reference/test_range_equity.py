"""One hand against every other at once says what the hands say one by one."""

import numpy as np
import pytest

from molt_bench.plugins.reference.range_equity import HOLES, edges, hole_cards, hole_number
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.equity import equity


def test_holes_are_numbered_by_their_cards():
    assert [hole_number((high, low)) for low, high in hole_cards().tolist()] == list(range(HOLES))


@pytest.mark.parametrize("board", ["", "2c7dTs", "2c7dTs3h", "2c7dTs3hKd"])
@pytest.mark.parametrize("hole", ["AhKs", "2d2h", "9s8s"])
def test_every_edge_is_that_of_the_two_hands(hole, board):
    hole, board = cards_from_text(hole), cards_from_text(board)
    found = edges(hole, board)
    for number in np.random.RandomState(3).randint(HOLES, size=40):
        other = tuple(hole_cards()[number].tolist())
        expected = 0.0 if {*other} & {*hole, *board} else 2 * equity(hole, other, board) - 1
        assert found[number] == pytest.approx(expected, abs=1e-12)
