"""OpenSkill ratings."""

from math import sqrt

import pytest
from openskill.models import PlackettLuce

from molt_bench.errors import ConfigError
from molt_bench.rating.openskill import Ratings, normal_cdf


def test_a_win_and_a_loss_move_the_ratings_as_openskill_says():
    model = PlackettLuce(tau=0.0)
    (winner,), (loser,) = model.rate([[model.rating()], [model.rating()]], ranks=[1, 2])
    ratings = Ratings(["a", "b"])
    change = ratings.update("a", "b", "A")
    assert (ratings["a"].mu, ratings["a"].sigma) == (winner.mu, winner.sigma)
    assert (ratings["b"].mu, ratings["b"].sigma) == (loser.mu, loser.sigma)
    assert change.before[0].mu == 25.0
    assert change.after == (ratings["a"], ratings["b"])


def test_defaults_are_those_of_the_requirements():
    rating = Ratings(["a"])["a"]
    assert (rating.mu, rating.sigma) == (25.0, 25 / 3)


def test_the_second_participant_may_win():
    ratings = Ratings(["a", "b"])
    ratings.update("a", "b", "B")
    assert [row.id for row in ratings.leaderboard()] == ["b", "a"]


def test_a_draw_between_equals_moves_no_mean_but_makes_both_surer():
    ratings = Ratings(["a", "b"])
    ratings.update("a", "b", "draw")
    assert ratings["a"].mu == pytest.approx(25)
    assert ratings["a"].sigma < 25 / 3
    assert (ratings["a"].draws, ratings["b"].draws, ratings["a"].matches) == (1, 1, 1)


def test_wins_losses_and_draws_are_counted():
    ratings = Ratings(["a", "b"])
    for winner in ("A", "A", "B", "draw"):
        ratings.update("a", "b", winner)
    assert (ratings["a"].matches, ratings["a"].wins, ratings["a"].losses, ratings["a"].draws) == (4, 2, 1, 1)
    assert (ratings["b"].matches, ratings["b"].wins, ratings["b"].losses, ratings["b"].draws) == (4, 1, 2, 1)


def test_sigma_never_grows():
    ratings = Ratings(["a", "b"])
    sigmas = []
    for number in range(200):
        ratings.update("a", "b", "AB"[number % 2])
        sigmas.append(ratings["a"].sigma)
    assert sigmas == sorted(sigmas, reverse=True)


def test_initial_ratings_and_defaults_can_be_set():
    ratings = Ratings(["a", "b"], mu=1500, sigma=500, initial={"b": (1700, 50)})
    assert (ratings["a"].mu, ratings["a"].sigma) == (1500, 500)
    assert (ratings["b"].mu, ratings["b"].sigma) == (1700, 50)


def test_equal_ratings_stand_in_the_order_of_the_participants():
    assert [row.id for row in Ratings(["c", "a", "b"]).leaderboard()] == ["c", "a", "b"]


def test_superiority_is_the_belief_about_skills_without_the_luck_of_a_match():
    ratings = Ratings(["a", "b"], initial={"a": (30, 3), "b": (25, 4)})
    assert ratings.superiority("a", "b") == pytest.approx(normal_cdf(5 / sqrt(25)))
    assert ratings.superiority("a", "b") + ratings.superiority("b", "a") == pytest.approx(1)
    assert ratings.superiority("a", "b") > ratings.predict_win_prob("a", "b") > 0.5


def test_superiority_gets_past_95_percent_where_predict_win_does_not():
    ratings = Ratings(["a", "b"])
    while ratings.superiority("a", "b") < 0.95:
        ratings.update("a", "b", "A")
    assert ratings.predict_win_prob("a", "b") < 0.95


def test_predict_win_of_close_agents_stays_low_however_sure_the_ratings_are():
    ratings = Ratings(["a", "b"], initial={"a": (26, 0.1), "b": (25, 0.1)})
    assert ratings.superiority("a", "b") > 0.999
    assert ratings.predict_win_prob("a", "b") < 0.6


@pytest.mark.parametrize(("value", "share"), [(0, 0.5), (1.959964, 0.975), (-1.644854, 0.05)])
def test_the_normal_distribution(value, share):
    assert normal_cdf(value) == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize("options", [{"mu": 1e6, "sigma": 1.0}, {"initial": {"b": (-1e6, 8.0)}}])
def test_a_mu_that_no_exponential_holds_is_refused(options):
    with pytest.raises(ConfigError, match=r"1000000.*at most 200 times rating.sigma0"):
        Ratings(["a", "b"], **options)


def test_the_farthest_mu_is_rated():
    ratings = Ratings(["a", "b"], initial={"a": (200.0, 1e-6), "b": (-200.0, 1e-6)}, sigma=1.0)
    change = ratings.update("a", "b", "B")
    assert change.after[0].mu == pytest.approx(200)
    assert 0 < change.after[1].sigma <= 1e-6
