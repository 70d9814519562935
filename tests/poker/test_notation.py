"""A hand as one line of text, and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.poker.plays import CAPS, PLANS, STACKS, step

from molt_bench.errors import MoltBenchError
from molt_bench.poker.actions import Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.notation import hand_from_text, hand_to_text

LINE = "7:50/100/0:10000,10000:b0:AhKd|7c7d|2h3h4h5c6d:r300c/kr600c/kk/kk:-900"


@given(
    seed=st.integers(),
    stacks=STACKS,
    ante=st.integers(0, 5),
    cap=CAPS,
    button=st.integers(0, 1),
    number=st.integers(1, 10**6),
    plan=PLANS,
)
def test_a_line_rebuilds_the_hand_exactly(seed, stacks, ante, cap, button, number, plan):
    hand = Hand(HandRules(50, 100, ante, cap), Shoe(seed).deal(1), stacks, button=button)
    plan = iter(plan)
    while hand.actor != NOBODY:
        step(hand, plan)
    line = hand_to_text(hand, number)
    again = hand_from_text(line)
    assert (again.number, again.forced) == (number, NOBODY)
    for name in ("rules", "holes", "board", "button", "starting_stacks", "log", "payoffs", "stacks", "folded"):
        assert getattr(again.hand, name) == getattr(hand, name), name
    assert hand_to_text(again.hand, number) == line


def test_a_line_reads_as_its_docstring_says():
    parsed = hand_from_text(LINE)
    assert parsed.number == 7
    assert parsed.hand.payoffs == (-900, 900)
    assert [done.kind for done in parsed.hand.log[:4]] == ["raiseTo", "call", "check", "raiseTo"]


def test_a_forced_fold_is_told_from_a_chosen_one():
    hand = Hand(HandRules(50, 100), deal_from_text("AhKd 7c7d"), (10_000, 10_000), button=0)
    hand.apply(Action("fold"))
    line = hand_to_text(hand, 1, forced=True)
    assert line == "1:50/100/0:10000,10000:b0:AhKd|7c7d|:F:-50"
    assert hand_from_text(line).forced == 0


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        LINE[:-1],
        LINE.replace(":-900", ":900"),  # the wrong result
        LINE.replace("7c7d", "AhKd"),  # a card twice
        LINE.replace("r600", "r50"),  # an illegal raise
        LINE.replace("kk/kk", "kk/k"),  # a hand that does not end
        LINE.replace("kk/kk", "kkkk"),  # a street too few
        LINE.replace("kk/kk", "kk/kk/kk"),  # a street too many
        LINE.replace("5c6d", ""),  # the board is not all there
        LINE.replace("50/100", "200/100"),
        LINE.replace("100/0", "100/0/0"),
        LINE.replace("r300", "r" + "9" * 5000),
        LINE + "\n",
    ],
)
def test_a_line_that_cannot_have_happened_is_refused(line):
    with pytest.raises(MoltBenchError):
        hand_from_text(line)
