"""Bots of the Annual Computer Poker Competition, from the command line."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.agents.external.playing import PYTHON, on_linux, processes_with
from tests.e2e.shell import (
    SEEDED,
    SMALL,
    cut_back,
    first_lines,
    lines_of,
    one_clear_line,
    quick,
    read,
    results,
    run_of,
    start,
)
from tests.e2e.test_external import faults_in, ran, until

ROOT = Path(__file__).parents[2]
BOT = " ".join((*PYTHON, str(ROOT / "tests" / "agents" / "external" / "acpc_bot.py")))
EXAMPLE = f"{sys.executable} {ROOT / 'docs' / 'examples' / 'bots' / 'acpc_bot.py'}"
#: One match of four games.
QUICK = (*SMALL, "--max-matches", "1")
DEEP = ("--set", "game.stack=20000")


@pytest.mark.slow
@on_linux
def test_a_bot_takes_part_from_the_command_line_and_can_be_verified(tmp_path):
    log = tmp_path / "log"
    folder = ran(
        tmp_path / "out", *QUICK, *DEEP, "--no-sandbox", "--participants", f"acpc:{BOT} well {log} 1 20000,random"
    )
    assert {each["id"] for each in read(folder, "leaderboard.json")["participants"]} == {"acpc_bot", "random"}
    assert faults_in(folder) == []
    assert "masterSeedHash" in lines_of(folder, "journal.jsonl")[0], "the cards are secret, as for all programs"
    verified = quick("verify", folder)
    assert "identical" in verified.stdout, verified.stderr
    assert processes_with(log) == []


def test_a_run_that_was_cut_off_goes_on_to_the_same_end(tmp_path):
    who = ("--participants", f"acpc:{EXAMPLE},tight")
    folder = ran(tmp_path / "out", *QUICK, *SEEDED, *DEEP, *who)
    whole = results(folder)
    cut_back(folder, first_lines(4))
    done = quick("resume", "--run-agents", folder)
    assert done.returncode == 0, done.stderr
    assert results(folder) == whole


@pytest.mark.slow
def test_the_same_games_wherever_they_run(tmp_path):
    who = ("--participants", f"acpc:{EXAMPLE},tight,random", "--max-matches", "2")
    played = [
        results(ran(tmp_path / executor, *SMALL, *SEEDED, *DEEP, *who, "--executor", executor))
        for executor in ("inline", "processes")
    ]
    assert played[0] == played[1]


def test_another_game_than_that_of_its_game_file_is_one_clear_line_and_no_run(tmp_path):
    said = "game.stack = 10000: expected 20000, the only value that 'acpc_bot' can play with"
    who = ("--participants", f"acpc:{EXAMPLE},tight")
    one_clear_line(quick(*who, "--output-dir", tmp_path / "out"), said)
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())
    (tmp_path / "config.yaml").write_text(f"participants: ['acpc:{EXAMPLE}', tight]\n")
    one_clear_line(quick("doctor", "config.yaml", cwd=tmp_path), said)
    (tmp_path / "config.yaml").write_text(f"participants: ['acpc:{EXAMPLE}', tight]\ngame: {{stack: 20000}}\n")
    done = quick("doctor", "config.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_bot_is_checked_in_its_own_game(tmp_path):
    done = quick("check", f"acpc:{EXAMPLE}", "--hands", "2")
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("acpc_bot: fit to play\n")
    assert "ok    every answer is legal: the only game that it plays" in done.stdout
    done = quick("check", f"acpc:{BOT} illegal {tmp_path / 'log'} 1 20000", "--hands", "2", "--no-sandbox")
    assert done.returncode == 1
    assert "r1 is not legal; legal: f, c, r" in done.stdout


def test_one_that_does_not_connect_is_found_out_before_the_first_card(tmp_path):
    command = [*PYTHON, *BOT.split()[3:], "never-connects", str(tmp_path / "log"), "1", "20000"]
    bot = {"id": "bot", "type": "acpc", "command": command, "startTimeoutS": 0.5, "sandbox": "off"}
    (tmp_path / "config.json").write_text(json.dumps({"participants": [bot, "tight"], "game": {"stack": 20_000}}))
    done = quick("--config", tmp_path / "config.json", "--output-dir", tmp_path / "out")
    one_clear_line(done, "participant 'bot' cannot play: no connection within 0.5 s")
    assert processes_with(tmp_path / "log") == []


def started(tmp_path):
    """Start a long run, and return it once its bot plays."""
    log, folders = tmp_path / "log", tmp_path / "folders"
    folders.mkdir()
    who = ("--participants", f"acpc:{BOT} well {log} 1 20000,tight", "--hands", "5000", "--no-sandbox", *DEEP)
    process = start(*who, "--output-dir", tmp_path / "out", env={**os.environ, "TMPDIR": str(folders)})
    until(lambda: log.exists() and "did" in log.read_text())
    return process, log, folders


@on_linux
@pytest.mark.slow
def test_ctrl_c_leaves_no_process_and_no_folder_behind(tmp_path):
    process, log, folders = started(tmp_path)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert "Traceback" not in said
    assert processes_with(log) == []
    assert list(folders.iterdir()) == []


@on_linux
@pytest.mark.slow
def test_when_the_bench_is_killed_the_bot_loses_its_connection_and_ends(tmp_path):
    process, log, _ = started(tmp_path)
    process.kill()
    process.communicate()
    until(lambda: processes_with(log) == [])


def test_the_run_folder_is_that_of_any_program(tmp_path):
    folder = ran(
        *(tmp_path / "out", *QUICK, *DEEP, "--no-sandbox"),
        *("--participants", f"acpc:{BOT} noise {tmp_path / 'log'} 1 20000,tight"),
    )
    assert run_of(tmp_path / "out") == folder
    assert "to standard error" in (folder / "agents" / "acpc_bot.stderr.log").read_text()
    assert lines_of(folder, "journal.jsonl")[0]["sourceHashes"].keys() == {"acpc_bot"}
