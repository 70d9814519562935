"""The local best response of `benchmarks/strength.py`, where what it must win is known."""

import numpy as np
import pytest

from molt_bench.agents.kinds import make_agent
from molt_bench.poker.cards import cards_from_text, deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import observe
from molt_bench.poker.range_equity import edges, hole_number


@pytest.fixture
def response(monkeypatch):
    monkeypatch.syspath_prepend("benchmarks")
    import local_best_response

    return local_best_response


def played(response, bot, variant, hole, *, button, stack):
    deck = [card for card in range(52) if card not in hole][::-1]
    responder = response.Responder(make_agent(bot), variant, response.Game(stack), hole=hole, button=button)
    return responder.play(deck, np.random.RandomState(0))


@pytest.mark.parametrize(("button", "won"), [(True, 1.0), (False, 0.5)])
def test_a_bot_that_always_folds_loses_its_blinds(response, button, won):
    hole = cards_from_text("7h2c")
    for variant in response.VARIANTS:
        assert played(response, "folder", variant, hole, button=button, stack=100).value == won


@pytest.mark.parametrize("hole", ["AhAd", "KsQs", "7h2c", "3d2c"])
def test_an_all_in_is_called_where_the_equity_is_worth_the_price(response, hole):
    cards = cards_from_text(hole)
    edge = edges(cards, ()).sum() / 1225
    won = played(response, "shover", response.VARIANTS[0], cards, button=False, stack=3).value
    assert won == pytest.approx(max(-1, 3 * edge))


@pytest.mark.parametrize("button", [True, False])
def test_against_one_who_only_calls_winnings_without_bets_are_the_luck_of_the_cards(response, button):
    won = played(response, "callstation", response.VARIANTS[0], cards_from_text("JhTd"), button=button, stack=100)
    assert won.value == pytest.approx(sum(won.luck))


def test_with_the_best_hand_it_bets_all_it_has_against_one_who_only_calls(response):
    hole, deck = cards_from_text("AhAd"), cards_from_text("AcAsKd7h2c")
    responder = response.Responder(
        make_agent("callstation"), response.VARIANTS[3], response.Game(100), hole=hole, button=True
    )
    assert responder.play(deck, np.random.RandomState(0)).value == pytest.approx(100, abs=0.2)


def test_a_range_is_what_the_bot_says_for_each_hand(response):
    hand = Hand(HandRules(50, 100), deal_from_text("AhAd KsKc 2c7d9hJsQc"), (10_000, 10_000), button=0)
    bot = make_agent("tight")
    actions, chances = response.range_policy(bot, observe(hand, 1))
    assert {action.kind for action in actions} == {"raiseTo", "call", "fold"}
    raises = [at for at, action in enumerate(actions) if action.kind == "raiseTo"]
    assert chances[hole_number(cards_from_text("AhAd")), raises].sum() == 1
    assert chances[hole_number(cards_from_text("7h2c")), raises].sum() == 0
    assert chances.sum(axis=1) == pytest.approx(1)
