"""Agents that fail are shown as they are, and can fail the command."""

import json

import pytest

from tests.e2e.shell import SMALL, quick, read, run_of

ONE = ("--seeds", "2", "--hands", "5", "--max-matches", "1", "--set", "stop.adjacentConfidence=null")


def ran(tmp_path, bots, *flags):
    return quick("--participants", f"{bots}:make_thrower,callstation", *ONE, "--output-dir", tmp_path / "out", *flags)


@pytest.mark.parametrize("flags", [(), ("--json",), ("--quiet",)])
def test_too_many_faults_are_status_1_once_everything_is_written(tmp_path, bots, flags):
    done = ran(tmp_path, bots, "--fail-on-faults", "0.5", *flags)
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if "--fail-on-faults" in line]
    assert said == ["molt-bench: bots made faults in 20 of 20 hands (100.0%), and --fail-on-faults allows 0.5"]
    folder = run_of(tmp_path / "out")
    assert read(folder, "leaderboard.json")["participants"][-1]["id"] == "bots"
    if "--json" in flags:
        assert json.loads(done.stdout)["participants"]
    else:
        assert "bots is not ranked" in done.stdout


def test_a_run_that_has_ended_is_judged_as_well(tmp_path, bots):
    assert ran(tmp_path, bots).returncode == 0
    folder = run_of(tmp_path / "out")
    assert quick("resume", folder, "--fail-on-faults", "0.9").returncode == 1
    assert quick("resume", folder, "--fail-on-faults", "1").returncode == 0


def test_nobody_fails_who_makes_no_faults(tmp_path):
    done = quick("--participants", "tight,random", *SMALL, "--fail-on-faults", "0", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("share", ["1.1", "-0.1", "nan", "many"])
def test_a_share_is_from_0_to_1(tmp_path, share):
    done = quick("--participants", "tight,random", *SMALL, "--fail-on-faults", share, cwd=tmp_path)
    assert done.returncode == 2
