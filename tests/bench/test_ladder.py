"""The ladder: what a run learns from its matches."""

from math import inf

import pytest

from molt_bench import run_benchmark
from molt_bench.rating.pairwise_model import MarginModel


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


@pytest.mark.parametrize("method", ["margin", "openskill"])
def test_every_method_can_stop_a_run(method):
    result = run_benchmark({"stop": {"adjacentConfidence": {"method": method}, "budget": {"maxMatches": 100}}})
    assert "95% confidence" in result.stop_reason or "budget" in result.stop_reason
