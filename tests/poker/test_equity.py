"""Exact equity against published figures and against plain enumeration."""

from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molt_bench.errors import RulesError
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.equity import (
    PREFLOP_PATH,
    SUIT_PATTERNS,
    _enumerate,
    equity,
    showdowns,
)
from molt_bench.poker.evaluator import showdown
from molt_bench.poker.flop_equity import flop_scores_of

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


@pytest.mark.slow
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


class TestPreflopTable:
    @pytest.mark.slow
    def test_it_equals_the_count_of_all_runouts(self):
        shoe = Shoe("preflop table")
        for number in range(300):
            (first, second), _ = shoe.deal(number)
            assert equity(first, second) == showdowns(first, second).equity

    @pytest.mark.parametrize(
        ("first", "second"), [("AhAd", "AsAc"), ("7h7d", "7s2c"), ("KhQh", "KdQd"), ("3c2c", "AsAc")]
    )
    def test_hands_that_share_ranks_are_found_too(self, first, second):
        one, two = cards_from_text(first), cards_from_text(second)
        assert equity(one, two) == showdowns(one, two).equity
        assert equity(two[::-1], one[::-1]) == showdowns(two, one).equity

    def test_both_sides_make_one(self):
        """All hands of equal ranks, whose two sides have a place each, and a sample of the others, which share one."""
        hands = list(combinations(range(52), 2))
        of_equal_ranks = [
            (a, b) for a, b in combinations(hands, 2) if a[0] >> 2 == b[0] >> 2 and a[1] >> 2 == b[1] >> 2
        ]
        sample = [(first, second) for first in hands[::11] for second in hands[::13]]
        for first, second in (*of_equal_ranks, *sample):
            if not {*first} & {*second}:
                assert 0 < equity(first, second) < 1
                assert equity(first, second) + equity(second, first) == pytest.approx(1, abs=1e-12)

    def test_the_names_of_suits_do_not_matter(self):
        shoe = Shoe("names of suits")
        for number in range(200):
            (first, second), _ = shoe.deal(number)
            renamed = [tuple(card & ~3 | (card + 1) & 3 for card in hole) for hole in (first, second)]
            assert equity(*renamed) == equity(first, second)

    @pytest.mark.slow
    def test_it_is_as_its_script_would_build_it(self):
        """Every 499th of its 62,790 places; scripts/build_preflop.py builds them all."""
        script = Path(__file__).parents[2] / "scripts" / "build_preflop.py"
        spec = spec_from_file_location("build_preflop", script)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        content = Path(PREFLOP_PATH).read_bytes()
        places = list(module.places())
        assert len(places) * 3 == len(content) == 3 * len(SUIT_PATTERNS) * 91 * 92 // 2
        for at in range(0, len(places), 499):
            assert int.from_bytes(content[3 * at : 3 * at + 3], "little") == module.score(places[at], {})


#: Any cards; and cards of which most are of one suit, or of two.
SHUFFLED = st.one_of(
    st.permutations(range(52)),
    st.permutations(range(0, 52, 4)),
    st.permutations([*range(0, 52, 4), *range(1, 52, 4)]),
)


@settings(max_examples=40)
@given(st.lists(SHUFFLED, min_size=1, max_size=4))
def test_flop_scores_are_those_of_the_flop_and_of_every_turn(decks):
    deals = [(cards[:2], cards[2:4], cards[4:7]) for cards in decks]
    for (first, second, flop), (whole, by_turn) in zip(deals, flop_scores_of(deals), strict=True):
        assert whole / 1980 == equity(first, second, flop)
        for card in range(52):
            dead = card in (*first, *second, *flop)
            assert by_turn[card] / 88 == (0 if dead else equity(first, second, [*flop, card]))


def test_a_flop_has_three_cards():
    with pytest.raises(RulesError):
        flop_scores_of([((0, 1), (2, 3), (4, 5, 6, 7))])


def test_no_card_is_dealt_twice():
    with pytest.raises(RulesError):
        flop_scores_of([((0, 1), (2, 3), (4, 5, 0))])
