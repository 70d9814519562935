"""Statistics of play: every figure counted by hand."""

import pytest

from molt_bench.poker.notation import hand_from_text
from molt_bench.poker.play_statistics import Style, hand_style

BUTTON, BIG_BLIND = 0, 1
#: Of seat 0, which has the button, aces against kings on a board that changes nothing.
HIGH, LOW, BOARD = "AhAd", "KsKc", "2c7d9hJs3c"


def style(actions: str, net: int, seat: int, *, stacks="10000,10000", board=5, cards=f"{HIGH}|{LOW}") -> Style:
    line = f"1:50/100/0:{stacks}:b0:{cards}|{BOARD[: 2 * board]}:{actions}:{net}"
    return hand_style(hand_from_text(line).hand, seat)


def figures(found: Style, *names: str) -> list[tuple[float, int]]:
    return [(getattr(found, name).count, getattr(found, name).of) for name in names]


@pytest.mark.parametrize(
    ("actions", "net", "board", "button", "big_blind"),
    [
        # VPIP and PFR of the button, then of the big blind.
        ("f", -50, 0, [(0, 1), (0, 1)], [(0, 0), (0, 0)]),  # a walk: the big blind is never asked
        ("ck/kk/kk/kk", 100, 5, [(1, 1), (0, 1)], [(0, 1), (0, 1)]),  # a limp is VPIP, checking behind it is not
        ("cr300f", -100, 0, [(1, 1), (0, 1)], [(1, 1), (1, 1)]),
        ("r300f", 100, 0, [(1, 1), (1, 1)], [(0, 1), (0, 1)]),
        ("r300c/kk/kk/kk", 300, 5, [(1, 1), (1, 1)], [(1, 1), (0, 1)]),
        ("r300r900c/kk/kk/kk", 900, 5, [(1, 1), (1, 1)], [(1, 1), (1, 1)]),
    ],
)
def test_vpip_and_pfr(actions, net, board, button, big_blind):
    for seat, expected in ((BUTTON, button), (BIG_BLIND, big_blind)):
        assert figures(style(actions, net, seat, board=board), "vpip", "pfr") == expected


def test_blinds_that_put_a_seat_all_in_leave_nobody_a_decision():
    found = style("", 50, BUTTON, stacks="50,10000")
    assert figures(found, "vpip", "pfr", "three_bet") == [(0, 0)] * 3
    assert figures(found, "wtsd", "wsd") == [(1, 1), (1, 1)]


@pytest.mark.parametrize(
    ("actions", "net", "board", "stacks", "button", "big_blind"),
    [
        ("r300f", 100, 0, "10000,10000", (0, 0), (0, 1)),
        ("r300c/kk/kk/kk", 300, 5, "10000,10000", (0, 0), (0, 1)),
        ("r300r900f", -300, 0, "10000,10000", (0, 0), (1, 1)),
        ("r300r900r2700f", 900, 0, "10000,10000", (0, 0), (1, 1)),  # a 4-bet is none
        ("cr300r900f", 300, 0, "10000,10000", (1, 1), (0, 0)),  # after a limp the button can 3-bet
        ("r10000f", 100, 0, "10000,10000", (0, 0), (0, 0)),  # against an all-in nobody can
        ("r300f", 100, 0, "10000,250", (0, 0), (0, 0)),  # nor without chips for it
    ],
)
def test_a_3_bet_re_raises_the_first_raise(actions, net, board, stacks, button, big_blind):
    for seat, expected in ((BUTTON, button), (BIG_BLIND, big_blind)):
        assert figures(style(actions, net, seat, board=board, stacks=stacks), "three_bet") == [expected]


def test_aggression_is_counted_after_the_flop_and_without_checks():
    """Flop: check, bet 600, raise 1800, call. Turn: bet 3000, call. River: bet all, fold."""
    actions = "r300c/kr600r1800c/r3000c/r4900f"
    button, big_blind = (style(actions, -5100, seat) for seat in (BUTTON, BIG_BLIND))
    assert figures(button, "aggression_factor", "aggression_frequency") == [(1, 2), (1, 4)]
    assert figures(big_blind, "aggression_factor", "aggression_frequency") == [(3, 0), (3, 3)]
    assert big_blind.aggression_factor.value is None
    assert button.aggression_frequency.value == 0.25


@pytest.mark.parametrize(
    ("actions", "net", "board", "button", "big_blind"),
    [
        # C-bet and fold to c-bet of the button, then of the big blind.
        ("r300c/kr400f", 300, 3, [(1, 1), (0, 0)], [(0, 0), (1, 1)]),
        ("r300c/kr400c/kk/kk", 700, 5, [(1, 1), (0, 0)], [(0, 0), (0, 1)]),
        ("r300c/kr400r1200f", -700, 3, [(1, 1), (0, 0)], [(0, 0), (0, 1)]),  # raised first, so not folded
        ("r300c/kk/kk/kk", 300, 5, [(0, 1), (0, 0)], [(0, 0), (0, 0)]),
        ("r300c/r400f", -300, 3, [(0, 0), (0, 0)], [(0, 0), (0, 0)]),  # the other bet first
        ("r300r900c/r1000f", -900, 3, [(0, 0), (1, 1)], [(1, 1), (0, 0)]),
        ("r300r900c/kk/kk/kk", 900, 5, [(0, 0), (0, 0)], [(0, 1), (0, 0)]),
        ("ck/kr100f", 100, 3, [(0, 0), (0, 0)], [(0, 0), (0, 0)]),  # nobody raised before the flop
        ("r10000c", 10000, 5, [(0, 0), (0, 0)], [(0, 0), (0, 0)]),  # all-in: nothing to bet
        ("r300c/kf", -300, 3, [(0, 1), (0, 0)], [(0, 0), (0, 0)]),  # folded though it could have bet
    ],
)
def test_a_continuation_bet_is_the_first_on_the_flop_by_the_last_raiser(actions, net, board, button, big_blind):
    for seat, expected in ((BUTTON, button), (BIG_BLIND, big_blind)):
        assert figures(style(actions, net, seat, board=board), "c_bet", "fold_to_c_bet") == expected


@pytest.mark.parametrize(
    ("actions", "net", "board", "button", "big_blind"),
    [
        # WTSD, W$SD, winnings with and without a showdown.
        ("f", -50, 0, [(0, 0), (0, 0), (0, 1), (-50, 1)], [(0, 0), (0, 0), (0, 1), (50, 1)]),
        ("r300c/kr400f", 300, 3, [(0, 1), (0, 0), (0, 1), (300, 1)], [(0, 1), (0, 0), (0, 1), (-300, 1)]),
        ("ck/kk/kk/kk", 100, 5, [(1, 1), (1, 1), (100, 1), (0, 1)], [(1, 1), (0, 1), (-100, 1), (0, 1)]),
        ("r10000c", 10000, 5, [(1, 1), (1, 1), (10000, 1), (0, 1)], [(1, 1), (0, 1), (-10000, 1), (0, 1)]),
    ],
)
def test_showdowns_and_winnings(actions, net, board, button, big_blind):
    names = ("wtsd", "wsd", "showdown_winnings", "other_winnings")
    for seat, expected in ((BUTTON, button), (BIG_BLIND, big_blind)):
        assert figures(style(actions, net, seat, board=board), *names) == expected


def test_both_win_at_a_showdown_that_is_split():
    for seat in (BUTTON, BIG_BLIND):
        found = style("ck/kk/kk/kk", 0, seat, cards="AhKd|AcKs")
        assert figures(found, "wsd", "showdown_winnings") == [(1, 1), (0, 1)]
