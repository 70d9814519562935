"""The margin model in which skills add up."""

from math import sqrt

import numpy as np
import pytest

from molt_bench.rating.additive import AdditiveModel
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.student import UNKNOWN

TRUTH = {("a", "b"): 100.0, ("a", "c"): 250.0, ("b", "c"): 90.0}


def model_of(margins, names="abc", kind=AdditiveModel):
    model = kind(names)
    for pair, values in margins.items():
        model.add(pair, list(values))
    return model


def covers(estimate, truth):
    """Return whether the 95% interval holds the truth, without its quantile, which would take longer."""
    return 0.025 <= estimate.above(truth) <= 0.975


def test_additive_skills_by_hand():
    # a-b played twice and the others once, without squares: all have the variance 1/2 * 1,000,000 / 1.5 = 333,333.
    # Weights 2 : 1 : 1. a beats b by 300 and b beats c by 300, but a beats c by 900: 300 too much. Least squares shares
    # that out by one over the weight, 1/2 : 1 : 1 of 2.5: a-b gets 60 more, b-c 120 more, a-c 120 less.
    model = model_of({("a", "b"): [300.0, 300.0], ("a", "c"): [900.0], ("b", "c"): [300.0]})
    assert model.lead("a", "b").mean == pytest.approx(360)
    assert model.lead("b", "c").mean == pytest.approx(420)
    assert model.lead("a", "c").mean == pytest.approx(780)
    assert model.result("a").mean == pytest.approx((360 + 780) / 2)
    # Two ways lead from a to b, with variances 333,333 / 2 and 2 * 333,333: together 133,333.
    assert model.lead("a", "b").scale == pytest.approx(sqrt(400_000 / 3))
    # Margins are still those of their own games.
    assert model.margin("a", "c").mean == 900


def test_skills_of_who_is_not_connected_are_unknown():
    model = model_of({("a", "b"): [100.0, 200.0, 300.0]})
    assert model.lead("a", "c") == UNKNOWN
    assert model.result("a") == UNKNOWN


def test_additive_equals_pairwise_where_all_played_the_same():
    values = {pair: [truth - 500, truth + 500, truth] for pair, truth in TRUTH.items()}
    additive, pairwise = model_of(values), model_of(values, kind=MarginModel)
    for name in "abc":
        here, there = additive.result(name), pairwise.result(name)
        assert (here.mean, here.scale, here.free) == pytest.approx((there.mean, there.scale, there.free))
    for pair in TRUTH:
        here, there = additive.lead(*pair), pairwise.lead(*pair)
        assert (here.mean, here.scale, here.free) == pytest.approx((there.mean, there.scale, there.free))
    assert additive.ranking() == pairwise.ranking()


def test_additive_skills_need_no_game_between_every_two():
    chain = {("a", "b"): [100.0] * 9, ("b", "c"): [200.0] * 9}
    additive = model_of(chain)
    assert additive.lead("a", "c").mean == pytest.approx(300)
    assert additive.lead("a", "c").scale == pytest.approx(
        sqrt(additive.lead("a", "b").scale ** 2 + additive.lead("b", "c").scale ** 2)
    )
    assert model_of(chain, kind=MarginModel).lead("a", "c") == UNKNOWN


def test_additive_without_evidence_nothing_is_known():
    assert AdditiveModel("abc").result("a") == UNKNOWN


def test_additive_intervals_hold_the_truth_as_often_as_they_say():
    dice = np.random.RandomState(13)
    runs, count = 400, 12
    skills = {"a": 200.0, "b": 100.0, "c": 0.0, "d": -300.0}
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("b", "d")]  # a and c never meet
    held = np.zeros(2)
    for drawn in 1000 * dice.standard_normal((runs, len(pairs), count)):
        told = {
            pair: (skills[pair[0]] - skills[pair[1]] + own).tolist() for pair, own in zip(pairs, drawn, strict=True)
        }
        model = model_of(told, "abcd")
        held += [covers(model.lead("a", "c"), 200.0), covers(model.result("d"), -400.0)]
    assert all(0.92 <= share <= 0.98 for share in held / runs), held / runs
