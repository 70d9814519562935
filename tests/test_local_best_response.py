"""The local best response of `research/strength.py`, where what it must win is known."""

from statistics import fmean

import numpy as np
import pytest

from molt_bench.agents.kinds import make_agent
from molt_bench.plugins.reference.range_equity import edges, hole_number
from molt_bench.poker.cards import cards_from_text, deal_from_text
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.views import observe


@pytest.fixture
def response(monkeypatch):
    monkeypatch.syspath_prepend("research")
    import local_best_response

    return local_best_response


def played(response, bot, variant, *, button, stack, cards=range(52)):
    deck, dice = response.Deck(cards), np.random.RandomState(0)
    return response.Responder(make_agent(bot), variant, response.Game(stack), deck, button=button, dice=dice).play()


@pytest.mark.parametrize(("button", "won"), [(True, 1.0), (False, 0.5)])
def test_a_bot_that_always_folds_loses_its_blinds(response, button, won):
    for variant in response.VARIANTS:
        assert played(response, "folder", variant, button=button, stack=100).value == pytest.approx(won)


def test_an_all_in_is_called_where_the_equity_is_worth_the_price(response):
    worth = fmean(max(-1.0, 3 * edges((high, low), ()).sum() / 1225) for low, high in response.HOLES)
    won = played(response, "shover", response.VARIANTS[0], button=False, stack=3).value
    assert won == pytest.approx(worth, abs=1e-6)


def test_a_range_is_what_the_bot_says_for_each_hand(response):
    hand = Hand(HandRules(50, 100), deal_from_text("AhAd KsKc 2c7d9hJsQc"), (10_000, 10_000), button=0)
    bot = make_agent("tight")
    actions, chances = response.range_policy(bot, observe(hand, 1))
    assert {action.kind for action in actions} == {"raiseTo", "call", "fold"}
    raises = [at for at, action in enumerate(actions) if action.kind == "raiseTo"]
    assert chances[hole_number(cards_from_text("AhAd")), raises].sum() == 1
    assert chances[hole_number(cards_from_text("7h2c")), raises].sum() == 0
    assert chances.sum(axis=1) == pytest.approx(1)
