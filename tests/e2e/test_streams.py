"""Standard streams: full, closed, or only for ASCII; the program says so in one line, or does without."""

import json
import os
import subprocess

import pytest

from tests.cases import one_in
from tests.e2e.shell import MOLT_BENCH, SMALL, one_clear_line, quick, quick_run, run_of, strict_json

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
    "doctor",
    "doctor c.json",
    "plan c.json",
    "report run",
    "report run --json",
    "verify run",
    "compare run run",
    "compare run run --json",
    "export run --format csv --output -",
]


FULL = "molt-bench: cannot write to standard output: No space left on device"


@pytest.mark.parametrize("command", one_in(3, COMMANDS))
def test_a_full_disk_under_standard_output_is_one_clear_line(here, command):
    done = quick(*command.split(), cwd=here, out="/dev/full")
    said = [line for line in done.stderr.splitlines() if not line.startswith("molt-bench: wrote")]
    assert said == [FULL]
    assert done.returncode == 1


@pytest.mark.parametrize("command", ["--version", "report run --json"])
@pytest.mark.slow
def test_python_has_nothing_to_say_about_it_when_it_ends(here, command):
    done = shell(here, f"molt-bench {command} >/dev/full")
    assert (done.stderr.decode(), done.returncode) == (FULL + "\n", 1)


@pytest.mark.parametrize("command", one_in(3, COMMANDS))
def test_a_terminal_that_knows_ascii_alone_gets_ascii(here, command):
    done = quick(*command.split(), cwd=here, encoding="ascii")
    assert (done.returncode, done.stderr) == (
        0,
        "molt-bench: wrote 60 hands to standard output\n" * ("-" in command[-1:]),
    )
    assert done.stdout.isascii() or "export" in command  # which writes a file, whatever the terminal
    if "--json" in command:
        assert "é" in json.dumps(strict_json(done.stdout), ensure_ascii=False)


@pytest.mark.slow
def test_so_does_one_by_its_environment(here):
    done = shell(here, "molt-bench report run", ASCII)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


@pytest.mark.parametrize(
    ("streams", "status"), [({"out": "/dev/full"}, 1), ({"out": "/dev/null", "err": "/dev/full"}, 0), (None, 0)]
)
@pytest.mark.slow
def test_a_run_goes_on_whatever_becomes_of_its_streams(here, tmp_path, streams, status):
    flags = (*SMALL, "--config", "c.json", "--output-dir", tmp_path / "out")
    if streams is None:
        done = shell(here, f"molt-bench {' '.join(map(str, flags))} <&- >&- 2>&-")
    else:
        done = quick(*flags, cwd=here, **streams)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in str(done.stderr)
    run = run_of(tmp_path / "out")
    assert (run / "leaderboard.json").is_file()
    assert (run / "journal.jsonl").read_bytes().startswith(b"{")


def test_an_unknown_name_with_bytes_that_are_no_text_is_one_clear_line(here):
    for command in (["report", "\udcff"], ["doctor", "\udcff.yaml"], ["--participants", "random,\udcff"]):
        one_clear_line(quick(*command, cwd=here))
