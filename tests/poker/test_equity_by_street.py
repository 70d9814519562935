"""Equities in hindsight are exact on every street, and strengths by themselves close to them; both are fair."""

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.equity import equity, street_equities
from molt_bench.poker.equity_vs_random import equities_vs_random
from molt_bench.poker.starting_hands import equity_against_best

ACES, KINGS = cards_from_text("AhAd"), cards_from_text("KsKc")
SHOE = Shoe("strength")


@settings(max_examples=25)
@given(st.permutations(range(52)), st.sampled_from([0, 3, 4, 5]))
def test_every_street_has_its_exact_equity_and_the_other_seat_the_rest(cards, size):
    holes = ((cards[0], cards[1]), (cards[2], cards[3]))
    board = tuple(cards[4 : 4 + size])
    found = street_equities(holes, board)
    assert found == tuple(equity(*holes, board[:known]) for known in (0, 3, 4, 5) if known <= size)
    other = street_equities(holes[::-1], board)
    assert [mine + theirs for mine, theirs in zip(found, other, strict=True)] == pytest.approx(
        [1] * len(found), abs=1e-12
    )


@pytest.mark.parametrize("flop", ["2c3d9h", "AsKhKd", "QcJcTc"])
def test_the_mean_over_the_next_card_is_the_equity_before_it(flop):
    board = cards_from_text(flop)
    live = [card for card in range(52) if card not in (*ACES, *KINGS, *board)]
    found = [street_equities((ACES, KINGS), (*board, turn)) for turn in live]
    assert fmean(shares[2] for shares in found) == pytest.approx(found[0][1], abs=1e-12)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_the_strength_of_a_hand_by_itself_is_close_to_its_equity_against_any_hand(size):
    misses = []
    for number in range(40):
        holes, board = SHOE.deal(number)
        found = equities_vs_random(holes, board[:size])
        assert equities_vs_random(holes[::-1], board[:size]) == found[::-1]
        misses += [one - equity_against_best(hole, board[:size], 100) for one, hole in zip(found, holes, strict=True)]
    assert fmean(misses) == pytest.approx(0, abs=0.03)
    assert max(map(abs, misses)) < 0.25


def test_before_the_flop_it_is_the_share_of_worse_starting_hands():
    found = [each for number in range(2000) for each in equities_vs_random(SHOE.deal(number)[0], ())]
    assert fmean(found) == pytest.approx(0.5, abs=0.02)
    assert min(found) < 0.01
    assert max(found) > 0.99
