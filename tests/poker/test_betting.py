"""Moments of the betting that hands share."""

from threading import Thread

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench.errors import IllegalAction
from molt_bench.poker import betting as betting_module
from molt_bench.poker.actions import CALL, CHECK, Action
from molt_bench.poker.betting import opening
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.notation import hand_to_text
from molt_bench.poker.observation import observe

PLANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=12)
OFTEN = 8


def played(plan, *, number=1, stacks=(500, 400), rules=None, max_actions=6):
    """Play a hand by a plan, and return all that its seats saw, and its text."""
    hand = Hand(rules or HandRules(5, 10, 1, 3), Shoe("betting").deal(number), stacks, button=number & 1)
    steps, seen = iter(plan), []
    while hand.actor != NOBODY:
        if len(hand.log) >= max_actions:
            hand.close_raising()
        seen.append(msgspec.json.encode(observe(hand, number)))
        wish, size = next(steps, (1, 0))
        least, most = hand.raise_range()
        if wish > 5 and most:
            hand.apply(Action("raiseTo", least + size * (most - least) // 3))
        elif wish == 0:
            hand.apply(Action("fold"))
        else:
            hand.apply(CALL if hand.to_call else CHECK)
    return seen, hand_to_text(hand, number), hand.payoffs


@given(plans=st.lists(PLANS, min_size=1, max_size=5))
def test_a_hand_is_the_same_whether_or_not_others_were_bet_alike(plans):
    alone = []
    for plan in plans:
        opening.cache_clear()
        alone.append(played(plan))
    for _ in range(OFTEN):
        assert [played(plan) for plan in plans] == alone


def test_hands_that_are_often_bet_alike_share_their_moments():
    opening.cache_clear()
    rules = HandRules(5, 10)

    def moments():
        hand = Hand(rules, Shoe(1).deal(1), (500, 500), button=0)
        for action in (Action("raiseTo", 20), CALL, CHECK):
            yield hand.betting
            hand.apply(action)

    for _ in range(2 * OFTEN):
        list(moments())
    assert all(one is two for one, two in zip(moments(), moments(), strict=True))


@pytest.mark.parametrize("amount", [1.0, True, "1", None])
def test_what_equals_a_known_raise_is_no_raise(amount):
    def on_the_flop():
        hand = Hand(HandRules(1, 1), Shoe(1).deal(1), (500, 500), button=0)
        hand.apply(CHECK)
        hand.apply(CHECK)
        return hand

    for _ in range(4 * OFTEN):
        on_the_flop().apply(Action("raiseTo", 1))
    hand = on_the_flop()
    assert 1 in hand.betting.known
    with pytest.raises(IllegalAction):
        hand.apply(Action("raiseTo", amount))
    assert len(hand.log) == 2


def test_a_kind_that_is_no_string_is_refused_where_others_are_known():
    class Same(str):
        __slots__ = ()

    for _ in range(OFTEN):
        Hand(HandRules(5, 10), Shoe(1).deal(1), (500, 500), button=0).apply(Action("fold"))
    with pytest.raises(IllegalAction):
        Hand(HandRules(5, 10), Shoe(1).deal(1), (500, 500), button=0).apply(Action(Same("fold")))


def kept_moments(betting):
    return 1 + sum(map(kept_moments, betting.known.values()))


def test_only_so_many_moments_are_kept(monkeypatch):
    monkeypatch.setattr(betting_module, "_MOST", 200)
    opening.cache_clear()
    rules, stacks, most = HandRules(5, 10), (10_000, 10_000), 0
    for size in range(1000):
        for _ in range(3):
            hand = Hand(rules, Shoe(1).deal(1), stacks, button=0)
            hand.apply(Action("raiseTo", 20 + size))
            hand.apply(CALL)
        most = max(most, kept_moments(opening.of(rules, stacks, 0)))
    assert 100 < most <= 201


def test_amounts_that_hardly_repeat_do_not_push_out_what_is_often_bet():
    opening.cache_clear()
    rules = HandRules(5, 10)

    def flop(amount):
        hand = Hand(rules, Shoe(1).deal(1), (10_000, 10_000), button=0)
        hand.apply(Action("raiseTo", amount))
        hand.apply(CALL)
        return hand.betting

    often = [flop(30) for _ in range(4)][-1]
    for amount in range(31, 1031):
        flop(amount)
    assert flop(30) is often
    assert len(opening.of(rules, (10_000, 10_000), 0).known) == 1


def test_hands_that_begin_otherwise_than_the_last_one_begin_as_they_should():
    rules, deal = HandRules(5, 10), Shoe(1).deal(1)
    for stacks in [(500, 400), (400, 500), (500, 400)]:
        for button in (0, 1, 1, 0):
            for each in (rules, HandRules(5, 10), HandRules(1, 2), rules):
                hand = Hand(each, deal, stacks, button=button)
                assert (hand.rules, hand.starting_stacks, hand.button) == (each, stacks, button)


def test_threads_that_bet_alike_do_not_disturb_each_other():
    plans = [[(6, at % 3), (6, at % 2), (1, 0), (7, at % 4)] for at in range(12)]
    expected = [played(plan) for plan in plans]
    opening.cache_clear()
    wrong = []

    def play():
        for _ in range(20):
            wrong.extend(plan for plan, right in zip(plans, expected, strict=True) if played(plan) != right)

    threads = [Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert not betting_module._NOTHING
