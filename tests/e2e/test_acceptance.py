"""The acceptance list of the PRD where it takes whole commands, many runs or other settings than tests/prd has."""

import pytest

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.report.totals import totals
from tests.e2e.shell import FILES, SMALL, good, good_run, lines_of, quick, quick_run, read, results, strict_json

THREE = ("--participants", "random,tight,callstation", "--quiet")
QUICK = (*THREE, "--seeds", "3", "--hands", "20")


def people(*kinds):
    return [{"id": f"{kind}-{at}", "type": kind} for at, kind in enumerate(kinds)]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(10), range(10, 50)])
def test_acceptance_tight_is_ranked_above_random_in_each_of_50_master_seeds(seeds):
    for master_seed in seeds:
        result = run_benchmark({"seeds": {"masterSeed": master_seed}})
        assert [rating.id for rating in result.leaderboard] == ["tight", "random"], master_seed


def test_acceptance_how_many_games_run_at_once_changes_no_byte(tmp_path):
    one, eight = (quick_run(tmp_path / count, *QUICK, "--games-at-once", count) for count in ("1", "8"))
    assert results(one) == results(eight)


@pytest.mark.slow
@pytest.mark.parametrize("at_once", ["1", "8"])
def test_acceptance_a_rerun_from_the_saved_config_or_seed_list_gives_the_same_bytes(tmp_path, at_once):
    first = good_run(tmp_path / "first", *QUICK, "--master-seed", "77", "--set", "scheduler.exploration=0.3")
    again = good_run(tmp_path / "again", "--config", first / "config.json", "--games-at-once", at_once)
    assert results(first) == results(again)
    first = good_run(tmp_path / "listed", *QUICK)
    assert results(good_run(tmp_path / "list", *QUICK, "--seeds-file", first / "seeds.json")) == results(first)


def test_a_run_writes_every_file_of_a_run_and_no_other(finished):
    assert {path.name for path in finished.iterdir()} == FILES


def test_three_agents_that_play_the_same_draw_every_match_and_end_tied():
    result = run_benchmark({"participants": people("callstation", "callstation", "callstation")})
    assert result.stop_reason == "with 95% confidence every adjacent pair is tied within 25 bb/100"
    assert all(rating.draws == rating.matches for rating in result.leaderboard)
    assert max(rating.mu for rating in result.leaderboard) == pytest.approx(25, abs=0.5)


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "said"), [({"maxGames": 119}, "119 games"), ({"maxHands": 1_199}, "1,199 hands")])
def test_the_budget_stops_at_the_right_limit_in_the_middle_of_a_round(limit, said):
    result = run_benchmark(
        {
            "participants": people("random", "tight", "callstation", "maniac"),
            "game": {"handsPerGame": 10},
            "stop": {"adjacentConfidence": None, "budget": {"maxMatches": None, **limit}},
        }
    )
    assert (totals(result)["matches"], totals(result)["hands"]) == (5, 1000)
    assert said in result.stop_reason


@pytest.mark.parametrize("flags", [(), ("--json",), ("--quiet",)])
def test_an_agent_that_always_throws_is_folded_logged_rated_and_can_fail_the_command(tmp_path, bots, flags):
    one = (*SMALL, "--max-matches", "1", "--participants", f"{bots}:make_thrower,callstation")
    done = quick(*one, "--fail-on-faults", "0.5", "--output-dir", tmp_path / "out", *flags)
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if "--fail-on-faults" in line]
    assert said == ["molt-bench: bots made faults in 20 of 20 hands (100.0%), more than --fail-on-faults allows (0.5)"]
    (folder,) = (tmp_path / "out").iterdir()
    board = read(folder, "leaderboard.json")["participants"]
    assert [each["id"] for each in board] == ["callstation", "bots"]
    faults = [line for line in lines_of(folder, "log.jsonl") if line["event"] == "fault"]
    assert len(faults) == 3 * board[1]["forcedFolds"]
    assert read(folder, "summary.json")["guardrails"]["errorRate"] == 1.0
    if "--json" in flags:
        assert strict_json(done.stdout)["participants"]
    else:
        assert "bots is not ranked" in done.stdout
    assert quick("resume", "--run-agents", folder, "--fail-on-faults", "0.9").returncode == 1
    good(quick("resume", "--run-agents", folder, "--fail-on-faults", "1"))
