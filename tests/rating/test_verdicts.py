"""Verdicts: what margins say about neighbours in the ranking."""

from itertools import combinations

import numpy as np
import pytest

from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.loader import load_config
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Judge, holm


def a_model(leads, count=20, spread=1000.0):
    """Return a model in which each pair has margins around a lead."""
    names = sorted({name for pair in leads for name in pair})
    model = MarginModel(names)
    for pair, lead in leads.items():
        model.add(pair, [lead + spread * (1 if number % 2 else -1) for number in range(count)])
    return model


TEST = Horizon(250.0, 10)


@pytest.fixture
def judge():
    return Judge(TEST)


def kinds(model, judge):
    return [(each.above, each.below, each.kind) for each in judge.neighbours(model)]


def test_a_clear_lead_is_an_order(judge):
    assert kinds(a_model({("a", "b"): -2000.0}), judge) == [("b", "a", "ordered")]


def test_a_clear_lead_the_other_way_is_said_to_be_reversed(judge):
    (found,) = judge.verdicts(a_model({("a", "b"): -2000.0}), [("a", "b")])
    assert found.kind == "reversed"
    assert found.sure < 0.01


def test_a_small_lead_that_is_well_known_is_a_tie(judge):
    assert kinds(a_model({("a", "b"): 20.0}, count=400), judge) == [("a", "b", "tied")]


def test_what_is_between_is_not_resolved(judge):
    assert kinds(a_model({("a", "b"): 300.0}, count=10), judge) == [("a", "b", "unresolved")]


def test_without_a_tie_margin_nothing_is_tied_and_orders_are_still_claimed():
    config = {"stop": {"adjacentConfidence": {"tieMarginMbb": 0}}}
    judge = judge_of(load_config(config))
    assert judge.test.tie_margin == 0
    assert kinds(a_model({("a", "b"): 2000.0}), judge) == [("a", "b", "ordered")]
    assert kinds(a_model({("a", "b"): 1.0}, count=4000), judge) == [("a", "b", "unresolved")]


def test_the_first_look_is_after_whole_matches():
    config = {"scheduler": {"minSeedPairs": 12}, "seeds": {"perMatch": 5}}
    assert judge_of(load_config(config)).test == Horizon(250.0, 15)


def ladder_of_five():
    model = MarginModel("abcde")
    for one, two in combinations(range(5), 2):
        gap = 620.0 * (two - one)
        model.add(("abcde"[one], "abcde"[two]), [gap + 900 * (-1) ** number for number in range(16)])
    return model


def test_each_verdict_has_the_whole_error_unless_it_is_that_of_all_together():
    model = ladder_of_five()
    for familywise in (False, True):
        judge = Judge(TEST, 0.05, familywise)
        found = judge.neighbours(model)
        doubts = [judge.test.doubt(each.lead) for each in found]
        allowed = holm(doubts, 0.05) if familywise else [0.05] * 4
        assert [each.kind == "ordered" for each in found] == [a <= b for a, b in zip(doubts, allowed, strict=True)]


def test_holm_stops_at_the_first_that_does_not_pass():
    assert holm([0.01, 0.03, 0.02], 0.06) == [0.02, 0.06, 0.03]
    assert holm([0.03, 0.03, 0.03], 0.06) == [0.02, 0.02, 0.02]
    assert holm([], 0.06) == []


# The lead of a claimed order

JUDGE = Judge(TEST, 0.05, first=10)


def test_a_lead_that_was_enough_at_the_first_look_is_as_it_is():
    lead = Estimate(600.0, 100.0, 9.0, 100.0 * 10**0.5)
    assert JUDGE.shrunk(lead) == 600.0


def test_the_longer_it_took_the_more_it_is_shrunk_and_never_beyond_0():
    leads = [Estimate(310.0, 100.0, 1e6, 100.0 * (10 * looks) ** 0.5) for looks in (1, 2, 5, 50)]
    shrunk = [JUDGE.shrunk(lead) for lead in leads]
    assert shrunk == sorted(shrunk, reverse=True)
    assert all(0 < each <= 310 for each in shrunk)
    assert JUDGE.shrunk(Estimate(-310.0, 100.0, 1e6, 2e3)) == -JUDGE.shrunk(Estimate(310.0, 100.0, 1e6, 2e3))


@pytest.mark.parametrize("truth", [250.0, 300.0, 400.0])
@pytest.mark.slow
def test_most_of_what_stopping_adds_to_the_median_is_gone(truth):
    """Two agents, a look after every ten seed pairs, until they are ordered."""
    dice = np.random.default_rng(5)
    plain, shrunk = [], []
    counts = np.arange(10, 1001, 10)
    bars = [JUDGE.test.bars(Estimate(0.0, 1.0, count - 1.0, 500.0), 0.05)[0] for count in counts.tolist()]
    for _ in range(1500):
        drawn = dice.normal(truth, 500.0, 1000)
        means = drawn.cumsum()[9::10] / counts
        errors = np.sqrt(((drawn**2).cumsum()[9::10] / counts - means**2) / (counts - 1))
        far = means >= np.array(bars) * errors
        if far.any():
            at = int(far.argmax())
            lead = Estimate(means[at], errors[at], counts[at] - 1.0, errors[at] * counts[at] ** 0.5)
            plain.append(lead.mean - truth)
            shrunk.append(JUDGE.shrunk(lead) - truth)
    assert np.median(plain) > 8
    assert abs(np.median(shrunk)) < 0.7 * np.median(plain)
    assert abs(np.mean(shrunk)) < 0.8 * np.mean(plain)
