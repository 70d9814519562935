"""What Windows and macOS lack is not needed: with it taken away, everything loads, and what cannot work says so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ELSEWHERE = Path(__file__).with_name("elsewhere.py")
ROOT = Path(__file__).parents[2]


def elsewhere(system, *arguments, cwd, **variables):
    return subprocess.run(
        [sys.executable, ELSEWHERE, system, *arguments],
        cwd=cwd,
        env={**os.environ, "NO_COLOR": "1", **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("system", ["windows", pytest.param("macos", marks=pytest.mark.slow)])
def test_every_module_loads_without_what_the_system_lacks(system, tmp_path):
    done = elsewhere(system, "imports", cwd=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("executor", ["inline", "processes"])
def test_bots_play_on_windows_and_the_run_is_the_same(executor, tmp_path):
    """A run of a fixed seed has the same leaderboard as here; and it can be read and verified."""
    played = ("--participants", "tag,random", "--seeds", "2", "--hands", "5", "--max-matches", "2", "--quiet")
    flags = (*played, "--executor", executor, "--set", "seeds.masterSeed=1")
    done = elsewhere("windows", *flags, "--output-dir", "there", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    program = [Path(sys.executable).with_name("molt-bench"), *flags, "--output-dir", "here"]
    subprocess.run(program, cwd=tmp_path, check=True, capture_output=True)
    there, here = ([*(tmp_path / name).iterdir()] for name in ("there", "here"))
    assert (there[0] / "leaderboard.json").read_bytes() == (here[0] / "leaderboard.json").read_bytes()
    done = elsewhere("windows", "verify", str(there[0]), cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("check", "exec:./bot"), "Linux or macOS, where programs play", marks=pytest.mark.slow),
        pytest.param(("check", "acpc:./bot"), "Linux or macOS, where programs play", marks=pytest.mark.slow),
        pytest.param(("check", "bot.py:make", "--sandbox"), "bubblewrap needs Linux", marks=pytest.mark.slow),
    ],
)
def test_what_cannot_work_on_windows_says_so_in_one_line(arguments, said, tmp_path):
    (tmp_path / "bot.py").write_text("from molt_bench import make_agent\ndef make():\n    return make_agent('tight')\n")
    done = elsewhere("windows", *arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_page_names_every_module_and_system_that_the_test_takes_away():
    text = (ROOT / "docs" / "start" / "install.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    assert len(rows) > 6
    assert rows[0] == ("what", "Linux", "macOS", "Windows")
