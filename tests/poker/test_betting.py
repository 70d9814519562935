"""Moments of the betting: what is taken for an action, and what a hand begins with."""

import pytest

from molt_bench.errors import IllegalAction
from molt_bench.poker.actions import CHECK, Action
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import Hand, HandRules


class Same(str):
    """A text that equals another, but is no plain string."""

    __slots__ = ()


@pytest.mark.parametrize(
    "action", [*(Action("raiseTo", amount) for amount in (1.0, True, "1", None)), Action(Same("fold"))]
)
def test_what_equals_a_legal_action_is_none(action):
    hand = Hand(HandRules(1, 1), Shoe(1).deal(1), (500, 500), button=0)
    hand.apply(CHECK)
    hand.apply(CHECK)
    assert hand.legal_actions().min_raise_to == 1
    with pytest.raises(IllegalAction):
        hand.apply(action)
    assert len(hand.log) == 2


def test_hands_that_begin_otherwise_than_the_last_one_begin_as_they_should():
    rules, deal = HandRules(5, 10), Shoe(1).deal(1)
    for stacks in [(500, 400), (400, 500), (500, 400)]:
        for button in (0, 1, 1, 0):
            for each in (rules, HandRules(5, 10), HandRules(1, 2), rules):
                hand = Hand(each, deal, stacks, button=button)
                assert (hand.rules, hand.starting_stacks, hand.button) == (each, stacks, button)
