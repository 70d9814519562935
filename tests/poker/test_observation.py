"""What a seat sees, and what it never sees."""

from itertools import chain

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.poker.plays import CAPS, PLANS, STACKS, step

from molt_bench import play_game
from molt_bench.agents.scripted import RandomAgent
from molt_bench.poker.actions import CALL, CHECK, Action, LegalActions
from molt_bench.poker.cards import cards_from_text, deal_from_text
from molt_bench.poker.deck import Shoe
from molt_bench.poker.hand import NOBODY, Hand, HandRules
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.poker.views import observe, result_for
from molt_bench.seeds import derive

RULES = HandRules(50, 100)
DEAL = deal_from_text("AhAd KsKc 2c7d9hJsQc")


def views(hand, plan):
    """Play a hand and return everything both seats were shown, as bytes, and who saw how much of the board."""
    plan = iter(plan)
    seen = []
    while hand.actor != NOBODY:
        seen.append((hand.actor, len(hand.board), msgspec.json.encode(observe(hand, 1))))
        step(hand, plan)
    return seen


def test_an_observation_shows_the_spot_from_the_seat_to_act():
    hand = Hand(RULES, DEAL, (10_000, 8_000), button=1)
    hand.apply(Action("raiseTo", 300))
    seen = observe(hand, 12)
    assert seen.cards == cards_from_text("AhAd")
    assert (seen.seat, seen.button, seen.position) == (0, 1, "big_blind")
    assert (seen.hand_number, seen.street, seen.board) == (12, "preflop", ())
    assert (seen.pot, seen.stacks, seen.bets) == (400, (9_900, 7_700), (100, 300))
    assert (seen.stack, seen.opponent_stack, seen.starting_stacks) == (9_900, 7_700, (10_000, 8_000))
    assert seen.legal == LegalActions(200, 500, 10_000)
    assert (seen.to_call, seen.min_raise_to, seen.max_raise_to) == (200, 500, 10_000)
    assert seen.pot_odds == 200 / 600
    assert [(done.street, done.seat, done.kind, done.amount) for done in seen.log] == [("preflop", 1, "raiseTo", 300)]
    assert (seen.small_blind, seen.big_blind) == (50, 100)
    assert seen.previous_error is None
    assert (seen.cards_text, seen.board_text) == ("AhAd", "")


@given(seed=st.integers(), other_seed=st.integers(), plan=PLANS, button=st.integers(0, 1))
def test_swapping_the_unseen_cards_leaves_every_observation_byte_identical(seed, other_seed, plan, button):
    """Whatever a seat cannot see may be anything: what it is shown stays the same, byte for byte."""
    deal = Shoe(seed).deal(1)
    shown = views(Hand(RULES, deal, (5_000, 5_000), button=button), plan)
    holes, board = Shoe(other_seed).deal(1)
    pool = [*chain(*holes), *board]
    for seat in (0, 1):
        for board_size in {size for who, size, _ in shown if who == seat}:
            known = {*deal[0][seat], *deal[1][:board_size]}
            fresh = iter([card for card in (*pool, *range(52)) if card not in known])
            drawn: list[int] = []
            while len(drawn) < 7 - board_size:
                card = next(fresh)
                if card not in drawn:
                    drawn.append(card)
            hidden = (drawn[0], drawn[1])
            swapped = (deal[0][0], hidden) if seat == 0 else (hidden, deal[0][1])
            other = Hand(RULES, (swapped, (*deal[1][:board_size], *drawn[2:])), (5_000, 5_000), button=button)
            again = views(other, plan)
            for one, two in zip(shown, again, strict=False):
                if one[0] == seat and one[1] <= board_size:
                    assert one == two


@given(seed=st.integers(), plan=PLANS)
def test_no_reference_leads_from_an_observation_to_the_hand(seed, plan):
    """Everything reachable is plain values, and no card among them is one the seat cannot see."""
    hand = Hand(RULES, Shoe(seed).deal(1), (5_000, 5_000), button=0)
    plan = iter(plan)
    while hand.actor != NOBODY:
        observation = observe(hand, 1)
        plain = msgspec.to_builtins(observation)
        assert plain["cards"] == hand.holes[hand.actor]
        assert plain["board"] == hand.board
        assert len(plain["board"]) in (0, 3, 4, 5)
        for value in reachable(observation):
            assert type(value).__module__ in ("builtins", *PLAIN_MODULES), value
            assert not isinstance(value, list | dict | Hand)
        step(hand, plan)


PLAIN_MODULES = ("molt_bench.poker.observation", "molt_bench.poker.actions", "molt_bench.poker.hand_rules")


def reachable(value):
    yield value
    if isinstance(value, msgspec.Struct):
        for field in value.__struct_fields__:
            yield from reachable(getattr(value, field))
    elif isinstance(value, tuple):
        for item in value:
            yield from reachable(item)


def test_an_observation_goes_through_json_and_back():
    observation = observe(Hand(RULES, DEAL, (10_000, 10_000), button=0), 1)
    assert msgspec.json.decode(msgspec.json.encode(observation), type=Observation) == observation


def test_a_showdown_shows_both_hands():
    hand = Hand(RULES, DEAL, (10_000, 10_000), button=0)
    hand.apply(Action("raiseTo", 10_000))
    hand.apply(CALL)
    result = result_for(hand, 1, 3)
    assert isinstance(result, HandResult)
    assert (result.cards, result.opponent_cards) == (cards_from_text("KsKc"), cards_from_text("AhAd"))
    assert (result.net, result.hand_number, result.board) == ((10_000, -10_000), 3, DEAL[1])


def test_a_folded_hand_stays_hidden_from_both_seats():
    for seat in (0, 1):
        hand = Hand(RULES, DEAL, (10_000, 10_000), button=0)
        hand.apply(Action("raiseTo", 300))
        hand.apply(Action("fold"))
        assert result_for(hand, seat, 1).opponent_cards is None
        assert result_for(hand, seat, 1).board == ()


@given(
    seed=st.integers(),
    plan=PLANS,
    stacks=STACKS,
    cap=CAPS,
    ante=st.integers(0, 150),
)
def test_an_observation_has_the_legal_actions_of_the_hand(seed, plan, stacks, cap, ante):
    hand = Hand(HandRules(50, 100, ante, cap), Shoe(seed).deal(1), stacks, button=0)
    plan = iter(plan)
    while hand.actor != NOBODY:
        seen = observe(hand, 1)
        assert seen.legal == hand.legal_actions()
        assert seen.stacks == hand.stacks
        goes_back = max(0, seen.bets[1 - seen.seat] - seen.bets[seen.seat] - seen.stack)
        assert seen.pot + goes_back + sum(seen.stacks) == sum(stacks)
        step(hand, plan)


WON = deal_from_text("AhAd 7s2c AsKcQc8d3h"), deal_from_text("7s2c AhAd AsKcQc8d3h")


def checked_down(rules, stacks, button, log, *, winner):
    """Play the actions of a log, a call and checks; return the net chips of both if `winner` has the best hand."""
    hand = Hand(rules, WON[winner], stacks, button)
    for done in log:
        hand.apply(Action(done.kind, done.amount if done.kind == "raiseTo" else 0))
    while hand.actor != NOBODY:
        hand.apply(CALL if hand.legal_actions().to_call else CHECK)
    return hand.payoffs


@given(
    stacks=STACKS | st.integers(1, 3_000).map(lambda each: (each, each)),
    ante=st.sampled_from([0, 0, 25, 400]),
    raise_cap=st.sampled_from([None, None, 1, 3]),
    button=st.integers(0, 1),
    plan=st.lists(st.tuples(st.sampled_from([1, 6, 9]), st.integers(0, 10**6) | st.just(-1)), max_size=12),
)
def test_the_pot_is_what_a_call_can_win_and_its_price_what_it_can_lose(stacks, ante, raise_cap, button, plan):
    rules = HandRules(50, 100, ante, raise_cap)
    hand = Hand(rules, DEAL, stacks, button)
    plan = iter(plan)
    while hand.actor != NOBODY:
        seen = observe(hand, 1)
        folded = -hand.betting.chips_in(seen.seat)
        won, lost = (
            checked_down(rules, stacks, button, hand.log, winner=seat)[seen.seat] for seat in (seen.seat, 1 - seen.seat)
        )
        assert (seen.pot, seen.to_call) == (won - folded, folded - lost)
        # The equity with which a call is worth as much as a fold.
        needed = (folded - lost) / (won - lost)
        assert abs(seen.pot_odds - needed) < 1e-12
        step(hand, plan)


@pytest.mark.parametrize("mode", [{}, {"stacks": "carry"}, {"ante": 30}, {"raise_cap": 2}, {"warmup_hands": 40}])
def test_in_games_of_every_mode_no_chip_counts_that_goes_back(mode):
    covered = 0

    class Shoves(RandomAgent):
        def act(self, seen):
            nonlocal covered
            own, other = (start - left for start, left in zip(seen.starting_stacks, seen.stacks, strict=True))
            if seen.seat:
                own, other = other, own
            assert seen.pot == own + min(other, seen.starting_stacks[seen.seat])
            covered += other > seen.starting_stacks[seen.seat]
            if seen.max_raise_to and derive(seen.hand_number, *seen.cards) % 10 < 3:
                return Action("raiseTo", seen.max_raise_to)
            return super().act(seen)

    for seed in range(20):
        options = {"stack": 3_000, **mode}
        assert play_game((Shoves(name="a"), Shoves(name="b")), seed=seed, hands=40, **options).faults == ()
    assert bool(covered) is ("stacks" in mode), "only stacks that are carried over are uneven"


def test_fifty_to_call_into_two_hundred_and_fifty_needs_a_sixth():
    hand = Hand(RULES, DEAL, (19_850, 150), button=1)
    for action in (CALL, CHECK, Action("raiseTo", 19_750)):
        hand.apply(action)
    seen = observe(hand, 1)
    assert (seen.seat, seen.to_call, seen.pot, round(seen.pot_odds, 3)) == (1, 50, 250, 0.167)
    assert seen.bets == (19_750, 0), "a bet is what was bet"
