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
from molt_bench.poker.equity import PREFLOP_PATH, SUIT_PATTERNS, _runout_strengths, equity
from molt_bench.poker.evaluator import showdown


@pytest.fixture(scope="module")
def script():
    """`scripts/build_preflop.py`, which counts all run-outs of two hands."""
    spec = spec_from_file_location("build_preflop", Path(__file__).parents[2] / "scripts" / "build_preflop.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def share(counts):
    return (counts.wins + counts.ties / 2) / sum(counts)


PUBLISHED = [
    # Wins, ties and losses of all 1,712,304 run-outs.
    ("AhAd", "KsKc", (1388072, 6538, 317694)),
    ("AhKh", "AdKd", (122556, 1467192, 122556)),
]


@pytest.mark.parametrize(("first", "second", "counts"), PUBLISHED)
def test_preflop_equity_is_as_published(script, first, second, counts):
    assert script.showdowns(cards_from_text(first), cards_from_text(second)) == counts


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
def test_preflop_by_rank_multisets_equals_enumeration_of_all_runouts(script, first, second):
    hands = cards_from_text(first), cards_from_text(second)
    one, two = _runout_strengths(*hands, ())
    assert script.showdowns(*hands) == ((one > two).sum(), (one == two).sum(), (one < two).sum())


@settings(max_examples=25)
@given(st.permutations(range(52)), st.integers(3, 5))
def test_equity_from_a_board_equals_a_loop_over_the_runouts(cards, open_cards):
    first, second = (cards[0], cards[1]), (cards[2], cards[3])
    board = tuple(cards[4 : 4 + open_cards])
    live = [card for card in range(52) if card not in (*first, *second, *board)]
    ends = [showdown((first, second), (*board, *runout)) for runout in combinations(live, 5 - open_cards)]
    assert equity(first, second, board) == sum((one > two) + (one >= two) for one, two in ends) / (2 * len(ends))


@settings(max_examples=25)
@given(st.permutations(range(52)))
def test_both_equities_add_up_to_one(cards):
    first, second = cards[:2], cards[2:4]
    assert equity(first, second) + equity(second, first) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "board"),
    [((1,), (2, 3), ()), ((1, 2), (2, 3), ()), ((1, 2), (3, 4), (1, 5, 6)), ((1, 2), (3, 52), ())],
)
def test_cards_that_cannot_be_are_refused(first, second, board):
    with pytest.raises(RulesError):
        equity(first, second, board)


class TestPreflopTable:
    @pytest.mark.slow
    def test_it_equals_the_count_of_all_runouts(self, script):
        shoe = Shoe("preflop table")
        for number in range(300):
            (first, second), _ = shoe.deal(number)
            assert equity(first, second) == share(script.showdowns(first, second))

    @pytest.mark.parametrize(
        ("first", "second"), [("AhAd", "AsAc"), ("7h7d", "7s2c"), ("KhQh", "KdQd"), ("3c2c", "AsAc")]
    )
    def test_hands_that_share_ranks_are_found_too(self, script, first, second):
        one, two = cards_from_text(first), cards_from_text(second)
        assert equity(one, two) == share(script.showdowns(one, two))
        assert equity(two[::-1], one[::-1]) == share(script.showdowns(two, one))

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
    def test_it_is_as_its_script_would_build_it(self, script):
        """Every 499th of its 62,790 places; scripts/build_preflop.py builds them all."""
        content = Path(PREFLOP_PATH).read_bytes()
        places = list(script.places())
        assert len(places) * 3 == len(content) == 3 * len(SUIT_PATTERNS) * 91 * 92 // 2
        for at in range(0, len(places), 499):
            assert int.from_bytes(content[3 * at : 3 * at + 3], "little") == script.score(places[at], {})
