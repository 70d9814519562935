"""A budget that is too small for every pair to meet is named before the run, with the number that would do."""

from collections import Counter

import pytest

from molt_bench import run_benchmark
from molt_bench.bench.run_warnings import opening_shortfall
from molt_bench.config.loader import load_config


def shortfall(participants, *, budget, per_match=4, **sections):
    stop = {"budget": {"maxMatches": None, **budget}, **sections.pop("stop", {})}
    names = [{"id": f"p{number}", "type": "folder"} for number in range(participants)]
    config = {"participants": names, "seeds": {"perMatch": per_match}, "stop": stop, **sections}
    return opening_shortfall(load_config(config))


def test_the_default_budget_is_one_match_short_for_seven():
    said = shortfall(7, budget={"maxMatches": 20})
    assert said == (
        "the budget (maxMatches: 20) ends before all 21 pairs have played 4 seed pairs (scheduler.minSeedPairs), so "
        "the result will be incomplete; maxMatches: 21 would do"
    )
    assert shortfall(7, budget={"maxMatches": 21}) is None


@pytest.mark.parametrize(
    ("enough", "game"),
    [
        ({"maxMatches": 6}, {}),
        ({"maxGames": 24}, {}),
        ({"maxHands": 24 * 50}, {}),
        ({"maxHands": 24 * 55}, {"warmupHands": 5}),
        # A game may be over after one hand, but the last match has to have room for all of its own.
        ({"maxHands": 20 * 1 + 4 * 50}, {"stacks": "carry"}),
    ],
)
def test_every_limit_that_can_be_counted_is_looked_at(enough, game):
    """Three participants, two seeds a match: four seed pairs of each pair are six matches."""
    assert shortfall(3, budget=enough, per_match=2, game=game) is None
    (name, value), *_ = enough.items()
    said = shortfall(3, budget={name: value - 1}, per_match=2, game=game)
    assert said.startswith(f"the budget ({name}: {value - 1:,}) ends before all 3 pairs have played 4 seed pairs")


def test_two_are_a_pair():
    said = shortfall(2, budget={"maxMatches": 3}, per_match=1)
    assert said.startswith("the budget (maxMatches: 3) ends before both have played 4 seed pairs")
    assert said.endswith("; maxMatches: 4 would do")


def test_all_limits_that_are_too_small_are_named():
    said = shortfall(3, budget={"maxMatches": 2, "maxGames": 16, "maxHands": 10_000})
    assert said.endswith("maxMatches: 3 and maxGames: 24 would do")


def test_ratings_need_no_more_than_a_connection():
    stop = {"adjacentConfidence": {"method": "openskill"}}
    assert shortfall(7, budget={"maxMatches": 6}, stop=stop) is None
    said = shortfall(7, budget={"maxMatches": 5}, stop=stop)
    assert said.startswith("the budget (maxMatches: 5) ends before matches connect all 7 participants")
    assert said.endswith("; maxMatches: 6 would do")


def test_no_limit_is_no_shortfall():
    assert shortfall(7, budget={"maxSeconds": 60}) is None
    assert opening_shortfall(load_config({"stop": {"budget": None}})) is None


@pytest.mark.parametrize("policy", ["information_gain", "round_robin", "thompson"])
def test_what_is_said_to_be_enough_is(policy):
    """With just so many matches every pair has met, with one fewer not, and that is in the result's warnings."""
    config = {
        "participants": ["folder", "callstation", "shover", "random"],
        "seeds": {"perMatch": 2},
        "game": {"handsPerGame": 2},
        "scheduler": {"policy": policy},
    }
    for matches, complete in ((12, True), (11, False)):
        result = run_benchmark({**config, "stop": {"budget": {"maxMatches": matches}}})
        met = Counter(match.participants for match in result.matches)
        assert (len(met) == 6 and min(met.values()) == 2) == complete
        assert any("scheduler.minSeedPairs" in warning for warning in result.warnings) != complete
