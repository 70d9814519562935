"""Exact equity against published figures and against plain enumeration."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molt_bench.errors import RulesError
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.equity import _enumerate, equity, showdowns
from molt_bench.poker.evaluator import showdown

PUBLISHED = [
    # Wins, ties and losses of all 1,712,304 run-outs.
    ("AhAd", "KsKc", (1388072, 6538, 317694)),
    ("AhKh", "AdKd", (122556, 1467192, 122556)),
]


@pytest.mark.parametrize(("first", "second", "counts"), PUBLISHED)
def test_preflop_equity_is_as_published(first, second, counts):
    assert showdowns(cards_from_text(first), cards_from_text(second)) == counts


def test_aces_against_kings():
    assert round(equity(cards_from_text("AhAd"), cards_from_text("KsKc")), 6) == 0.812555


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("AhKh", "QsQc"),
        ("9s8s", "AsKs"),
        ("2c7d", "AhAd"),
        ("JhTh", "2c2d"),
        ("5c5d", "5h5s"),
        ("AcKd", "AdKc"),
    ],
)
def test_preflop_by_rank_multisets_equals_enumeration_of_all_runouts(first, second):
    one, two = cards_from_text(first), cards_from_text(second)
    assert showdowns(one, two) == _enumerate(one, two, ())


@settings(max_examples=25)
@given(st.permutations(range(52)), st.integers(3, 5))
def test_equity_from_a_board_equals_a_loop_over_the_runouts(cards, open_cards):
    first, second = (cards[0], cards[1]), (cards[2], cards[3])
    board = tuple(cards[4 : 4 + open_cards])
    live = [card for card in range(52) if card not in (*first, *second, *board)]
    counts = [0, 0, 0]
    for runout in combinations(live, 5 - open_cards):
        one, two = showdown((first, second), (*board, *runout))
        counts[(one < two) * 2 + (one == two)] += 1
    assert showdowns(first, second, board) == tuple(counts)


@settings(max_examples=25)
@given(st.permutations(range(52)))
def test_both_equities_add_up_to_one(cards):
    first, second = cards[:2], cards[2:4]
    assert equity(first, second) + equity(second, first) == pytest.approx(1, abs=1e-12)


def test_one_or_two_board_cards_are_taken_too():
    assert sum(showdowns(cards_from_text("AhAd"), cards_from_text("KsKc"), cards_from_text("2c"))) == 178365


@pytest.mark.parametrize(
    ("first", "second", "board"),
    [((1,), (2, 3), ()), ((1, 2), (2, 3), ()), ((1, 2), (3, 4), (1, 5, 6)), ((1, 2), (3, 52), ())],
)
def test_cards_that_cannot_be_are_refused(first, second, board):
    with pytest.raises(RulesError):
        equity(first, second, board)
