"""Consent: what a stored run would run is named first, asked for on a terminal, and needed by whoever plays on."""

import json
import os
import pty
import select
import shlex
import subprocess
import time
from hashlib import sha256

import pytest

from tests.agents.external.playing import CHAOS, PYTHON
from tests.e2e.shell import (
    MOLT_BENCH,
    SEEDED,
    SMALL,
    cut_back,
    first_lines,
    one_clear_line,
    quick,
    quick_run,
    results,
    strict_json,
)


@pytest.fixture
def cut(tmp_path, bots):
    """Return the folder of a run with the user's own code that has not ended, and what it would come to."""
    players = ("--participants", f"{bots}:make_caller,random")
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, *players, cwd=tmp_path)
    whole = results(folder)
    cut_back(folder, first_lines(6))
    return folder, whole


def on_a_terminal(*arguments, typed):
    """Run the program on a terminal, type an answer at its question, and return its status and what it printed."""
    ours, theirs = pty.openpty()
    command = [MOLT_BENCH, *map(str, arguments)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    said, until, answered = b"", time.monotonic() + 60, False
    while time.monotonic() < until:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                said += os.read(ours, 65536)
            except OSError:  # the terminal is closed
                break
        if b"[y/N]" in said and not answered:
            os.write(ours, typed)
            answered = True
    status = process.wait(timeout=30)
    os.close(ours)
    return status, said.decode()


def test_without_a_terminal_a_run_goes_on_only_with_the_flag_and_says_what_it_runs(cut, bots):
    folder, whole = cut
    before = (folder / "journal.jsonl").read_bytes()
    one_clear_line(quick("resume", folder), f"'bots' ({bots}:make_caller)", "add --run-agents")
    assert (folder / "journal.jsonl").read_bytes() == before
    done = quick("resume", folder, "--run-agents", "--quiet")
    hashed = sha256(bots.read_bytes()).hexdigest()
    assert f"'bots', type {bots}:make_caller: runs {bots} in a sandbox; SHA-256 {hashed}, as recorded" in done.stderr
    assert (done.returncode, results(folder)) == (0, whole)


@pytest.mark.parametrize(
    ("typed", "goes_on"),
    [
        (b"\n", False),
        pytest.param(b"y\n", True, marks=pytest.mark.slow),
        pytest.param(b"no\n", False, marks=pytest.mark.slow),
        pytest.param(b"\x04", False, marks=pytest.mark.slow),
    ],
)
def test_on_a_terminal_the_user_is_asked(cut, typed, goes_on):
    folder, whole = cut
    before = (folder / "journal.jsonl").read_bytes()
    status, said = on_a_terminal("resume", folder, "--quiet", typed=typed)
    assert "SHA-256" in said[: said.index("[y/N]")]
    assert status == (0 if goes_on else 1), said
    assert goes_on or "nothing was run" in said
    assert goes_on or (folder / "journal.jsonl").read_bytes() == before
    assert not goes_on or results(folder) == whole


@pytest.mark.slow
def test_the_flag_does_not_answer_for_somebody_at_a_terminal(cut):
    folder, _ = cut
    status, said = on_a_terminal("verify", folder, "--run-agents", typed=b"n\n")
    assert (status, "nothing was run" in said) == (1, True)


def test_the_users_own_config_needs_no_permission_in_the_folder_where_the_run_began(cut, tmp_path, bots):
    folder, whole = cut
    players = ("--participants", f"{bots}:make_caller,random", "--output-dir", tmp_path / "out", "--resume")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    one_clear_line(quick(*SMALL, *SEEDED, *players, cwd=elsewhere), "add --run-agents")
    done = quick(*SMALL, *SEEDED, *players, "--quiet", cwd=tmp_path)
    assert (done.returncode, results(folder)) == (0, whole), done.stderr


def test_a_run_that_has_ended_is_resumed_without_permission_and_extended_only_with_it(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"{bots}:make_caller,random")
    bots.unlink()
    assert quick("resume", folder, "--quiet").returncode == 0
    one_clear_line(quick("resume", folder, "--max-matches", "5"), "add --run-agents")


def test_the_command_that_is_printed_to_continue_works_as_it_is(tmp_path, bots):
    flags = ("--seeds", "2", "--hands", "5", "--max-matches", "1", "--participants", f"{bots}:make_caller,tight")
    done = quick(*flags, "--output-dir", tmp_path / "out")
    command = next(line for line in done.stdout.splitlines() if line.startswith("To continue: "))
    words = shlex.split(command.removeprefix("To continue: molt-bench "))
    assert "--run-agents" in words
    done = quick(*words, "--quiet")
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_what_is_named_cannot_control_a_terminal(tmp_path):
    """The command of a program is the stranger's text."""
    command = [*PYTHON, CHAOS, "well", "\x1b[2J\u202eharmless"]
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"participants": ["tight", {"id": "bot", "type": "exec", "command": command}]}))
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--config", config)
    cut_back(folder, first_lines(4))
    done = quick("resume", folder, "--run-agents", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "starts " in done.stderr
    assert "\x1b" not in done.stderr
    assert "\u202e" not in done.stderr


@pytest.mark.slow
def test_verify_says_who_played_again_and_whose_answers_are_on_record(tmp_path, bots):
    folder = quick_run(tmp_path / "out", *SMALL, *SEEDED, "--participants", f"{bots}:make_caller,random")
    on_record = "played again: random; answers from the record: bots (journal.jsonl)"
    done = quick("verify", folder)
    assert on_record in done.stdout
    found = strict_json(quick("verify", folder, "--json").stdout)
    assert (found["playedAgain"], found["onRecord"]) == (["random"], {"bots": ["journal.jsonl"]})
    done = quick("verify", folder, "--run-agents")
    first, files = done.stdout.splitlines()
    assert first == f"{folder}: all 12 games are identical when replayed"
    assert files.startswith("  as the journal gives them: journal.jsonl, ")
    found = strict_json(quick("verify", folder, "--run-agents", "--json").stdout)
    assert (found["playedAgain"], found["onRecord"]) == (["bots", "random"], {})
