"""The river is solved right where the answer is known, and the whole numbers behind it are counted right."""

import numpy as np
import pytest

from molt_bench.agents.blueprint.river_solver import CLASSES, meetings, solve, strength_classes
from molt_bench.agents.blueprint.river_tree import OwnAction, RiverTree
from molt_bench.poker.actions import CALL, CHECK, Action, LoggedAction
from molt_bench.poker.hand import Hand, HandRules
from tests.agents.blueprint.odd_hands import Bits, anything, odd_rules, odd_stacks

ANY_DEAL = (((51, 50), (49, 48)), (0, 5, 10, 15, 20))
AIR, CATCHER, NUTS = range(3)


def river(*, stack, button=1):
    """Return a hand on the river with a pot of 200; seat 0 acts first."""
    hand = Hand(HandRules(100, 100), ANY_DEAL, (stack + 100, stack + 100), button=button)
    for action in (CHECK, CHECK, CHECK, CHECK, CHECK, CHECK):
        hand.apply(CALL if hand.to_call else action)
    assert (hand.street, hand.actor, hand.pot) == ("river", 0, 200)
    return hand


def polar(*, air, nuts):
    """Return how often classes meet: seat 0 has nothing or the best hand, seat 1 beats nothing else."""
    met = np.zeros((3, 3))
    met[AIR, CATCHER], met[NUTS, CATCHER] = air, nuts
    # Hands that hardly ever come, so that every class has a decision.
    return 1e6 * met + 1


def test_who_has_all_or_nothing_bluffs_and_is_called_as_theory_says():
    """For an all-in of the pot: one bluff for two good hands, and every second call."""
    bets = solve(RiverTree(river(stack=200), (), can_raise=True), polar(air=1, nuts=1))
    assert bets[NUTS, -1] > 0.95
    assert bets[AIR, -1] == pytest.approx(0.5, abs=0.06)
    bet = LoggedAction("river", 0, "raiseTo", 200)
    answers = solve(RiverTree(river(stack=200), (bet,), can_raise=True), polar(air=1, nuts=1))
    assert answers[CATCHER, 1] == pytest.approx(0.5, abs=0.06)
    assert answers[NUTS, 1] > 0.99
    assert answers[AIR, 0] > 0.99


@pytest.mark.parametrize(("stack", "calls"), [(130, 200 / 330), (400, 1 / 3), (1_000, 1 / 6)])
def test_the_larger_an_all_in_the_less_it_is_called(stack, calls):
    """As often as makes a bluff worth nothing."""
    bet = LoggedAction("river", 0, "raiseTo", stack)
    answers = solve(RiverTree(river(stack=stack), (bet,), can_raise=True), polar(air=1, nuts=1))
    assert answers[CATCHER, 1] == pytest.approx(calls, abs=0.06)


def test_a_size_that_was_really_bet_is_in_the_tree():
    bet = LoggedAction("river", 0, "raiseTo", 137)
    tree = RiverTree(river(stack=1_000), (bet,), can_raise=True)
    assert Action("raiseTo", 137) in tree.decisions[0].actions
    assert tree.decisions[tree.current].before == (
        OwnAction(0, tree.decisions[0].actions.index(Action("raiseTo", 137))),
        None,
    )


def test_where_nobody_may_raise_the_better_hand_checks_as_well():
    tree = RiverTree(river(stack=200), (), can_raise=False)
    assert tree.decisions[0].actions == (CHECK,)
    assert (solve(tree, polar(air=1, nuts=1)) == 1).all()


@pytest.mark.parametrize("number", range(40))
def test_every_action_of_a_tree_is_legal_and_what_was_done_is_in_it(number):
    """In odd rules and stacks, along odd lines: `Hand` refuses what is not legal."""
    bits = Bits(number, "river tree")
    rules = odd_rules(bits)
    hand = Hand(rules, ANY_DEAL, odd_stacks(bits, rules.big_blind), button=bits.below(2))
    done = []
    opening = None
    while hand.actor >= 0:
        if hand.street != "river":
            hand.apply(CALL if hand.to_call else CHECK)
            continue
        opening = opening or _again(hand)
        tree = RiverTree(_again(opening), done, can_raise=True)
        assert tree.decisions[tree.current].seat == hand.actor
        stakes = [ending.stake for ending in tree.endings]
        assert min(stakes) >= 0
        assert max(stakes) <= min(hand.starting_stacks)
        for action in tree.decisions[tree.current].actions:
            _again(hand).apply(action)
        hand.apply(anything(hand, Bits(number, len(done), "line")))
        done = [each for each in hand.log if each.street == "river"]


def _again(hand):
    again = Hand(hand.rules, ANY_DEAL, hand.starting_stacks, button=hand.button)
    for each in hand.log:
        again.apply(Action(each.kind, each.amount))
    return again


def test_meetings_are_those_of_all_pairs_of_hands_without_a_common_card():
    cards = np.array([(0, 1), (1, 2), (3, 4), (0, 4), (5, 6), (2, 6)])
    classes = np.array([0, 0, 1, 1, 2, 2])
    ranges = np.array([1.0, 2, 3, 4, 5, 6]), np.array([7.0, 1, 2, 9, 4, 3])
    expected = np.zeros((3, 3))
    for one in range(6):
        for two in range(6):
            if not {*cards[one].tolist()} & {*cards[two].tolist()}:
                expected[classes[one], classes[two]] += ranges[0][one] * ranges[1][two]
    assert (meetings(classes, cards, ranges) == expected).all()


def test_classes_go_by_strength_and_are_few():
    strengths = np.array([Bits(at, "strength").below(900) for at in range(1081)])
    weights = np.array([1.0 + Bits(at, "weight").below(1024) for at in range(1081)])
    classes = strength_classes(strengths, weights)
    order = np.argsort(strengths, kind="stable")
    assert (np.diff(classes[order]) >= 0).all()
    assert sorted({*classes.tolist()}) == list(range(classes.max() + 1))
    assert CLASSES // 2 < classes.max() + 1 <= CLASSES
    assert all(len({*classes[strengths == each].tolist()}) == 1 for each in {*strengths.tolist()})
