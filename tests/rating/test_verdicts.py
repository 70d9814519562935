"""Verdicts: what margins say about neighbours in the ranking."""

from itertools import combinations

import pytest

from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.loader import load_config
from molt_bench.rating.pairwise_model import MarginModel
from molt_bench.rating.sequential import Anytime, Horizon
from molt_bench.rating.verdicts import Judge, holm


def a_model(leads, count=20, spread=1000.0):
    """Return a model in which each pair has margins around a lead."""
    names = sorted({name for pair in leads for name in pair})
    model = MarginModel(names)
    for pair, lead in leads.items():
        model.add(pair, [lead + spread * (1 if number % 2 else -1) for number in range(count)])
    return model


TESTS = {"horizon": Horizon(250.0, 10), "anytime": Anytime(250.0)}


@pytest.fixture(params=TESTS)
def judge(request):
    return Judge(TESTS[request.param])


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


def test_without_ties_there_is_no_horizon():
    """Nothing is ever tied, and the mixture still orders."""
    config = {"stop": {"adjacentConfidence": {"tieMarginMbb": 0}}}
    judge = judge_of(load_config(config))
    assert judge.test == Anytime(0.0)
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
        judge = Judge(TESTS["horizon"], 0.05, familywise)
        found = judge.neighbours(model)
        doubts = [judge.test.doubt(each.lead) for each in found]
        allowed = holm(doubts, 0.05) if familywise else [0.05] * 4
        assert [each.kind == "ordered" for each in found] == [a <= b for a, b in zip(doubts, allowed, strict=True)]


def test_holm_stops_at_the_first_that_does_not_pass():
    assert holm([0.01, 0.03, 0.02], 0.06) == [0.02, 0.06, 0.03]
    assert holm([0.03, 0.03, 0.03], 0.06) == [0.02, 0.02, 0.02]
    assert holm([], 0.06) == []
