import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molt_bench.errors import RulesError
from molt_bench.plugins.reference import buckets as bk
from molt_bench.plugins.reference.table import load
from molt_bench.poker.cards import cards_from_text

DEALS = st.permutations(range(52)).map(lambda cards: (tuple(cards[:2]), tuple(cards[2:7])))


@pytest.fixture(scope="module")
def shipped():
    return bk.shipped()


def test_there_are_169_classes_before_the_flop(shipped):
    sizes = np.bincount(shipped.buckets(()))
    assert sizes.tolist() == [6] * 13 + [4] * 78 + [12] * 78


@settings(max_examples=8, deadline=None)
@given(deal=DEALS, renaming=st.sampled_from(bk.RENAMINGS), cards=st.sampled_from([3, 4, 5]))
def test_suits_named_anew_give_the_same_bucket(deal, renaming, cards):
    hole, board = deal[0], deal[1][:cards]
    named = [[card & ~3 | renaming[card & 3] for card in part] for part in (hole, board)]
    assert bk.shipped().bucket(tuple(named[0]), tuple(named[1])) == bk.shipped().bucket(hole, board)


@settings(max_examples=4, deadline=None)
@given(deal=DEALS, cards=st.sampled_from([0, 3, 4, 5]))
def test_one_hole_gets_what_all_holes_get(deal, cards):
    board = deal[1][:cards]
    everything = bk.shipped().buckets(board)
    assert len(everything) == 1326
    live = [hole for hole in bk.holes()[::97].tolist() if not {*hole} & {*board}]
    for hole in (deal[0], *live):
        assert bk.shipped().bucket(tuple(hole), board) == everything[bk.hole_number(hole)]


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_buckets_are_numbered_by_strength(shipped, cards):
    """The nuts lie above a good hand, and that above nothing."""
    board = cards_from_text("KhKd7s2c3d")[:cards]
    best, good, nothing = (shipped.bucket(cards_from_text(hole), board) for hole in ("KsKc", "7h7d", "5c4s"))
    assert best >= good > nothing
    assert best >= 0.9 * load().about["buckets"][cards - 2]


def test_a_hole_that_shares_a_card_with_the_board_is_refused(shipped):
    with pytest.raises(RulesError, match="share a card"):
        shipped.bucket((0, 1), (0, 5, 9, 13))
