"""Whether a new version is worse than an old one: the mean over the opponents, and each opponent alone."""

from math import inf

import numpy as np
import pytest

from molt_bench.rating.changes import MOST_TO_ONE, Look, Tolerance, change_sums, names_where

MARGIN = 500.0
TOLERANCE = Tolerance(MARGIN, first=10)


def look(mean, half, against=(0.0, 0.0), halves=(1.0, 1.0)):
    return Look(np.array([mean]), np.array([half]), np.array([against]), np.array([halves]))


def played(changes, *, seed_pairs=40, deviation=1500.0, gates=200):
    """Return the sums of many gates whose changes are these, opponent by opponent, and normal."""
    dice = np.random.default_rng(5)
    sums = change_sums(len(changes), hands=40, sd_per_hand=10_000.0, runs=gates)
    for at, change in enumerate(changes, start=1):
        won = dice.normal(change, deviation, (gates, seed_pairs))
        sums.add(np.zeros(gates, int), np.full(gates, at), won)
    return sums


def test_a_loss_is_sure_where_the_whole_interval_is_beyond_the_margin():
    assert TOLERANCE.lost(look(-800, 299)).all()
    assert not TOLERANCE.lost(look(-800, 301)).any()


def test_a_version_is_kept_where_the_whole_interval_is_on_this_side_of_the_margin_even_if_it_surely_lost():
    assert TOLERANCE.kept(look(-300, 199)).all()
    assert not TOLERANCE.kept(look(-300, 201)).any()


def test_more_than_the_margin_lost_to_one_opponent_is_a_loss():
    found = look(0, 100, against=(-900, 900), halves=(399, 100))
    assert TOLERANCE.lost(found).all()
    assert names_where(TOLERANCE.lost_to(found), ("a", "b")) == ["a"]


@pytest.mark.parametrize(
    ("estimate", "half", "suspect"), [(-300, 600, False), (-300, 800, True), (-200, 900, False), (100, 5000, False)]
)
def test_an_opponent_is_suspect_while_it_seems_to_have_taken_much_and_may_have_taken_far_more(estimate, half, suspect):
    assert TOLERANCE.suspects(look(0, 1, against=(estimate, 0), halves=(half, 1)))[0, 0] == suspect
    assert MOST_TO_ONE * MARGIN == 1000


def test_the_mean_counts_every_opponent_equally_however_often_it_was_met():
    sums = change_sums(2, hands=40, sd_per_hand=10_000.0)
    sums.add(np.zeros(1, int), np.full(1, 1), np.full((1, 10), 100.0))
    sums.add(np.zeros(1, int), np.full(1, 2), np.full((1, 90), 300.0))
    assert TOLERANCE.look(sums).mean == pytest.approx(200.0)
    assert TOLERANCE.look(sums).against[0] == pytest.approx([100.0, 300.0])


def test_nothing_is_known_of_the_mean_before_every_opponent_was_met():
    sums = change_sums(2, hands=40, sd_per_hand=10_000.0)
    sums.add(np.zeros(1, int), np.full(1, 1), np.full((1, 10), 100.0))
    assert TOLERANCE.look(sums).half == inf


def test_equals_do_not_fail_and_a_large_loss_does_on_average_or_to_one():
    assert not TOLERANCE.lost(TOLERANCE.look(played([0.0] * 4))).any()
    assert TOLERANCE.lost(TOLERANCE.look(played([-4 * MARGIN] * 4))).all()
    assert TOLERANCE.lost(TOLERANCE.look(played([0, 0, 0, -6 * MARGIN]))).mean() > 0.9


def test_a_loss_of_the_margin_in_every_opponent_is_seldom_called_either():
    found = TOLERANCE.look(played([-MARGIN] * 4))
    assert TOLERANCE.lost(found).mean() < 0.05
    assert TOLERANCE.kept(found).mean() < 0.05


def test_the_opponents_share_the_error_so_that_more_of_them_have_wider_intervals():
    few, many = (TOLERANCE.look(played([0.0] * count, gates=1)).halves[0, 0] for count in (2, 8))
    assert many > 1.05 * few


def test_what_it_would_take_grows_as_the_square_of_the_interval():
    assert TOLERANCE.times(look(-250, 500)) == pytest.approx(4.0)
    assert TOLERANCE.times(look(-MARGIN, 100)) == inf
    assert TOLERANCE.times(look(0, 100)) == 1.0
    suspect = look(0, 100, against=(-600, 0), halves=(800, 1))
    assert TOLERANCE.times(suspect) == pytest.approx(4.0)
