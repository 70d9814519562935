"""FR-4: OpenSkill ratings."""

import pytest

import molt_bench
from tests.prd.conftest import small


def test_fr4_15_ratings_begin_at_25_and_a_third_of_it():
    """15: mu0 = 25 and sigma0 = 25 / 3 by default."""
    (rating,) = molt_bench.Ratings(["a"]).leaderboard()
    assert (rating.mu, rating.sigma) == (25, pytest.approx(25 / 3))


def test_fr4_15_the_defaults_are_settings(played):
    """15: configurable defaults."""
    (rating,) = molt_bench.Ratings(["a"], mu=1500, sigma=500).leaderboard()
    assert (rating.mu, rating.sigma) == (1500, 500)
    run = played(small("random", "tight", matches=1, rating={"mu0": 40, "sigma0": 5}))
    for name, row in run.board.items():
        change = run.matches[0]["ratingDelta"][name]
        assert (row["mu"] - change["mu"], row["sigma"] - change["sigma"]) == pytest.approx((40, 5))
    usual = played(small("random", "tight", matches=1), name="usual").config["rating"]
    assert (usual["mu0"], usual["sigma0"]) == (25, pytest.approx(25 / 3))


def test_fr4_16_a_match_moves_both_ratings_as_openskill_says():
    """16: after each match both ratings are updated. The numbers are OpenSkill's for Plackett-Luce."""
    ratings = molt_bench.Ratings(["winner", "loser"])
    ratings.update("winner", "loser", "A")
    winner, loser = ratings.leaderboard()
    assert (winner.id, loser.id) == ("winner", "loser")
    assert (winner.mu, loser.mu) == pytest.approx((27.635, 22.365), abs=0.005)
    assert (winner.sigma, loser.sigma) == pytest.approx((8.0655, 8.0655), abs=0.002)


def test_fr4_16_every_match_of_a_run_moves_both_ratings(played):
    """16: after each match, by win or loss."""
    run = played(small("random", "tight", "callstation", matches=4))
    for match in run.matches:
        first, second = match["participantA"], match["participantB"]
        winner, loser = (first, second) if match["result"]["winner"] == "A" else (second, first)
        assert match["ratingDelta"][winner]["mu"] > 0 > match["ratingDelta"][loser]["mu"]
        assert all(change["sigma"] < 0 for change in match["ratingDelta"].values())


def test_fr4_17_the_leaderboard_is_sorted_by_mu_and_counts_matches():
    """17: sorted by mu descending, with sigma, match count, win/loss record."""
    ratings = molt_bench.Ratings(["a", "b", "c"])
    ratings.update("a", "b", "B")
    ratings.update("c", "b", "A")
    ratings.update("a", "c", "draw")
    board = ratings.leaderboard()
    assert [row.mu for row in board] == sorted((row.mu for row in board), reverse=True)
    assert {row.id: (row.matches, row.wins, row.losses) for row in board} == {
        "a": (2, 0, 1),
        "b": (2, 1, 1),
        "c": (2, 1, 0),
    }
    assert board[0].id == "c"
    assert board[-1].id == "a"
    assert all(0 < row.sigma < 25 / 3 for row in board)


def test_fr4_18_the_probability_of_a_win_follows_the_ratings():
    """18: predictWinProb(A, B)."""
    ratings = molt_bench.Ratings(["a", "b", "c"], initial={"c": (60, 1)})
    assert ratings.predict_win_prob("a", "b") == pytest.approx(0.5)
    ratings.update("a", "b", "A")
    better = ratings.predict_win_prob("a", "b")
    assert 0.5 < better < 1
    assert better + ratings.predict_win_prob("b", "a") == pytest.approx(1)
    assert ratings.predict_win_prob("c", "a") > better
