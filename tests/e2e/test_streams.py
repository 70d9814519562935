"""Standard streams: full, closed, or only for ASCII; the program says so in one line, or does without."""

import json
import os
import subprocess

import pytest

from tests.e2e.shell import MOLT_BENCH, SMALL, one_clear_line, quick, quick_run, strict_json

ASCII = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
CONFIG = {"participants": [{"id": "é", "type": "random"}, {"id": "b", "type": "tight", "displayName": "±—🂡"}]}


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    (folder / "c.json").write_text(json.dumps(CONFIG))
    run = quick_run("runs", *SMALL, "--quiet", "--config", "c.json", cwd=folder)
    (folder / "run").symlink_to(run)
    return folder


def shell(here, line, env=None):
    return subprocess.run(
        ["bash", "-c", line.replace("molt-bench", MOLT_BENCH)],
        capture_output=True,
        check=False,
        cwd=here,
        env={**os.environ, **(env or {})},
        timeout=120,
    )


COMMANDS = [
    "--help",
    "agents",
    "schema",
    "validate c.json",
    "plan c.json",
    "report run",
    "report run --json",
    "verify run",
    "replay run",
    "compare run run",
    "compare run run --json",
    "export run --format csv --output -",
]


FULL = "molt-bench: cannot write to standard output: No space left on device"


@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_under_standard_output_is_one_clear_line(here, command):
    done = quick(*command.split(), cwd=here, out="/dev/full")
    said = [line for line in done.stderr.splitlines() if not line.startswith("molt-bench: wrote")]
    assert said == [FULL]
    assert done.returncode == 1


@pytest.mark.parametrize("command", ["--version", "report run --json"])
def test_python_has_nothing_to_say_about_it_when_it_ends(here, command):
    done = shell(here, f"molt-bench {command} >/dev/full")
    assert (done.stderr.decode(), done.returncode) == (FULL + "\n", 1)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_terminal_that_knows_ascii_alone_gets_ascii(here, command):
    done = quick(*command.split(), cwd=here, encoding="ascii")
    assert (done.returncode, done.stderr) == (
        0,
        "molt-bench: wrote 60 hands to standard output\n" * ("-" in command[-1:]),
    )
    assert done.stdout.isascii() or "export" in command  # which writes a file, whatever the terminal
    if "--json" in command:
        assert "é" in json.dumps(strict_json(done.stdout), ensure_ascii=False)


def test_so_does_one_by_its_environment(here):
    done = shell(here, "molt-bench report run; molt-bench validate c.json", ASCII)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


def test_a_run_goes_on_whatever_becomes_of_its_streams(here):
    small = " ".join(SMALL)
    for number, streams in enumerate((">/dev/full", ">/dev/null 2>/dev/full", "<&- >&- 2>&-")):
        done = shell(here, f"molt-bench {small} --config c.json --output-dir out-{number} {streams}")
        assert done.returncode == (1 if number == 0 else 0), done.stderr
        assert b"Traceback" not in done.stderr
        (run,) = (here / f"out-{number}").iterdir()
        assert (run / "leaderboard.json").is_file()
        assert (run / "journal.jsonl").read_bytes().startswith(b"{")


def test_an_unknown_name_with_bytes_that_are_no_text_is_one_clear_line(here):
    for command in (["report", "\udcff"], ["validate", "\udcff.yaml"], ["--participants", "random,\udcff"]):
        one_clear_line(quick(*command, cwd=here))
