"""The ladder: what a run learns from its matches."""

import pytest

from molt_bench import run_benchmark
from molt_bench.rating.model import MarginModel


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
        models.append(model.sums.results())
    for one, other in zip(*models, strict=True):
        assert one == pytest.approx(other, rel=1e-9)


@pytest.mark.parametrize("method", ["margin", "openskill"])
def test_every_method_can_stop_a_run(method):
    result = run_benchmark({"stop": {"adjacentConfidence": {"method": method}, "budget": {"maxMatches": 100}}})
    assert "95% confidence" in result.stop_reason or "budget" in result.stop_reason
