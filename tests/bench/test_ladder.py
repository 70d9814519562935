"""The ladder: what margins say about neighbours, and what the scheduler and the stop rule make of it."""

from itertools import combinations
from math import inf

import pytest

from molt_bench import run_benchmark
from molt_bench.bench.stop_rules import Progress, adjacent_margins, judge_of
from molt_bench.config.loader import load_config
from molt_bench.rating.margin import MarginModel
from molt_bench.rating.sequential import Anytime, Horizon
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Judge, Verdict, holm


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


def progress(*verdicts_, connected=True):
    return Progress(
        matches=3, games=60, hands=3000, seconds=1.0, ranking=("a", "b", "c"), confidences=(0.99, 0.5),
        verdicts=verdicts_, connected=connected,
    )  # fmt: skip


def a_verdict(kind, sure=0.99):
    return Verdict("a", "b", Estimate(100.0, 10.0, 20.0), sure, kind)


def test_a_run_stops_when_everything_is_ordered_or_tied():
    rule = adjacent_margins(0.95, 250)
    assert rule(progress(a_verdict("ordered"), a_verdict("unresolved"))) is None
    assert rule(progress(a_verdict("ordered"), connected=False)) is None
    said = rule(progress(a_verdict("ordered", 0.981), a_verdict("tied")))
    assert said == (
        "with 95% confidence every adjacent pair is ordered (least sure: a above b, 98.1%) or tied within 250 mbb "
        "a hand"
    )


def test_a_rating_may_be_updated_by_each_seed_pair():
    config = {"participants": ["tight", "random"], "stop": {"budget": {"maxMatches": 1}}}
    by_match = run_benchmark(config)
    by_pair = run_benchmark({**config, "rating": {"updatePer": "seedPair"}})
    assert by_match.leaderboard[0].matches == 1
    assert by_pair.leaderboard[0].matches == 10
    assert by_pair.leaderboard[0].sigma < by_match.leaderboard[0].sigma
    assert by_pair.matches[0].margins == by_match.matches[0].margins


def test_the_order_of_matches_does_not_matter_for_margins():
    config = {
        "participants": ["tight", "random", "callstation"],
        "seeds": {"perMatch": 2},
        "game": {"handsPerGame": 10},
    }
    stop = {"adjacentConfidence": None, "budget": {"maxMatches": 6}}
    result = run_benchmark({**config, "scheduler": {"policy": "round_robin"}, "stop": stop})
    models = []
    for matches in (result.matches, result.matches[::-1]):
        model = MarginModel(["tight", "random", "callstation"])
        for match in matches:
            model.add(match.participants, match.margins["adjusted"])
        models.append([model.result(name) for name in model.participants])
    assert models[0] == models[1]


def test_an_interval_is_unbounded_where_an_opponent_was_never_met():
    model = MarginModel(["a", "b", "c"])
    model.add(("a", "b"), [1.0, 2.0])
    assert model.result("a").half_width() == inf
    assert model.margin("a", "b").half_width() < inf


@pytest.mark.parametrize("method", ["margin", "openskill", "predict_win"])
def test_every_method_can_stop_a_run(method):
    result = run_benchmark({"stop": {"adjacentConfidence": {"method": method}, "budget": {"maxMatches": 100}}})
    assert "95% confidence" in result.stop_reason or "budget" in result.stop_reason


def test_a_schedule_that_leaves_out_what_results_rest_on_is_warned_of():
    config = {"participants": ["tight", "random", "folder"], "game": {"handsPerGame": 5}, "seeds": {"perMatch": 4}}
    stop = {"budget": {"maxMatches": 3}}
    warned = run_benchmark({**config, "stop": stop, "scheduler": {"policy": "uncertainty_overlap"}}).warnings
    assert any("information_gain" in warning for warning in warned)
    assert run_benchmark({**config, "stop": stop}).warnings == ()


def test_one_who_gives_no_usable_answer_is_warned_of():
    class Silent:
        name = "silent"

        def act(self, observation):
            return None

    config = {"participants": [{"id": "mute", "type": "silent"}, "tight"], "game": {"handsPerGame": 5}}
    result = run_benchmark({**config, "stop": {"budget": {"maxMatches": 1}}}, agents={"silent": Silent})
    (warning,) = result.warnings
    assert warning.startswith("mute gave no usable answer in ")
    assert "unreadable: the answer is None" in warning
