"""Equities in hindsight are exact on every street, and fair: a street's mean is the equity before it."""

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.equity import equity
from molt_bench.poker.street_equity import street_equities

ACES, KINGS = cards_from_text("AhAd"), cards_from_text("KsKc")


@settings(max_examples=25)
@given(st.permutations(range(52)), st.sampled_from([0, 3, 4, 5]))
def test_every_street_has_its_exact_equity(cards, size):
    holes = ((cards[0], cards[1]), (cards[2], cards[3]))
    board = tuple(cards[4 : 4 + size])
    streets = [board[:known] for known in (0, 3, 4, 5) if known <= size]
    assert street_equities(holes, board) == tuple(equity(*holes, known) for known in streets)


@pytest.mark.parametrize("flop", ["2c3d9h", "AsKhKd", "QcJcTc"])
def test_the_mean_over_the_next_card_is_the_equity_before_it(flop):
    board = cards_from_text(flop)
    live = [card for card in range(52) if card not in (*ACES, *KINGS, *board)]
    found = [street_equities((ACES, KINGS), (*board, turn)) for turn in live]
    assert fmean(shares[2] for shares in found) == pytest.approx(found[0][1], abs=1e-12)


def test_the_other_seat_has_the_rest():
    board = cards_from_text("2c3d9h8sKh")
    for mine, theirs in zip(street_equities((ACES, KINGS), board), street_equities((KINGS, ACES), board), strict=True):
        assert mine + theirs == pytest.approx(1, abs=1e-12)
