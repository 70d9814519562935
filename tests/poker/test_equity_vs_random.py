"""The strength of a hand by itself: cheap, fair to both seats, and close to the exact one."""

import pytest

from molt_bench.poker.deck import Shoe
from molt_bench.poker.equity_vs_random import equities_vs_random
from molt_bench.poker.starting_hands import equity_against_best


@pytest.mark.parametrize("size", [3, 4, 5])
def test_it_is_close_to_the_equity_against_any_hand(size):
    shoe = Shoe("strength")
    misses = []
    for number in range(40):
        holes, board = shoe.deal(number)
        for hole, found in zip(holes, equities_vs_random(holes, board[:size]), strict=True):
            misses.append(found - equity_against_best(hole, board[:size], 100))
    assert sum(misses) / len(misses) == pytest.approx(0, abs=0.03)
    assert max(map(abs, misses)) < 0.25


def test_before_the_flop_it_is_the_share_of_worse_starting_hands():
    shoe = Shoe("strength")
    found = [each for number in range(2000) for each in equities_vs_random(shoe.deal(number)[0], ())]
    assert sum(found) / len(found) == pytest.approx(0.5, abs=0.02)
    assert min(found) < 0.01
    assert max(found) > 0.99


def test_seats_exchanged_are_strengths_exchanged():
    (one, two), board = Shoe("strength").deal(1)
    assert equities_vs_random((one, two), board[:3]) == equities_vs_random((two, one), board[:3])[::-1]
