"""The PRD's acceptance list and its integration tests, each by its name."""

from collections import Counter
from itertools import combinations

import pytest

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.report.totals import totals
from tests.e2e.shell import FILES, SMALL, good_run, lines_of, quick, quick_run, read, results, strict_json

THREE = ("--participants", "random,tight,callstation", "--quiet")
QUICK = (*THREE, "--seeds", "3", "--hands", "20")


def people(*kinds):
    return [{"id": f"{kind}-{at}", "type": kind} for at, kind in enumerate(kinds)]


def test_acceptance_tight_is_ranked_above_random(tmp_path):
    done = quick("--participants", "random,tight", "--output-dir", tmp_path)
    assert done.returncode == 0
    assert done.stdout.index("tight") < done.stdout.index("random")
    (folder,) = tmp_path.iterdir()
    assert [each["id"] for each in read(folder, "leaderboard.json")["participants"]] == ["tight", "random"]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(10), pytest.param(range(10, 50), marks=pytest.mark.slow)])
def test_acceptance_tight_is_ranked_above_random_in_each_of_50_master_seeds(seeds):
    for master_seed in seeds:
        result = run_benchmark({"seeds": {"masterSeed": master_seed}})
        assert [rating.id for rating in result.leaderboard] == ["tight", "random"], master_seed


def test_acceptance_tight_is_ranked_above_random_with_callstation_in_the_field(tmp_path):
    folder = quick_run(tmp_path, *THREE, "--seeds", "10", "--hands", "50")
    ranking = [each["id"] for each in read(folder, "leaderboard.json")["participants"]]
    assert ranking.index("tight") < ranking.index("random")


def test_acceptance_same_config_and_master_seed_give_identical_results(tmp_path):
    alone = (*QUICK, "--executor", "inline")
    first, again = (run(tmp_path / run.__name__, *alone, "--master-seed", "a") for run in (good_run, quick_run))
    other = quick_run(tmp_path / "other", *QUICK, "--master-seed", "b")
    assert results(first) == results(again)
    assert read(first, "summary.json")["convergence"] == read(again, "summary.json")["convergence"]
    assert results(first) != results(other)


def test_acceptance_how_many_games_run_at_once_changes_no_byte(tmp_path):
    one, eight = (
        quick_run(tmp_path / count, *QUICK, "--set", "scheduler.matchesPerRound=2", "--games-at-once", count)
        for count in ("1", "8")
    )
    assert results(one) == results(eight)


@pytest.mark.slow
@pytest.mark.parametrize("at_once", ["1", "8"])
def test_acceptance_a_rerun_from_the_saved_config_gives_the_same_bytes(tmp_path, at_once):
    first = good_run(tmp_path / "first", *QUICK, "--master-seed", "77", "--set", "scheduler.exploration=0.3")
    again = good_run(tmp_path / "again", "--config", first / "config.json", "--games-at-once", at_once)
    assert results(first) == results(again)


@pytest.mark.slow
def test_acceptance_a_rerun_from_the_saved_seed_list_plays_the_same_matches(tmp_path):
    first = good_run(tmp_path / "first", *QUICK)
    again = good_run(tmp_path / "again", *QUICK, "--seeds-file", first / "seeds.json")
    assert results(first) == results(again)


@pytest.mark.slow
def test_acceptance_scheduler_concentrates_on_close_or_uncertain_pairs():
    """With one clear outlier above three equals, the outlier gets far fewer matches than in a round robin."""
    shares = {}
    for policy in ("uncertainty_overlap", "round_robin"):
        met = Counter()
        for master_seed in range(2):
            result = run_benchmark(
                {
                    "participants": people("random", "random", "tight", "random"),
                    "seeds": {"perMatch": 4, "masterSeed": master_seed},
                    "game": {"handsPerGame": 20},
                    "scheduler": {"policy": policy},
                    "stop": {"adjacentConfidence": {"threshold": 0.9999}, "budget": {"maxMatches": 36}},
                }
            )
            met.update(match.participants for match in result.matches)
        shares[policy] = sum(count for pair, count in met.items() if "tight-2" in pair) / met.total()
        assert set(met) == {*combinations(("random-0", "random-1", "tight-2", "random-3"), 2)}
    assert shares["round_robin"] >= 0.45
    assert shares["uncertainty_overlap"] < 0.6 * shares["round_robin"], shares


def test_acceptance_stop_condition_fires_with_reason(tmp_path):
    done = quick("--output-dir", tmp_path)
    (folder,) = tmp_path.iterdir()
    reason = read(folder, "summary.json")["stopReason"]
    assert "95% confidence" in reason
    assert reason in done.stdout
    assert lines_of(folder, "log.jsonl")[-1] == {"event": "stop", "reason": reason}


@pytest.mark.parametrize("arguments", [(), ("--seeds", "1", "--max-matches", "1")])
def test_acceptance_all_results_are_valid_json(tmp_path, arguments):
    folder = quick_run(tmp_path, *arguments)
    assert {path.name for path in folder.iterdir()} == FILES
    for name in FILES:
        assert (lines_of if name.endswith(".jsonl") else read)(folder, name)
    board = read(folder, "leaderboard.json")["participants"]
    assert {"id", "name", "mu", "sigma", "matches", "wins", "losses"} <= board[0].keys()
    match = read(folder, "matches.json")["matches"][0]
    assert {"id", "participantA", "participantB", "seeds", "result", "ratingDelta"} <= match.keys()


def test_acceptance_json_on_stdout_is_one_object_and_nothing_else(tmp_path):
    done = quick(*SMALL, "--json", "--output-dir", tmp_path)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    assert strict_json(done.stdout)["participants"][0]["matches"] == 3


def test_acceptance_guardrails_hold_for_scripted_agents(tmp_path):
    guardrails = read(quick_run(tmp_path, *THREE), "summary.json")["guardrails"]
    assert guardrails == {"errorRate": 0.0, "chipsConserved": True, "sigmaDecreased": 1.0}


@pytest.mark.slow
def test_three_identical_agents_end_by_themselves_with_the_reason_stated(tmp_path):
    folder = quick_run(tmp_path, "--participants", "random,random,random", "--seeds", "4")
    summary = read(folder, "summary.json")
    assert summary["totals"]["matches"] <= 20
    assert "budget of 20 matches" in summary["stopReason"] or "95% confidence" in summary["stopReason"]


def test_three_agents_that_play_the_same_draw_every_match_and_end_tied():
    result = run_benchmark({"participants": people("callstation", "callstation", "callstation")})
    assert result.stop_reason == "with 95% confidence every adjacent pair is tied within 25 bb/100"
    assert all(rating.draws == rating.matches for rating in result.leaderboard)
    assert max(rating.mu for rating in result.leaderboard) == pytest.approx(25, abs=0.5)


def test_an_agent_that_always_throws_is_force_folded_logged_and_rated(tmp_path, bots):
    two = ("--max-matches", "2", "--seeds", "4", "--hands", "20", "--set", "stop.adjacentConfidence=null")
    folder = quick_run(tmp_path / "out", "--participants", f"{bots}:make_thrower,callstation", *two)
    board = read(folder, "leaderboard.json")["participants"]
    assert [each["id"] for each in board] == ["callstation", "bots"]
    thrower = board[1]
    assert (thrower["wins"], thrower["losses"]) == (0, 2)
    assert thrower["mu"] < 25
    assert thrower["forcedFolds"] > 0
    errors = read(folder, "summary.json")["errors"]
    assert errors["callstation"] == {}
    faults = [line for line in lines_of(folder, "log.jsonl") if line["event"] == "fault"]
    assert errors["bots"] == {"exception": len(faults)}
    # Three tries at every decision, of which the last is the forced fold.
    assert len(faults) == 3 * thrower["forcedFolds"]
    assert all("this agent always throws" in fault["message"] for fault in faults)
    assert read(folder, "summary.json")["guardrails"]["errorRate"] == 1.0


def test_a_game_in_which_everybody_throws_is_a_draw_with_the_errors_flagged(tmp_path, bots):
    config = tmp_path / "config.yaml"
    config.write_text(f"participants: [{{id: a, type: '{bots}:make_thrower'}}, {{id: b, type: '{bots}:make_thrower'}}]")
    folder = quick_run(tmp_path / "out", "--config", config, *SMALL)
    for match in read(folder, "matches.json")["matches"]:
        assert match["result"]["winner"] == "draw"
        assert match["result"]["errors"] > 0
        assert all(seed["draw"] for seed in match["result"]["perSeed"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "matches", "said"),
    [
        ({"maxMatches": 7}, 7, "7 matches"),
        ({"maxGames": 100}, 5, "100 games"),
        ({"maxGames": 119}, 5, "119 games"),
        ({"maxHands": 1_000}, 5, "1,000 hands"),
        ({"maxHands": 1_199}, 5, "1,199 hands"),
        ({"maxMatches": 3, "maxGames": 1_000, "maxHands": 4_000}, 3, "3 matches"),
    ],
)
@pytest.mark.parametrize("per_round", [1, 4])
def test_the_budget_stops_at_the_right_limit(limits, matches, said, per_round):
    result = run_benchmark(
        {
            "participants": people("random", "tight", "callstation", "maniac"),
            "game": {"handsPerGame": 10},
            "scheduler": {"matchesPerRound": per_round},
            "stop": {"adjacentConfidence": None, "budget": {"maxMatches": None, **limits}},
        }
    )
    assert totals(result)["matches"] == matches
    assert totals(result)["hands"] == matches * 200
    assert said in result.stop_reason


def test_a_budget_of_seconds_ends_the_run(tmp_path):
    folder = quick_run(
        tmp_path,
        *("--seeds", "1", "--set", "stop.adjacentConfidence=null"),
        *("--set", "stop.budget={maxMatches: null, maxSeconds: 0.5}"),
    )
    summary = read(folder, "summary.json")
    assert summary["stopReason"].removesuffix(", in the middle of a round") == "the budget of 0.5 seconds is spent"
    assert summary["totals"]["matches"] >= 1


def test_a_top_k_that_does_not_change_ends_the_run(tmp_path):
    rules = ("--set", "stop.topkStable={k: 1, rounds: 2}", "--set", "stop.adjacentConfidence=null")
    folder = quick_run(tmp_path, *rules)
    assert read(folder, "summary.json")["stopReason"] == "the top 1 have not changed for 2 rounds"
