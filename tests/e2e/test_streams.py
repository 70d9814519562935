"""Standard streams: full, closed, left early or only for ASCII; the program says so in one line, or does without."""

import json
import os
import subprocess

import pytest

from tests.cases import one_in
from tests.e2e.shell import (
    BOTS,
    MOLT_BENCH,
    SMALL,
    games_in,
    in_bash,
    one_clear_line,
    quick,
    quick_run,
    run_of,
    strict_json,
)

ASCII = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
CONFIG = {"participants": [{"id": "é", "type": "folder"}, {"id": "b", "type": "callstation", "displayName": "±—🂡"}]}
FULL = "molt-bench: cannot write to standard output: No space left on device"
COMMANDS = [
    "--help",
    "doctor",
    "doctor c.json",
    "plan c.json",
    "plan c.json --json",
    "report run",
    "report run --json",
    "verify run",
    "compare run run",
    "compare run run --json",
    "export run --format csv --output -",
]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Return a folder with two runs, the second of which has a worse agent, and a config."""
    folder = tmp_path_factory.mktemp("streams")
    (folder / "bots.py").write_text(BOTS)
    for name, second in (("c", "callstation"), ("worse", "folder")):
        people = [CONFIG["participants"][0], {**CONFIG["participants"][1], "type": second}]
        (folder / f"{name}.json").write_text(json.dumps({"participants": people}))
        flags = ("--seeds", "6", "--hands", "10", "--max-matches", "1", "--quiet")
        (folder / name).symlink_to(quick_run(f"runs {name}", "--config", f"{name}.json", *flags, cwd=folder).resolve())
    (folder / "run").symlink_to(folder / "c")
    return folder


@pytest.mark.parametrize("command", one_in(3, COMMANDS))
def test_a_full_disk_under_standard_output_is_one_clear_line(here, command):
    done = quick(*command.split(), cwd=here, out="/dev/full")
    said = [line for line in done.stderr.splitlines() if not line.startswith("molt-bench: wrote")]
    assert (said, done.returncode) == ([FULL], 1)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["--version", "report run --json"])
def test_python_has_nothing_to_say_about_it_when_it_ends(here, command):
    done = in_bash(f"molt-bench {command} >/dev/full", cwd=here)
    assert (done.stderr, done.returncode) == (FULL + "\n", 1)


@pytest.mark.parametrize("command", one_in(3, COMMANDS))
def test_a_terminal_that_knows_ascii_alone_gets_ascii(here, command):
    done = quick(*command.split(), cwd=here, encoding="ascii")
    wrote = "molt-bench: wrote 120 hands to standard output\n" * command.endswith("-")
    assert (done.returncode, done.stderr) == (0, wrote)
    assert done.stdout.isascii() or "export" in command  # which writes a file, whatever the terminal
    if "report" in command and "--json" in command:
        assert "é" in json.dumps(strict_json(done.stdout), ensure_ascii=False)


@pytest.mark.parametrize("command", ["--help", "doctor", "report run", "plan c.json"])
def test_a_terminal_that_does_not_know_its_width_gets_everything(here, command):
    usual, unknown = (quick(*command.split(), cwd=here, env={"COLUMNS": columns}) for columns in ("80", "0"))
    assert (unknown.returncode, unknown.stdout) == (0, usual.stdout)
    assert usual.stdout


@pytest.mark.slow
def test_so_does_one_by_its_environment(here):
    done = in_bash("molt-bench report run", cwd=here, env=ASCII)
    assert (done.returncode, done.stderr, done.stdout.isascii()) == (0, "", True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("streams", "status"), [({"out": "/dev/full"}, 1), ({"out": "/dev/null", "err": "/dev/full"}, 0), (None, 0)]
)
def test_a_run_goes_on_whatever_becomes_of_its_streams(here, tmp_path, streams, status):
    flags = (*SMALL, "--config", "c.json", "--output-dir", tmp_path / "out")
    if streams is None:
        done = in_bash('molt-bench "$@" <&- >&- 2>&-', *flags, cwd=here)
    else:
        done = quick(*flags, cwd=here, **streams)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    run = run_of(tmp_path / "out")
    assert (run / "leaderboard.json").is_file()
    assert (run / "journal.jsonl").read_bytes().startswith(b"{")


# A reader who leaves early, as `| head -1` does, is no error.


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


@pytest.mark.slow
@pytest.mark.parametrize("lines", [0, 1], ids=["at once", "after a line"])
@pytest.mark.parametrize("command", [*COMMANDS, "run --config c.json --max-matches 1 --quiet --output-dir more"])
def test_a_reader_who_leaves_is_no_error(here, command, lines):
    status, said = left(*command.split(), cwd=here, lines=lines)
    assert status == 0
    # What goes to another place is said as ever: `export` says so once all of it is written.
    assert said == "" or (said.startswith("molt-bench: wrote ") and said.count("\n") == 1)


FAULTY = ("--participants", "bots.py:make_thrower,tight", *SMALL, "--fail-on-faults", "0.1", "--output-dir", "failing")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (FAULTY, 1, "more than --fail-on-faults allows"),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ((*FAULTY, "--json"), 1, "more than --fail-on-faults allows"),
                (("compare", "c", "worse", "--agent", "b", "--margin", "100"), 4, "lost more than 10 bb/100"),
                (("compare", "c", "worse", "--agent", "b", "--margin", "100", "--json"), 4, "lost more than 10 bb/100"),
                (("check", "bots.py:make_thrower", "--hands", "2"), 1, ""),
            )
        ),
    ],
)
def test_the_verdict_is_the_status_whoever_reads(here, arguments, status, said):
    found = left(*arguments, cwd=here)
    assert found[0] == status
    assert said in found[1]


@pytest.mark.slow
def test_a_run_goes_on_when_nobody_reads_how_it_is_going(here):
    assert left(*SMALL, "--output-dir", "unread", cwd=here, both=True)[0] == 0
    folder = run_of(here / "unread")
    assert len(games_in(folder)) == 12
    assert (folder / "leaderboard.json").exists()


def test_an_unknown_name_with_bytes_that_are_no_text_is_one_clear_line(here):
    one_clear_line(quick("--participants", "random,\udcff", cwd=here))
