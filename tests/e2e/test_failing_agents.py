"""Agents that fail are shown as they are, and can fail the command."""

import json

import pytest

from tests.e2e.shell import SEEDED, SMALL, cut_back, first_lines, quick, read, run_of

ONE = ("--seeds", "2", "--hands", "5", "--max-matches", "1", "--set", "stop.adjacentConfidence=null", *SEEDED)


def ran(tmp_path, bots, *flags):
    return quick("--participants", f"{bots}:make_thrower,callstation", *ONE, "--output-dir", tmp_path / "out", *flags)


@pytest.mark.parametrize("flags", [(), ("--json",), ("--quiet",)])
def test_too_many_faults_are_status_1_once_everything_is_written(tmp_path, bots, flags):
    done = ran(tmp_path, bots, "--fail-on-faults", "0.5", *flags)
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if "--fail-on-faults" in line]
    assert said == ["molt-bench: bots made faults in 20 of 20 hands (100.0%), more than --fail-on-faults allows (0.5)"]
    folder = run_of(tmp_path / "out")
    assert read(folder, "leaderboard.json")["participants"][-1]["id"] == "bots"
    if "--json" in flags:
        assert json.loads(done.stdout)["participants"]
    else:
        assert "bots is not ranked" in done.stdout


def test_a_run_that_has_ended_is_judged_as_well(tmp_path, bots):
    assert ran(tmp_path, bots).returncode == 0
    folder = run_of(tmp_path / "out")
    assert quick("resume", "--run-agents", folder, "--fail-on-faults", "0.9").returncode == 1
    assert quick("resume", "--run-agents", folder, "--fail-on-faults", "1").returncode == 0


def test_nobody_fails_who_makes_no_faults(tmp_path):
    done = quick("--participants", "tight,random", *SMALL, "--fail-on-faults", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("share", ["1.1", "-0.1", "nan", "many"])
def test_a_share_is_from_0_to_1(tmp_path, share):
    done = quick("--participants", "tight,random", *SMALL, "--fail-on-faults", share, cwd=tmp_path)
    assert done.returncode == 2


def log_of(folder):
    return (folder / "agents" / "bots.log").read_text()


@pytest.mark.parametrize("executor", ["inline", "async", "processes"])
@pytest.mark.slow
def test_the_traceback_of_an_agent_is_in_the_runs_folder(tmp_path, bots, executor):
    assert ran(tmp_path, bots, "--executor", executor, "--quiet").returncode == 0
    folder = run_of(tmp_path / "out")
    text = log_of(folder)
    assert text.startswith("Traceback (most recent call last):\n")
    assert 'raise RuntimeError("this agent always throws")' in text
    assert text.count("File ") == 1
    plain = quick("--participants", "tight,random", *SMALL, "--output-dir", tmp_path / "plain")
    assert plain.returncode == 0
    assert not (run_of(tmp_path / "plain") / "agents").exists()


def test_a_run_that_goes_on_keeps_its_tracebacks_and_logs_those_from_the_sandbox(tmp_path, bots):
    assert ran(tmp_path, bots, "--executor", "inline").returncode == 0
    folder = run_of(tmp_path / "out")
    whole = log_of(folder)
    cut_back(folder, first_lines(3))
    assert quick("resume", "--run-agents", folder, "--executor", "inline").returncode == 0
    assert log_of(folder).startswith(whole)
    assert "RuntimeError: this agent always throws" in (folder / "agents" / "bots.log").read_text()


@pytest.mark.parametrize("executor", ["inline", "processes"])
@pytest.mark.slow
def test_debug_shows_it_once(tmp_path, bots, executor):
    participants = ("--participants", f"{bots}:make_thrower,callstation")
    done = quick("--debug", *participants, *ONE, "--output-dir", tmp_path / "out", "--executor", executor)
    assert done.returncode == 0
    assert done.stderr.count("molt-bench: bots raised:\nTraceback (most recent call last):\n") == 1
    assert "Traceback" not in ran(tmp_path, bots, "--executor", executor).stderr


def test_a_check_shows_where_it_raised(bots):
    done = quick("check", f"{bots}:make_thrower", "--hands", "2")
    assert "          Traceback (most recent call last):\n" in done.stdout
    assert 'raise RuntimeError("this agent always throws")' in done.stdout
    assert "agent_check" not in done.stdout
    (fault,) = json.loads(quick("check", f"{bots}:make_thrower", "--hands", "2", "--json").stdout)["faults"]
    assert fault["traceback"].endswith("RuntimeError: this agent always throws\n")
