"""FR-6: when a run stops."""

from itertools import pairwise
from math import hypot
from statistics import NormalDist

import pytest

import molt_bench
from tests.prd.conftest import small

THREE = ("random", "tight", "callstation")


def least_sure(step):
    return min(each["confidence"] for each in step["confidences"])


def test_fr6_23_the_run_stops_once_every_adjacent_pair_is_ordered_with_confidence(played):
    """23: adjacent_confidence stops when P(higher > lower) >= the threshold for each adjacent pair."""
    stop = {"adjacentConfidence": {"threshold": 0.9}, "budget": {"maxMatches": 200}}
    run = played(small(*THREE, seeds=4, hands=20, stop=stop))
    assert "90% confidence" in run.summary["stopReason"]
    assert len(run.matches) < 200
    assert least_sure(run.steps[-1]) >= 0.9
    assert all(least_sure(step) < 0.9 for step in run.steps[:-1])
    assert all(run.board[name]["betterThanNext"] >= 0.9 for name in run.ranking[:-1])


def test_fr6_23_the_confidence_may_be_that_of_the_ratings(played):
    """23: P(higher > lower) by mu and sigma, as the requirements have it.

    By default it is that of what was won, which needs fewer games and does not depend on who met whom.
    """
    stop = {"adjacentConfidence": {"method": "openskill", "threshold": 0.8}, "budget": {"maxMatches": 200}}
    run = played(small(*THREE, seeds=2, hands=20, stop=stop))
    assert "80% confidence" in run.summary["stopReason"]
    board = sorted(run.board.values(), key=lambda row: -row["mu"])
    for above, below in pairwise(board):
        sure = NormalDist().cdf((above["mu"] - below["mu"]) / hypot(above["sigma"], below["sigma"]))
        assert sure >= 0.8
    assert least_sure(run.steps[-2]) < 0.8


def test_fr6_23_a_higher_threshold_takes_more(played):
    """23: the threshold is a setting."""
    matches = []
    for threshold in (0.6, 0.9999):
        stop = {"adjacentConfidence": {"threshold": threshold}, "budget": {"maxMatches": 200}}
        config = small("random", "tight", seeds=2, hands=5, stop=stop, scheduler={"minSeedPairs": 1})
        matches.append(len(played(config, name=f"at{threshold}").matches))
    assert matches[0] < matches[1] < 200


@pytest.mark.parametrize("threshold", [0.4, 1, "sure"])
def test_fr6_23_a_threshold_is_a_probability(threshold):
    """23: that a coin does not reach, and that can be reached."""
    stop = {"adjacentConfidence": {"threshold": threshold}}
    with pytest.raises(molt_bench.ConfigError, match="threshold"):
        molt_bench.run_benchmark(small("random", "tight", stop=stop))


@pytest.mark.parametrize(
    ("limit", "matches", "said"),
    [
        ({"maxMatches": 3}, 3, "3 matches"),
        ({"maxGames": 16}, 4, "16 games"),
        ({"maxGames": 15}, 3, "15 games"),
        ({"maxHands": 80}, 2, "80 hands"),
        ({"maxHands": 119}, 2, "119 hands"),
    ],
)
def test_fr6_24_the_budget_is_never_exceeded(played, limit, matches, said):
    """24: budget stops at max matches, games or hands; a match takes 4 games and 40 hands here."""
    stop = {"adjacentConfidence": None, "budget": {"maxMatches": None, **limit}}
    run = played(small(*THREE, stop=stop))
    assert run.summary["totals"]["matches"] == len(run.matches) == matches
    assert run.summary["totals"]["games"] == 4 * matches
    assert run.summary["totals"]["hands"] == 40 * matches
    assert said in run.summary["stopReason"]


def test_fr6_24_the_budget_may_be_a_duration(played):
    """24: budget stops when max duration is exceeded."""
    stop = {"adjacentConfidence": None, "budget": {"maxMatches": None, "maxSeconds": 0.1}}
    run = played(small(*THREE, stop=stop))
    assert "0.1 seconds" in run.summary["stopReason"]
    assert 0.1 <= run.summary["seconds"] < 5
    assert len(run.matches) >= 1


@pytest.mark.parametrize("rounds", [2, 6])
def test_fr6_25_the_run_stops_once_the_top_k_have_been_the_same_for_n_rounds(played, rounds):
    """25: topk_stable."""
    stop = {"adjacentConfidence": None, "topkStable": {"k": 1, "rounds": rounds}, "budget": {"maxMatches": 50}}
    run = played(small(*THREE, seeds=4, hands=20, stop=stop))
    assert "top 1" in run.summary["stopReason"]
    assert f"{rounds} rounds" in run.summary["stopReason"]
    assert rounds < len(run.matches) < 50
    assert run.ranking[0] == "callstation"


def test_fr6_25_the_first_ranking_counts_as_no_round_without_a_change(played):
    """25: unchanged for N consecutive iterations takes N + 1 of them, if the best is the best from the first on."""
    stop = {"adjacentConfidence": None, "topkStable": {"k": 1, "rounds": 3}, "budget": {"maxMatches": 50}}
    run = played(small("callstation", "random", seeds=4, hands=20, stop=stop))
    assert {match["result"]["winner"] for match in run.matches} == {"A"}
    assert len(run.matches) == 4


def test_fr6_26_the_first_condition_that_holds_stops_the_run(played):
    """26: conditions can be combined."""
    top = {"k": 1, "rounds": 3}
    early = {"adjacentConfidence": {"threshold": 0.999999}, "topkStable": top, "budget": {"maxMatches": 2}}
    late = {"adjacentConfidence": {"threshold": 0.999999}, "topkStable": top, "budget": {"maxMatches": 100}}
    by_budget = played(small(*THREE, hands=3, stop=early), name="early")
    by_top = played(small(*THREE, hands=3, stop=late), name="late")
    assert ("2 matches" in by_budget.summary["stopReason"], len(by_budget.matches)) == (True, 2)
    assert ("top 1" in by_top.summary["stopReason"], 2 < len(by_top.matches) < 100) == (True, True)


def test_fr6_a_run_that_would_never_stop_is_refused():
    """26: at least one condition."""
    stop = {"adjacentConfidence": None, "topkStable": None, "budget": None}
    with pytest.raises(molt_bench.ConfigError, match="stop"):
        molt_bench.run_benchmark(small("random", "tight", stop=stop))


def test_fr6_the_reason_is_logged(played):
    """Acceptance: the stop condition fires automatically, with its reason logged."""
    run = played(small("random", "tight", matches=2))
    assert run.log[-1] == {"event": "stop", "reason": run.summary["stopReason"]}
