"""What a stand-in looks at in its cards."""

import pytest

from molt_bench.plugins.lookahead.features import ONE, card_features
from molt_bench.poker.cards import cards_from_text

OTHER = tuple(cards_from_text("2c2d"))


def of(hole, board):
    """Return what is looked at in a hand before the flop, or after a board's last card."""
    cards = tuple(cards_from_text(board)) if board else ()
    holes = tuple(cards_from_text(hole)), OTHER
    street = {0: 0, 3: 1, 4: 2, 5: 3}[len(cards)]
    left = [card for card in range(52) if card not in {*cards, *holes[0], *OTHER}]
    return card_features(holes, (*cards, *left[: 5 - len(cards)]))[street][0]


@pytest.mark.parametrize(
    ("hole", "pair", "suited", "ace", "near", "high", "low"),
    [
        ("AsAh", 1, 0, 1, 1, 1, 1),
        ("Ks3s", 0, 1, 0, 0, 11 / 12, 1 / 12),
        ("3dKs", 0, 0, 0, 0, 11 / 12, 1 / 12),
        ("9h8h", 0, 1, 0, 0.75, 7 / 12, 6 / 12),
    ],
)
def test_before_the_flop_its_ranks_count(hole, pair, suited, ace, near, high, low):
    wanted = [int(ONE * each) for each in (pair, suited, ace, near, high, low)]
    assert of(hole, "")[1:] == [*wanted, 0, 0]


@pytest.mark.parametrize(
    ("hole", "board", "kinds", "high_card", "nothing", "share", "best"),
    [
        ("AsKh", "2h7d9c", (0, 0, 0), 1, 1, 0, 0),
        ("5s4h", "2hJd9c", (0, 0, 0), 3 / 12, 1, 0, 0),
        ("JsJh", "2h7d9c", (1, 1, 0), 0, 0, 1, 0),
        ("8s8h", "2h7d9c", (1, 0, 0), 0, 0, 2 / 3, 0),
        ("3s3h", "4h7d9c", (1, 0, 0), 0, 0, 0, 0),
        ("9s3h", "4h7d9c", (1, 1, 0), 0, 0, 1, 0),
        ("7s3h", "4h7d9c", (1, 0, 0), 0, 0, 2 / 3, 0),
        ("9s7h", "4h7d9c", (1, 1, 1), 0, 0, 1, 0),
        ("7s7h", "4h7d9c", (1, 0, 1), 0, 0, 2 / 3, 1),
        ("9s3h", "9h9d4c", (1, 1, 1), 0, 0, 1, 1),
        ("6s5h", "4h7d8c", (0, 0, 1), 0, 0, 0, 1),
        ("6s5s", "As7sKs", (0, 0, 1), 0, 0, 0, 1),
        ("AsQh", "9h9d4c", (0, 0, 0), 1, 1, 0, 0),
        ("8s8h", "9h9d4c7s", (1, 0, 0), 0, 0, 2 / 3, 0),
    ],
)
def test_after_it_what_it_has_made_counts(hole, board, kinds, high_card, nothing, share, best):
    """The one of 9 9 4 and A Q makes nothing: the pair is the board's."""
    _, *three, draw, found_high, found_nothing, found_share, found_best = of(hole, board)
    assert three == [ONE * each for each in kinds]
    assert [found_high, found_nothing, found_share, found_best] == [
        int(ONE * each) for each in (high_card, nothing, share, best)
    ]
    assert 0 <= draw <= ONE
