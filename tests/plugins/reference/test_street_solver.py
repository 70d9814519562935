"""A street is solved right where the answer is known, and the whole numbers behind it are counted right."""

import numpy as np
import pytest

from molt_bench.plugins.reference.buckets import collides
from molt_bench.plugins.reference.range_equity import HOLES, edges, hole_cards
from molt_bench.plugins.reference.street_cards import CLASSES, StreetCards, meetings, street_cards, strength_classes
from molt_bench.plugins.reference.street_solver import solve
from molt_bench.plugins.reference.street_tree import OwnAction, StreetTree, sizes_for
from molt_bench.poker.actions import CALL, CHECK, Action
from molt_bench.poker.cards import cards_from_text
from molt_bench.poker.hand import Hand, HandRules
from tests.plugins.reference.odd_hands import Bits, anything, odd_rules, odd_stacks

ANY_DEAL = (((51, 50), (49, 48)), (0, 5, 10, 15, 20))
AIR, CATCHER, NUTS = range(3)
ROUNDS = 60


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
    met = 1e6 * met + 1
    order = np.arange(3)
    return StreetCards(np.zeros(HOLES, np.int64), met, met * np.sign(order[:, None] - order[None, :]), None)


def solved(hand, real=(), *, seat=0, can_raise=True, cards=None):
    """Return the strategy at the decision that real actions lead to."""
    tree = StreetTree(hand, sizes_for(hand.street, seat), real, can_raise=can_raise)
    found = solve(tree, cards or polar(air=1, nuts=1), first=0, rounds=ROUNDS)
    return found[tree.follow(real)]


def test_who_has_all_or_nothing_bluffs_and_is_called_as_theory_says():
    """For an all-in of the pot: one bluff for two good hands, and every second call."""
    bets = solved(river(stack=200))
    assert bets[NUTS, -1] > 0.95
    assert bets[AIR, -1] == pytest.approx(0.5, abs=0.06)
    answers = solved(river(stack=200), (Action("raiseTo", 200),))
    assert answers[CATCHER, 1] == pytest.approx(0.5, abs=0.06)
    assert answers[NUTS, 1] > 0.99
    assert answers[AIR, 0] > 0.99


@pytest.mark.parametrize(("stack", "calls"), [(130, 200 / 330), (400, 1 / 3), (1_000, 1 / 6)])
def test_the_larger_an_all_in_the_less_it_is_called(stack, calls):
    """As often as makes a bluff worth nothing."""
    answers = solved(river(stack=stack), (Action("raiseTo", stack),))
    assert answers[CATCHER, 1] == pytest.approx(calls, abs=0.06)


@pytest.mark.parametrize("bet", [100, 137, 400])
def test_no_bet_of_the_other_seat_makes_it_fold_more_than_a_bluff_needs(bet):
    """Though who has all or nothing would rather go all-in."""
    answers = solved(river(stack=1_000), (Action("raiseTo", bet),), seat=1)
    assert answers[CATCHER, 0] < bet / (200 + bet) + 0.03


def test_a_size_that_was_really_bet_is_in_the_tree():
    bet = Action("raiseTo", 137)
    tree = StreetTree(river(stack=1_000), sizes_for("river", 1), (bet,))
    assert bet in tree.decisions[0].actions
    assert StreetTree(river(stack=1_000), sizes_for("river", 1)).follow((bet,)) == -1
    assert tree.decisions[tree.follow((bet,))].before == (OwnAction(0, tree.decisions[0].actions.index(bet)), None)


@pytest.mark.parametrize("number", range(40))
def test_every_action_of_a_tree_is_legal_and_what_was_done_is_in_it(number):
    """In odd rules and stacks, along odd lines: `Hand` refuses what is not legal."""
    bits = Bits(number, "street tree")
    rules = odd_rules(bits)
    hand = Hand(rules, ANY_DEAL, odd_stacks(bits, rules.big_blind), button=bits.below(2))
    opening = _again(hand)
    while hand.actor >= 0:
        if hand.street != opening.street:
            opening = _again(hand)
        done = tuple(
            Action(each.kind, each.amount if each.kind == "raiseTo" else 0)
            for each in hand.log
            if each.street == hand.street
        )
        tree = StreetTree(_again(opening), sizes_for(opening.street, number % 2), done)
        current = tree.decisions[tree.follow(done)]
        assert current.seat == hand.actor
        assert min(ending.stake for ending in tree.endings) >= 0
        assert max(ending.stake + ending.behind for ending in tree.endings) <= min(hand.starting_stacks)
        assert hand.street != "river" or not any(ending.behind for ending in tree.endings)
        for action in current.actions:
            _again(hand).apply(action)
        hand.apply(anything(hand, Bits(number, len(hand.log), "line")))


def _again(hand):
    again = Hand(hand.rules, ANY_DEAL, hand.starting_stacks, button=hand.button)
    for each in hand.log:
        again.apply(Action(each.kind, each.amount))
    return again


def ranges():
    return tuple(np.array([1.0 + Bits(at, seat, "weight").below(1024) for at in range(HOLES)]) for seat in (0, 1))


@pytest.mark.slow
def test_on_the_turn_classes_win_what_their_hands_win_on_all_rivers():
    """The class of every hand against all of the other range, added up from the equities of single hands."""
    board, (first, second) = cards_from_text("2c7d9hJs"), ranges()
    found = street_cards(board, (first, second))
    wanted, met = np.zeros(len(found.met)), np.zeros(len(found.met))
    for number in np.flatnonzero(~collides(board)).tolist():
        hole = tuple(hole_cards()[number].tolist())
        apart = ~collides(board) & ~collides(hole)
        wanted[found.classes[number]] += first[number] * (edges(hole, board) * second)[apart].sum()
        met[found.classes[number]] += first[number] * second[apart].sum()
    assert np.allclose(found.met.sum(axis=1), met)
    assert np.allclose(found.ahead.sum(axis=1), wanted)


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
    classes = strength_classes(strengths, weights, CLASSES)
    order = np.argsort(strengths, kind="stable")
    assert (np.diff(classes[order]) >= 0).all()
    assert sorted({*classes.tolist()}) == list(range(classes.max() + 1))
    assert CLASSES // 2 < classes.max() + 1 <= CLASSES
    assert all(len({*classes[strengths == each].tolist()}) == 1 for each in {*strengths.tolist()})
