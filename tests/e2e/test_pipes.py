"""A reader who leaves early, as `| head -1` does, is no error."""

import json
import os
import subprocess

import pytest

from tests.e2e.shell import BOTS, MOLT_BENCH, SMALL, games_in, quick_run, run_of

CONFIG = {"participants": ["tight", "random"], "seeds": {"perMatch": 2}}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Return a folder with two runs, the second of which has a worse agent, and a config."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "config.json").write_text(json.dumps(CONFIG))
    (folder / "bots.py").write_text(BOTS)
    for name, second in (("old", "callstation"), ("new", "folder")):
        config = {"participants": [{"id": "a", "type": "folder"}, {"id": "b", "type": second}]}
        (folder / f"{name}.json").write_text(json.dumps(config))
        quick_run(name, "--config", f"{name}.json", "--seeds", "6", "--hands", "10", "--max-matches", "1", cwd=folder)
    return folder


def left(*arguments, cwd, lines=0, both=False):
    """Run the program for a reader who leaves after so many lines; return its status and what it said.

    Args:
        arguments: Of the program.
        cwd: Where it runs.
        lines: How many the reader waits for; 0 leaves before anything is written.
        both: Whether standard error goes the same way.
    """
    reading, writing = os.pipe()
    if not lines:
        os.close(reading)
    errors = writing if both else subprocess.PIPE
    command = [MOLT_BENCH, *map(str, arguments)]
    with subprocess.Popen(command, stdout=writing, stderr=errors, stdin=subprocess.DEVNULL, cwd=cwd) as process:
        os.close(writing)
        if lines:
            with os.fdopen(reading, "rb", buffering=0) as file:
                while lines:
                    lines -= file.read(1) in (b"\n", b"")
        said = None if both else process.stderr.read().decode()
        return process.wait(60), said


COMMANDS = {
    "doctor": ["doctor"],
    "help": ["--help"],
    "plan": ["plan", "config.json"],
    "plan --json": ["plan", "config.json", "--json"],
    "report": ["report", "RUN"],
    "report --json": ["report", "RUN", "--json"],
    "export csv": ["export", "RUN", "--format", "csv", "--output", "-"],
    "verify": ["verify", "RUN"],
    "compare": ["compare", "RUN", "RUN"],
    "run": [*SMALL, "--quiet", "--output-dir", "more"],
}


@pytest.mark.slow
@pytest.mark.parametrize("lines", [0, 1], ids=["at once", "after a line"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_who_leaves_is_no_error(home, command, lines):
    run = run_of(home / "old")
    arguments = [run if word == "RUN" else word for word in COMMANDS[command]]
    status, said = left(*arguments, cwd=home, lines=lines)
    assert status == 0
    # What goes to another place is said as ever: `export` says so once all of it is written.
    assert said == "" or (said.startswith("molt-bench: wrote ") and said.count("\n") == 1)


@pytest.mark.slow
def test_the_verdict_of_a_comparison_is_the_status_whoever_reads(home):
    old, new = run_of(home / "old"), run_of(home / "new")
    for more in ((), ("--json",)):
        status, said = left("compare", old, new, "--agent", "b", "--margin", "100", *more, cwd=home)
        assert (status, said.count("\n")) == (4, 1), said
        assert "lost more than 10 bb/100" in said


@pytest.mark.slow
def test_an_unfit_agent_is_status_1_whoever_reads(home):
    assert left("check", "bots.py:make_thrower", "--hands", "2", cwd=home) == (1, "")


@pytest.mark.parametrize("more", [(), pytest.param(("--json",), marks=pytest.mark.slow)], ids=["table", "json"])
def test_faults_are_the_status_of_a_run_whoever_reads(home, more):
    flags = (
        "--participants",
        "bots.py:make_thrower,tight",
        *SMALL,
        "--fail-on-faults",
        "0.1",
        "--output-dir",
        "failing",
    )
    status, said = left(*flags, *more, cwd=home)
    assert status == 1
    assert "more than --fail-on-faults allows" in said


@pytest.mark.slow
def test_a_run_goes_on_when_nobody_reads_how_it_is_going(home):
    status, _ = left(*SMALL, "--output-dir", "unread", cwd=home, both=True)
    assert status == 0
    folder = run_of(home / "unread")
    assert len(games_in(folder)) == 12
    assert (folder / "leaderboard.json").exists()
