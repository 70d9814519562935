"""Leads of a gauntlet whose pairings share their seeds."""

from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from molt_bench.rating.gauntlet import GauntletModel
from molt_bench.rating.pair_sums import Allowances
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.verdicts import Judge

VALUES = (-300.0, -100.0, 100.0, 300.0)
#: Without what intervals allow for beside the covariance.
PLAIN = Allowances(guarded=False)


def gauntlet(margins, *, seeds=None, names="abr"):
    """Return the model of what everybody but the last wins from it, seed pair by seed pair."""
    model = GauntletModel(names, names[-1], allows=PLAIN)
    for name, values in margins.items():
        model.add((name, names[-1]), values, None if seeds is None else seeds[: len(values)])
    return model


def test_two_who_are_lucky_together_have_a_sharper_lead():
    # Four seed pairs with a correlation of 1, as if ten more had none; the samples' own variance is 200,000 / 3.
    apart, together = (gauntlet({"a": VALUES, "b": VALUES}, seeds=seeds).lead("a", "b") for seeds in (None, range(4)))
    assert together.scale**2 == pytest.approx(apart.scale**2 - 2 * (4 / 14) * (200_000 / 3) / 4)
    assert together.unit**2 == pytest.approx(4 * together.scale**2)
    assert (together.mean, together.free) == (0.0, 3.0)


def test_the_lead_of_the_second_is_the_same_turned_around():
    model = gauntlet({"a": [5.0, 30.0, -20.0, 8.0], "b": [1.0, 25.0, -10.0, -9.0]}, seeds="wxyz")
    there, back = model.lead("a", "b"), model.lead("b", "a")
    assert (there.mean, there.scale, there.free, there.unit) == (-back.mean, back.scale, back.free, back.unit)


def test_two_who_are_lucky_in_turn_have_a_blurred_one():
    # The whole correlation counts where it makes a lead vary more.
    apart, together = (gauntlet({"a": VALUES, "b": VALUES[::-1]}, seeds=seeds) for seeds in (None, range(4)))
    assert together.lead("a", "b").scale == pytest.approx(apart.lead("a", "b").scale * sqrt(2))
    assert together.lead("a", "b").free == 3


def test_only_seeds_that_both_have_played_count():
    few, many = [-100.0, 100.0], [-100.0, 100.0, 700.0, -700.0]
    apart, together = (gauntlet({"a": many, "b": few}, seeds=seeds) for seeds in (None, range(4)))
    variance = together.variance("a", "r") / 4 + together.variance("b", "r") / 2
    assert apart.lead("a", "b").scale == pytest.approx(sqrt(variance))
    covariance = 2 / (2 + 10) * sqrt(1_000_000 / 3 * 20_000) * 2 / (4 * 2)
    assert together.lead("a", "b").scale == pytest.approx(sqrt(variance - 2 * covariance))
    assert together.lead("a", "b").free == 1


def test_it_does_not_matter_who_was_declared_first():
    margins = {"a": [5.0, 30.0, -20.0, 8.0], "b": [1.0, 25.0, -10.0, -9.0]}
    leads = []
    for names in ("abr", "arb", "rab"):
        model = GauntletModel(names, "r", allows=PLAIN)
        for name, values in margins.items():
            model.add((name, "r"), values, "wxyz")
        leads.append(model.lead("a", "b"))
    assert leads[0] == leads[1] == leads[2]


def test_variances_drawn_to_each_other_make_no_more_of_a_correlation():
    # What is shrunk are the variances; the covariance would grow with the smaller one, and be too much of a good thing.
    wild = [10 * value for value in VALUES]
    model = gauntlet({"a": wild, "b": VALUES}, seeds=range(4))
    apart = gauntlet({"a": wild, "b": VALUES}).lead("a", "b")
    assert model.variance("b", "r") > 2 * model.own_variance("b", "r")
    covariance = (4 / 14) * sqrt(model.own_variance("a", "r") * model.own_variance("b", "r")) / 4
    assert model.lead("a", "b").scale ** 2 == pytest.approx(apart.scale**2 - 2 * covariance)


def test_seeds_of_ones_own_change_nothing():
    one = gauntlet({"a": VALUES, "b": VALUES})
    model = GauntletModel("abr", "r", allows=PLAIN)
    model.add(("a", "r"), VALUES, range(4))
    model.add(("b", "r"), VALUES, range(4, 8))
    assert model.lead("a", "b") == one.lead("a", "b")


@pytest.mark.parametrize("method", ["add", "replace"])
def test_a_seed_means_nothing_to_others_where_decks_are_a_pairings_own(method):
    shared, own = (GauntletModel("abcr", "r", own_decks=names, allows=PLAIN) for names in ("", "b"))
    for model in (shared, own):
        for name in "abc":
            getattr(model, method)((name, "r"), VALUES, range(4))
    alone = gauntlet(dict.fromkeys("abc", VALUES), names="abcr")
    assert own.lead("a", "b") == own.lead("c", "b") == alone.lead("a", "b")
    assert own.lead("a", "c") == shared.lead("a", "b") != alone.lead("a", "b")


def test_results_and_leads_over_the_reference_are_as_without():
    apart, together = (gauntlet({"a": VALUES, "b": VALUES}, seeds=seeds) for seeds in (None, range(4)))
    for name in "abr":
        assert together.result(name) == apart.result(name)
    assert together.lead("a", "r") == apart.lead("a", "r")


@pytest.mark.parametrize("margins", [{"a": [100.0], "b": [100.0]}, {"a": [7.0] * 5, "b": [7.0] * 5}, {"a": VALUES}])
def test_without_anything_to_correlate_nothing_is_claimed(margins):
    apart, together = (gauntlet(margins, seeds=seeds) for seeds in (None, range(5)))
    assert together.lead("a", "b") == apart.lead("a", "b")


def test_it_never_becomes_certain():
    # The same play on the same cards, in four participants and a thousand seed pairs.
    values = np.random.RandomState(1).standard_normal(1000).tolist()
    model = gauntlet(dict.fromkeys("abcd", values), seeds=range(1000), names="abcdr")
    for pair in combinations("abcd", 2):
        lead = model.lead(*pair)
        assert 0 < lead.scale < 0.01
        assert lead.mean == 0
        assert Horizon(tie_margin=1.0, first=5).tie_doubt(lead) < 1e-6


def test_two_who_have_won_the_same_so_far_are_not_tied_by_that():
    values = [500 * value for value in np.random.RandomState(2).standard_normal(30)]
    model, apart = (gauntlet({"a": values, "b": values}, seeds=seeds) for seeds in (range(30), None))
    assert model.wide_lead("a", "b") == apart.lead("a", "b")
    (verdict, _) = Judge(Horizon(tie_margin=250.0, first=5)).verdicts(model, [("a", "b"), ("a", "r")])
    assert (verdict.lead, verdict.kind) == (model.lead("a", "b"), "unresolved")
    assert Horizon(tie_margin=250.0, first=5).tie_doubt(verdict.lead) < 0.05


def test_luck_that_makes_a_lead_vary_more_counts_against_a_tie():
    model = gauntlet({"a": VALUES, "b": VALUES[::-1]}, seeds=range(4))
    assert model.wide_lead("a", "b") == model.lead("a", "b")


@pytest.mark.parametrize(("share", "deviation", "count"), [(0.13, 500, 10), (0.05, 1000, 20)])
def test_intervals_hold_a_difference_that_shows_on_rare_decks_alone(share, deviation, count):
    dice = np.random.RandomState(3)
    hits, times = 0, 1000
    for _ in range(times):
        common = deviation * dice.standard_normal(count)
        better = common + 260 / share * (dice.random_sample(count) < share)
        low, high = gauntlet({"a": better.tolist(), "b": common.tolist()}, seeds=range(count)).lead("a", "b").interval()
        hits += low <= 260 <= high
    assert hits / times > 0.92


@pytest.mark.parametrize(("correlation", "counts"), [(-0.5, (5, 5)), (0.0, (5, 5)), (0.5, (20, 6)), (0.95, (10, 10))])
@pytest.mark.slow
def test_intervals_of_leads_hold_the_truth_as_often_as_they_say(correlation, counts):
    dice = np.random.RandomState(17)
    hits, times = 0, 1000
    for _ in range(times):
        first = dice.standard_normal(max(counts))
        second = correlation * first + sqrt(1 - correlation**2) * dice.standard_normal(max(counts))
        margins = {"a": (900 * first)[: counts[0]].tolist(), "b": (300 * second)[: counts[1]].tolist()}
        lead = gauntlet(margins, seeds=range(max(counts))).lead("a", "b")
        low, high = lead.interval(0.95)
        hits += low <= 0 <= high
    assert hits / times > 0.93
