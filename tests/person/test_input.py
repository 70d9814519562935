"""What a person types at the table is parsed into the action they mean."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench.person.input import HELP, NotUnderstood, parse_line
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe

DEAL = deal_from_text("AhKd 7c7d 2h3h4h5c6d")


def seen_after(*actions, stack=10_000):
    """Return what the seat to act sees after some actions."""
    hand = Hand(HandRules(50, 100), DEAL, (stack, stack), button=0)
    for action in actions:
        hand.apply(action)
    return observe(hand, 1)


FIRST = seen_after()  # 50 to call, pot 150, raise to 200..10,000
FREE = seen_after(CALL, CHECK)  # on the flop, pot 200, bet 100..9,900
FACING = seen_after(CALL, CHECK, Action("raiseTo", 150))  # 150 to call, pot 350
ALL_IN = seen_after(Action("raiseTo", 10_000))  # 9,900 to call, no raise


@pytest.mark.parametrize(
    ("line", "seen", "meant"),
    [
        ("f", FIRST, FOLD),
        ("Fold", FIRST, FOLD),
        ("f", FREE, FOLD),
        ("c", FIRST, CALL),
        ("  CALL  ", FIRST, CALL),
        ("c", FREE, CHECK),
        ("k", FREE, CHECK),
        ("x", FREE, CHECK),
        ("check", FREE, CHECK),
        ("r 600", FIRST, Action("raiseTo", 600)),
        ("r600", FIRST, Action("raiseTo", 600)),
        ("raise to 600", FIRST, Action("raiseTo", 600)),
        ("raise 600", FIRST, Action("raiseTo", 600)),
        ("bet 600", FREE, Action("raiseTo", 600)),
        ("b 600", FREE, Action("raiseTo", 600)),
        ("600", FIRST, Action("raiseTo", 600)),
        ("1,200", FIRST, Action("raiseTo", 1200)),
        ("r 3bb", FIRST, Action("raiseTo", 300)),
        ("r 2.5 bb", FIRST, Action("raiseTo", 250)),
        ("3BB", FIRST, Action("raiseTo", 300)),
        ("r min", FIRST, Action("raiseTo", 200)),
        ("r half", FREE, Action("raiseTo", 100)),
        ("r pot", FREE, Action("raiseTo", 200)),
        ("pot", FREE, Action("raiseTo", 200)),
        ("r pot", FIRST, Action("raiseTo", 300)),  # call 50, then as much as the 200 in the middle
        ("r pot", FACING, Action("raiseTo", 650)),
        ("r half", FACING, Action("raiseTo", 400)),
        ("r 75%", FREE, Action("raiseTo", 150)),
        ("r 3/4", FREE, Action("raiseTo", 150)),
        ("a", FIRST, Action("raiseTo", 10_000)),
        ("all", FREE, Action("raiseTo", 9_900)),
        ("all in", FREE, Action("raiseTo", 9_900)),
        ("r all", FREE, Action("raiseTo", 9_900)),
        ("a", ALL_IN, CALL),
        ("?", FIRST, "help"),
        ("l", FIRST, "log"),
        ("q", FIRST, "quit"),
    ],
)
def test_a_line_means(line, seen, meant):
    assert parse_line(line, seen) == meant


@pytest.mark.parametrize(
    ("line", "seen", "said"),
    [
        ("", FIRST, "Type an action"),
        ("x", FIRST, "You cannot check: 50 to call. c calls, f folds."),
        ("r", FIRST, "How much?"),
        ("r 100", FIRST, "100 is too small: the minimum raise is to 200."),
        ("50", FREE, "50 is too small: the minimum bet is 100."),
        ("0", FREE, "too small"),
        ("20000", FIRST, "20,000 is more than you have: all-in (a) is 10,000."),
        ("r 500", ALL_IN, "You cannot raise: your opponent is all-in. c calls 9,900, f folds."),
        ("r -600", FIRST, "'r -600' is not a command; type ? for help."),
        ("600.5", FIRST, "not a command"),
        ("1/0", FREE, "not a command"),
        ("raise a lot", FIRST, "not a command"),
        ("9" * 5000, FIRST, "not a command"),
        ("é\x00", FIRST, "not a command"),
        ("r min", ALL_IN, "You cannot raise"),
    ],
)
def test_what_cannot_be_done_gets_a_friendly_line(line, seen, said):
    with pytest.raises(NotUnderstood) as told:
        parse_line(line, seen)
    assert said in str(told.value)
    assert "\n" not in str(told.value)
    assert len(str(told.value)) < 200


def test_where_only_an_all_in_is_left_to_raise_that_is_said():
    seen = seen_after(Action("raiseTo", 200), stack=300)
    assert (seen.min_raise_to, seen.max_raise_to) == (300, 300)
    with pytest.raises(NotUnderstood, match=r"250 is too small: all-in \(a\) is 300"):
        parse_line("250", seen)


def test_where_raising_is_closed_all_in_is_not_taken_for_a_call():
    seen = msgspec.structs.replace(FACING, min_raise_to=0, max_raise_to=0)
    with pytest.raises(NotUnderstood, match=r"You cannot raise: raising is closed\. c calls 150"):
        parse_line("a", seen)


@given(st.one_of(st.text(max_size=30), st.from_regex(r"[rb]? ?[0-9a-z./%,]{0,8}( ?bb|%)?", fullmatch=True)))
def test_any_line_is_a_legal_action_or_a_request_or_not_understood(line):
    for seen in (FIRST, FREE, FACING, ALL_IN):
        try:
            meant = parse_line(line, seen)
        except NotUnderstood:
            continue
        assert meant in ("help", "log", "quit") or seen.legal.allows(meant)


def test_everything_in_the_help_is_parse_line():
    for keys, _ in HELP:
        for line in keys.split("  "):
            assert parse_line(line, FREE)
