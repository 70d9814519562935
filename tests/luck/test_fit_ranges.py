"""The script that fitted the weights against built-in bots: it solves, and it measures what the estimator uses."""

import numpy as np
import pytest
from fit_ranges import BIG_BLIND, BOTS, CHANCE, MEAN, SOLID_CORRECTED, columns, fit_weights, frozen, player_of

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.luck.coefficients import AGAINST
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.play_games import play_game

TRUE = np.array([0.5, 4.0, 20.0])


def made(hands, *, scale, label):
    """Make a pairing in which the weights are the true ones but for noise, and all amounts have a scale."""
    dice = np.random.RandomState(label)
    features = scale * dice.normal(size=(hands, 3)) + 7
    return features, features @ TRUE + scale * dice.normal(size=hands), scale**2


def test_the_fit_finds_the_weights_that_were_put_in():
    samples = [made(1_000, scale=scale, label=scale) for scale in (1, 30)]
    found = fit_weights(samples, prior=np.ones(3), spread=np.full(3, 10.0))
    assert np.abs(found - TRUE).max() < 0.1


def test_a_pairing_does_not_count_for_more_because_its_pots_are_larger():
    features, target, variance = made(1_000, scale=1, label=1)
    large = [(30 * features, 30 * (target + features[:, 0]), 900 * variance)]
    both = fit_weights([(features, target, variance), *large], prior=np.ones(3), spread=np.full(3, 10.0))
    assert both[0] == pytest.approx(TRUE[0] + 0.5, abs=0.1), "the large one alone says one more"


def test_a_weight_without_data_stays_at_the_prior():
    features, target, variance = made(1_000, scale=1, label=1)
    features[:, 1] = 0
    found = fit_weights([(features, target, variance)], prior=np.array([1.0, 2.5, 1.0]), spread=np.full(3, 10.0))
    assert found[1] == 2.5


@pytest.mark.parametrize("seating", ["AB", "BA"])
@pytest.mark.parametrize("bot", BOTS)
def test_it_measures_what_the_estimator_uses(bot, seating):
    agent = BUILTIN_AGENTS[bot](seed="bot")
    record = play_game((player_of("noisy 3"), agent), seed="measured", hands=8, stack=2_000, seating=seating)
    won = game_estimates(record, (None, agent.policy), averaged=True)
    found = BIG_BLIND * columns(record, agent).sum(axis=0)
    assert found[SOLID_CORRECTED] == pytest.approx(won.corrected_solid)
    assert found[MEAN] - found[CHANCE] @ frozen()[bot] == pytest.approx(won.ranged)


def test_every_bot_is_fitted_but_the_one_against_whom_no_card_matters():
    assert set(AGAINST) - set(BOTS) == {"folder"}
    assert not np.any(AGAINST["folder"].chance)
