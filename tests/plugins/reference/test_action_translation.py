"""Real hands lie where they should in the abstract betting tree."""

import pytest

from molt_bench.plugins.reference.action_translation import (
    MOST_POINTS,
    _kept,
    depth_table,
    followed,
    nearest_depth,
    paid_at,
    raise_amounts,
)
from molt_bench.plugins.reference.agent import BlueprintAgent
from molt_bench.plugins.reference.buckets import collides
from molt_bench.plugins.reference.state import PublicState, public_state
from molt_bench.plugins.reference.table import load
from molt_bench.plugins.reference.tree import CALL as CALL_COLUMN
from molt_bench.plugins.reference.tree import FOLDED
from molt_bench.poker.actions import CALL, CHECK, FOLD, STREETS, Action
from molt_bench.poker.cards import deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.views import observe
from tests.plugins.reference.odd_hands import decisions

DEEPEST = max(load().depths)
BLINDS = HandRules(50, 100)


def points(state):
    """Return the points of the tree that a state may lie at."""
    return followed(state)[0]


def played(*actions, rules=BLINDS, stacks=None, button=0):
    """Return a hand after these actions."""
    deal = deal_from_text("AhAd KsKc 2c7d9hJsQc")
    hand = Hand(rules, deal, stacks or (100 * DEEPEST, 100 * DEEPEST), button=button)
    for action in actions:
        hand.apply(action)
    return hand


def raised(amount):
    return Action("raiseTo", amount)


def child(node, column):
    return int(load().at(DEEPEST).tree.children[node, column])


def offered(hand, node=0):
    return raise_amounts(load().at(DEEPEST), node, hand)


@pytest.mark.parametrize(
    ("stack", "big_blind", "depth"),
    [(1, 100, 10), (1000, 100, 10), (3161, 100, 10), (3163, 100, 100), (10_000, 100, 100), (10**9, 1, 100)],
)
def test_the_nearest_depth_is_that_of_the_closest_ratio(stack, big_blind, depth):
    assert nearest_depth(stack, big_blind, (10, 100)) == depth


def test_checks_and_calls_have_one_counterpart():
    limped = child(0, CALL_COLUMN)
    assert points(public_state(played(CALL))) == {limped: 1.0}
    assert points(public_state(played(CALL, CHECK))) == {child(limped, CALL_COLUMN): 1.0}


def test_a_raise_between_two_sizes_is_taken_for_either_by_the_pseudo_harmonic_mapping():
    (low_column, low), (high_column, high), *_ = offered(played())
    amount = (2 * low + high) // 3
    # As multiples of the pot after a call, 200 chips.
    small, large, size = (low - 100) / 200, (high - 100) / 200, (amount - 100) / 200
    chance = (large - size) * (1 + small) / ((large - small) * (1 + size))
    found = points(public_state(played(raised(amount))))
    assert found == pytest.approx({child(0, low_column): chance, child(0, high_column): 1 - chance})


def test_a_tiny_bet_is_hardly_folded_to_on_either_side_of_the_button():
    bot = BlueprintAgent()
    for before in ((), (CHECK,)):
        shares = []
        for amount in (100, 165, 375):
            hand = played(raised(250), CALL, *before, raised(amount), stacks=(10_000, 10_000))
            found = bot.range_policy(observe(hand, 1))
            shares.append(found.chances[~collides(hand.board), found.actions.index(FOLD)].mean())
        assert shares == sorted(shares)
        assert shares[0] < 0.75 * shares[1]


@pytest.mark.parametrize("stack", [150, 2_000, 7_777, 10_000, 1_000_000])
def test_all_in_is_all_in_with_any_stacks(stack):
    hand = played(raised(stack), stacks=(stack, 3 * stack))
    (place,) = points(public_state(hand))
    at = depth_table(public_state(hand))
    assert paid_at(at, place)[0] == 100 * at.depth


def test_a_raise_beyond_the_other_stack_is_all_in():
    one, two = (public_state(played(raised(to), stacks=(20_000, 5_000))) for to in (5_000, 20_000))
    assert points(one) == points(two)


def test_blinds_of_any_size_lead_to_the_same_places():
    small = played(raised(27), CALL, raised(33), rules=HandRules(5, 10), stacks=(10 * DEEPEST,) * 2)
    large = played(raised(2700), CALL, raised(3300), rules=HandRules(500, 1000), stacks=(1000 * DEEPEST,) * 2)
    assert points(public_state(small)) == points(public_state(large))


def test_a_branch_whose_tree_has_ended_leaves_its_weight_to_the_others():
    """A raise to half the stack may be an all-in, or the size below it; once it is called, it was not all-in."""
    before = points(public_state(played(raised(50 * DEEPEST))))
    after = points(public_state(played(raised(50 * DEEPEST), CALL)))
    assert (len(before), len(after)) == (2, 1)
    assert sum(after.values()) == 1.0


def test_however_many_small_raises_there_are_the_seat_to_act_faces_a_bet():
    actions, tree = [], load().at(DEEPEST).tree
    for amount in range(200, 2_000, 100):
        actions.append(raised(amount))
        found = points(public_state(played(*actions)))
        nodes = [point for point in found if point < tree.nodes]
        assert {int(tree.actor[node]) for node in nodes} == {len(actions) % 2}
        assert any(tree.children[node, 0] == FOLDED for node in nodes)


def test_places_are_decisions_of_the_seat_to_act_on_the_same_street():
    bot = BlueprintAgent()
    for number in range(500, 750):
        for seen, _ in decisions(number, bot):
            at = depth_table(public_state(seen))
            for point in points(public_state(seen)):
                ended = point >= at.tree.nodes  # by the call that the raise of the other seat is taken for
                node = at.closer(point) if ended else point
                assert STREETS[at.tree.street[node]] == seen.street
                assert (at.tree.actor[node] == 0) == ((seen.seat == seen.button) != ended)


def test_weights_add_up():
    bot = BlueprintAgent()
    for number in range(150):
        for seen, _ in decisions(number, bot):
            found = points(public_state(seen))
            assert not found or abs(sum(found.values()) - 1) < 1e-12
            assert all(weight > 0 for weight in found.values())


def test_of_too_many_places_the_likeliest_are_kept():
    found = _kept({node: float(node) for node in range(1, 101)})
    assert list(found) == list(range(100, 100 - MOST_POINTS, -1))
    assert sum(found.values()) == pytest.approx(1)


def test_what_the_bot_does_itself_is_on_the_tree():
    """Each of its raises leads every place on, and the size of one place to two sizes of another at most."""
    bot, tried = BlueprintAgent(), 0
    for number in range(60):
        for seen, _ in decisions(number, bot):
            state = public_state(seen)
            found, hand = followed(state)
            for action, chance in bot.odds(seen):
                if found and chance and action.kind == "raiseTo":
                    hand = state_after(state, action)
                    tried += 1
                    assert 0 < len(points(hand)) <= 2 * len(found) - 1
    assert tried > 50


def state_after(state: PublicState, action: Action) -> PublicState:
    hand = followed(state)[1]
    hand.apply(action)
    return PublicState(state.rules, state.starting_stacks, state.button, tuple(hand.log), state.board)
