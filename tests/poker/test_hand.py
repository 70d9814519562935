"""The rules of heads-up no-limit hold'em, one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.poker.plays import PLANS, STACKS, step

from molt_bench.errors import ConfigError, IllegalAction, RulesError
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action, LegalActions
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import NOBODY, Hand, HandRules

ACES_WIN = deal_from_text("AhAd KsKc 2c7d9hJsQc")
KINGS_WIN = deal_from_text("KsKc AhAd 2cKd9hJsQc")
SPLIT = deal_from_text("2h3d 2s3c AcKdQhJsTc")


def raise_to(amount):
    return Action("raiseTo", amount)


def start(deal=ACES_WIN, stacks=(1000, 1000), button=0, small=5, big=10, **rules):
    return Hand(HandRules(small, big, **rules), deal, stacks, button=button)


def played(hand, *actions):
    for action in actions:
        hand.apply(action)
    return hand


@pytest.mark.parametrize("button", [0, 1])
def test_the_button_posts_the_small_blind_and_acts_first_before_the_flop(button):
    hand = start(button=button)
    assert hand.bets[button] == 5
    assert hand.bets[1 - button] == 10
    assert hand.actor == button


@pytest.mark.parametrize("button", [0, 1])
def test_the_button_acts_last_on_every_later_street(button):
    hand = played(start(button=button), CALL, CHECK)
    for cards_open in (3, 4, 5):
        assert len(hand.board) == cards_open
        assert hand.actor == 1 - button
        played(hand, CHECK)
        assert hand.actor == button
        played(hand, CHECK)
    assert hand.actor == NOBODY


def test_the_big_blind_may_raise_when_the_button_only_calls():
    hand = played(start(), CALL)
    assert (hand.actor, hand.legal_actions()) == (1, LegalActions(0, 20, 1000))


def test_the_first_raise_is_at_least_one_big_blind():
    assert start().legal_actions() == LegalActions(5, 20, 1000)


def test_a_raise_is_at_least_as_large_as_the_last_one():
    hand = played(start(), raise_to(50))
    assert hand.legal_actions().min_raise_to == 90
    played(hand, raise_to(100))
    assert hand.legal_actions().min_raise_to == 150


def test_the_smallest_bet_after_the_flop_is_the_big_blind_whatever_was_raised_before():
    hand = played(start(), raise_to(200), CALL)
    assert (hand.legal_actions().min_raise_to, hand.legal_actions().max_raise_to) == (10, 800)


def test_an_all_in_may_be_smaller_than_a_full_raise_and_does_not_reopen_the_betting():
    hand = played(start(stacks=(1000, 130)), raise_to(100), raise_to(130))
    assert hand.legal_actions() == LegalActions(30, 0, 0)
    with pytest.raises(IllegalAction):
        hand.apply(raise_to(1000))


def test_a_short_all_in_does_not_shrink_the_smallest_raise():
    """The step of an all-in below a full raise does not count; only seen with the raise step itself."""
    hand = played(start(stacks=(1000, 130)), raise_to(100))
    assert (hand.legal_actions().min_raise_to, hand.legal_actions().max_raise_to) == (130, 130)


def test_nobody_may_raise_an_opponent_who_is_all_in():
    hand = played(start(stacks=(1000, 400)), CALL, raise_to(400))
    assert hand.legal_actions() == LegalActions(390, 0, 0)


def test_a_call_for_more_than_the_stack_is_an_all_in_for_less():
    hand = played(start(stacks=(1000, 300)), raise_to(1000))
    assert hand.legal_actions() == LegalActions(290, 0, 0)
    played(hand, CALL)
    assert hand.payoffs == (300, -300)


def test_uncalled_chips_go_back():
    hand = played(start(deal=KINGS_WIN, stacks=(300, 1000), button=1), raise_to(1000), CALL)
    assert hand.payoffs == (300, -300)
    assert hand.stacks == (600, 700)


def test_folding_gives_the_other_seat_what_is_in_the_pot_and_no_more():
    hand = played(start(), raise_to(30), raise_to(500), FOLD)
    assert hand.payoffs == (-30, 30)
    assert hand.folded == 0
    assert hand.board == ()


def test_folding_is_legal_when_checking_is_free():
    assert played(start(), CALL, FOLD).payoffs == (10, -10)


def test_all_in_and_called_runs_the_board_out():
    hand = played(start(), raise_to(1000), CALL)
    assert hand.actor == NOBODY
    assert len(hand.board) == 5
    assert hand.payoffs == (1000, -1000)


def test_a_split_pot_gives_everybody_their_chips_back():
    assert played(start(deal=SPLIT), raise_to(1000), CALL).payoffs == (0, 0)


@given(
    stacks=st.tuples(st.integers(1, 60), st.integers(1, 60)),
    small=st.integers(0, 7),
    ante=st.integers(0, 9),
    button=st.integers(0, 1),
)
def test_a_split_never_has_an_odd_chip(stacks, small, ante, button):
    """Both seats have the same chips at stake, so the pot is even whatever blinds, antes and stacks are."""
    hand = Hand(HandRules(small, 7, ante), SPLIT, stacks, button=button)
    while hand.actor != NOBODY:
        played(hand, CALL if hand.legal_actions().to_call else CHECK)
    assert hand.payoffs == (0, 0)
    assert hand.stacks == stacks


@pytest.mark.parametrize(
    ("stacks", "button", "payoffs"),
    [
        ((3, 1000), 0, (3, -3)),  # the button cannot pay the small blind
        ((5, 1000), 0, (5, -5)),  # the small blind is all the button has
        ((1000, 4), 0, (4, -4)),  # the big blind has less than the small blind already in
        ((1000, 5), 0, (5, -5)),  # the big blind has just what the small blind is
        ((3, 1000), 1, (3, -3)),
    ],
)
def test_blinds_that_put_a_seat_all_in_leave_nothing_to_decide(stacks, button, payoffs):
    hand = start(stacks=stacks, button=button)
    assert hand.actor == NOBODY
    assert hand.payoffs == payoffs
    assert len(hand.board) == 5


def test_a_big_blind_all_in_for_less_costs_the_button_only_the_difference():
    hand = start(stacks=(1000, 7))
    assert hand.legal_actions() == LegalActions(2, 0, 0)
    assert played(hand, CALL).payoffs == (7, -7)


def test_a_button_with_less_than_the_big_blind_may_call_all_in():
    hand = start(stacks=(8, 1000))
    assert hand.legal_actions() == LegalActions(3, 0, 0)
    assert played(hand, CALL).payoffs == (8, -8)


def test_a_button_with_less_than_a_full_raise_may_raise_all_in():
    assert start(stacks=(12, 1000)).legal_actions() == LegalActions(5, 12, 12)


def test_an_ante_is_posted_before_the_blinds_and_is_no_part_of_a_bet():
    hand = start(ante=2)
    assert (hand.pot, hand.bets, hand.stacks) == (4, (5, 10), (993, 988))
    assert hand.legal_actions().to_call == 5
    assert played(hand, FOLD).payoffs == (-7, 7)


def test_an_ante_that_one_seat_cannot_pay_puts_no_more_at_stake_than_it_has():
    assert start(stacks=(1000, 4), ante=6).payoffs == (4, -4)


def test_the_raise_cap_counts_bets_and_raises_of_one_street():
    hand = played(start(raise_cap=2), raise_to(20), raise_to(30))
    assert hand.legal_actions() == LegalActions(10, 0, 0)
    played(hand, CALL)
    assert hand.legal_actions().min_raise_to == 10
    played(hand, raise_to(10), raise_to(20))
    assert hand.legal_actions() == LegalActions(10, 0, 0)


def test_without_a_cap_raising_goes_on_until_the_chips_are_in():
    hand = start()
    raises = 0
    while hand.legal_actions().max_raise_to:
        played(hand, raise_to(hand.legal_actions().min_raise_to))
        raises += 1
    assert raises == 99


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (CHECK, "check is not legal; legal: fold, call (5), raiseTo 20..1000"),
        (raise_to(19), "raiseTo 19 is not legal; legal: fold, call (5), raiseTo 20..1000"),
        (raise_to(1001), "raiseTo 1001 is not legal"),
        (raise_to(-20), "raiseTo -20 is not legal"),
        (raise_to(0), "raiseTo 0 is not legal"),
        (raise_to(20.0), "raiseTo 20.0 (the amount must be an int, not float) is not legal"),
        (raise_to(float("nan")), "raiseTo nan (the amount must be an int, not float) is not legal"),
        (raise_to(True), "raiseTo True (the amount must be an int, not bool) is not legal"),
        (raise_to("20"), "raiseTo '20' (the amount must be an int, not str) is not legal"),
        (raise_to(None), "raiseTo None (the amount must be an int, not NoneType) is not legal"),
        (raise_to(10**5000), "is not legal; legal: fold, call (5), raiseTo 20..1000"),
        (Action("bet", 20), "unknown kind 'bet' is not legal; legal: fold, call (5), raiseTo 20..1000"),
        (Action(["fold"]), "kind <list> is not legal"),
    ],
)
def test_an_illegal_action_says_what_is_legal_and_changes_nothing(action, message):
    hand = start()
    before = (hand.actor, hand.bets, hand.stacks, hand.log)
    with pytest.raises(IllegalAction) as caught:
        hand.apply(action)
    assert message in str(caught.value)
    assert (hand.actor, hand.bets, hand.stacks, hand.log) == before
    assert not hand.legal_actions().allows(action)


def test_calling_nothing_is_illegal():
    with pytest.raises(IllegalAction, match=r"call is not legal; legal: fold, check, raiseTo 20\.\.1000"):
        played(start(), CALL, CALL)


def test_a_finished_hand_takes_no_action():
    hand = played(start(), FOLD)
    with pytest.raises(IllegalAction, match="over"):
        hand.apply(CHECK)
    with pytest.raises(RulesError, match="over"):
        hand.legal_actions()


@pytest.mark.parametrize("stacks", [(0, 10), (10, 0), (-5, 10)])
def test_nobody_is_dealt_in_without_chips(stacks):
    with pytest.raises(RulesError, match="at least one chip"):
        start(stacks=stacks)


@pytest.mark.parametrize(
    ("field", "rules"),
    [
        ("big_blind", {"small_blind": 0, "big_blind": 0}),
        ("small_blind", {"small_blind": 11, "big_blind": 10}),
        ("small_blind", {"small_blind": -1, "big_blind": 10}),
        ("ante", {"small_blind": 5, "big_blind": 10, "ante": -1}),
        ("big_blind", {"small_blind": 5, "big_blind": 10.0}),
        ("raise_cap", {"small_blind": 5, "big_blind": 10, "raise_cap": 0}),
    ],
)
def test_rules_that_cannot_work_are_refused_by_name(field, rules):
    with pytest.raises(ConfigError) as caught:
        HandRules(**rules)
    assert caught.value.field == field


@given(
    seed=st.integers(0, 10**9),
    stacks=STACKS,
    small=st.integers(0, 10),
    ante=st.integers(0, 12),
    button=st.integers(0, 1),
    plan=PLANS,
)
def test_any_sequence_of_legal_actions_ends_and_conserves_chips(seed, stacks, small, ante, button, plan):
    hand = Hand(HandRules(small, 10, ante), Shoe(seed).deal(1), stacks, button=button)
    plan = iter(plan)
    while hand.actor != NOBODY:
        assert hand.legal_actions().allows(CALL if hand.legal_actions().to_call else CHECK)
        assert hand.pot + sum(hand.bets) + sum(hand.stacks) == sum(stacks)
        assert min(hand.stacks) >= 0
        step(hand, plan)
        assert len(hand.log) <= 30 + 8
    assert sum(hand.payoffs) == 0
    assert sum(hand.stacks) == sum(stacks)
    assert min(hand.stacks) >= 0
