"""Error states of the requirements."""

import json
import re

import pytest

import molt_bench
from tests.prd.conftest import Caller, Thrower, model, run_command, small


def test_an_invalid_config_is_a_clear_message_and_status_1(command, tmp_path):
    """Invalid config: validation error with clear message, exit 1."""
    (tmp_path / "bench.json").write_text(json.dumps({"game": {"handsPerGame": -5}, "seeds": {"perMatch": "many"}}))
    done = command("--config", "bench.json")
    assert done.status == 1
    assert done.out == ""
    assert "Traceback" not in done.err
    assert re.search(r"game\.handsPerGame\b.*-5.*\b1\b", done.err)  # the field, the value, and what would do
    assert re.search(r"seeds\.perMatch\b.*many", done.err)
    assert [path.name for path in tmp_path.iterdir()] == ["bench.json"]


def test_a_single_participant_is_refused_on_startup(command, tmp_path):
    """Edge case: single participant is an error on startup."""
    done = command("--participants", "random")
    assert (done.status, done.out) == (1, "")
    assert "at least 2" in done.err
    assert [*tmp_path.iterdir()] == []


def test_a_missing_key_is_an_error_before_the_benchmark_starts(command, tmp_path):
    """Missing LLM API key: error at agent creation time, before the benchmark starts."""
    done = command("--participants", "llm:openai:gpt-4.1,tight")
    assert (done.status, done.out) == (1, "")
    assert "OPENAI_API_KEY" in done.err
    assert "Traceback" not in done.err
    assert [*tmp_path.iterdir()] == []


def test_a_key_is_taken_from_the_environment_and_not_written_down(command, provider, tmp_path):
    """Security: API keys must be available as environment variables."""
    people = [model(provider, apiKeyEnv="MY_KEY"), {"id": "tight", "type": "tight"}]
    (tmp_path / "bench.json").write_text(json.dumps(small(*people, matches=1, seeds=1, hands=1)))
    done = command("--config", "bench.json", variables={"MY_KEY": "a-secret-of-mine"})
    assert done.status == 0, done.err
    sent = {key.lower(): value for _, headers in provider.requests for key, value in headers.items()}
    assert sent["authorization"] == "Bearer a-secret-of-mine"
    written = b"".join(path.read_bytes() for path in done.run.folder.rglob("*") if path.is_file())
    assert b"MY_KEY" in written
    assert b"a-secret-of-mine" not in written
    assert "a-secret-of-mine" not in done.out + done.err


def test_a_game_in_which_everyone_fails_is_a_draw_with_the_errors_flagged(played):
    """All agents error out in a game: recorded as draw with errors flagged."""
    people = [{"id": name, "type": "thrower"} for name in ("a", "b")]
    run = played(small(*people, matches=2), agents={"thrower": Thrower})
    for match in run.matches:
        assert (match["result"]["winner"], match["result"]["scoreA"]) == ("draw", 0)
        assert match["result"]["errors"] > 0
        assert all(seed["draw"] for seed in match["result"]["perSeed"])
    game = molt_bench.play_game((Thrower(), Thrower()), seed="both", hands=3)
    assert (game.net, game.both_failed) == ((0, 0), True)


def test_an_agent_that_always_fails_is_folded_logged_and_rated(played):
    """Testing plan, error handling: forced fold, logging, and rating update."""
    people = [{"id": "bad", "type": "thrower"}, {"id": "good", "type": "caller"}]
    run = played(small(*people, matches=2), agents={"thrower": Thrower, "caller": Caller})
    bad, good = run.board["bad"], run.board["good"]
    assert (bad["losses"], good["wins"]) == (2, 2)
    assert bad["mu"] < 25 < good["mu"]
    assert bad["forcedFolds"] == run.summary["totals"]["hands"] == 80
    faults = [event for event in run.log if event["event"] == "fault"]
    assert len(faults) == 3 * 80
    assert {(event["participant"], event["kind"]) for event in faults} == {("bad", "exception")}
    assert all("this agent always throws" in event["message"] for event in faults)


@pytest.mark.parametrize("room", [0, 20_000])
def test_a_full_disk_is_a_warning_and_the_benchmark_goes_on(tmp_path, quick_run, room):
    """Disk full: warning logged, benchmark continues, with results in memory."""
    resource = pytest.importorskip("resource", reason="limits of this kind are POSIX")
    arguments = ("--participants", "random,tight,callstation", "--seeds", 4, "--hands", 20, "--master-seed", "quick")

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    done = run_command(tmp_path, *arguments, before=no_room)
    assert "could not be written" in done.err
    assert "Traceback" not in done.err

    def table(out):
        return [line for line in out.splitlines() if any(name in line.split() for name in quick_run.run.board)]

    assert table(done.out) == table(quick_run.out)
    assert quick_run.run.summary["stopReason"] in " ".join(done.out.split())
