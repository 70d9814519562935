"""A disk that is full, or that cannot be written at all."""

import os
import shutil
import subprocess
from functools import partial

import pytest

from tests.e2e.shell import MOLT_BENCH, SMALL, Fork, gone_on, good, in_bash, quick, run_of, strict_json

WARNING = "molt-bench: warning: "
LOST = "molt-bench: the results could not be saved: "
UNWRITTEN = "journal.jsonl could not be written"
LONG = (
    *("--participants", "random,tight,callstation", "--max-matches", "8", "--hands", "10"),
    *("--confidence", "0.999", "--executor", "inline"),
)


def on_a_full_disk(kib, *arguments):
    """Run the program where no file may grow beyond so many KiB: a write beyond it fails with EFBIG."""
    (read_out, out), (read_err, err) = os.pipe(), os.pipe()
    process = Fork(*arguments, out=out, err=err, most_kib=kib)
    os.close(out)
    os.close(err)
    with os.fdopen(read_out) as out, os.fdopen(read_err) as err:
        printed = out.read(), err.read()
    process.communicate()
    return subprocess.CompletedProcess(arguments, process.returncode, *printed)


def table(done):
    """Return the lines of the final table and the stop reason, without the folder and the time."""
    own = ("Results:", "Every number explained:")
    return [line for line in done.stdout.splitlines() if not line.startswith(own) and "hands/s" not in line]


class Run:
    """A run that others look at: what it said, and its folder."""

    def __init__(self, home, run):
        self.done = good(run(*LONG, "--output-dir", home / "out"))
        self.folder = run_of(home / "out")


@pytest.fixture(scope="module")
def healthy(tmp_path_factory):
    """Return a run on a disk with room for all of it."""
    return Run(tmp_path_factory.mktemp("healthy"), quick)


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory):
    """Return a run on a disk that was full after 64 KiB of its journal."""
    return Run(tmp_path_factory.mktemp("cut"), partial(on_a_full_disk, 64))


@pytest.mark.parametrize("kib", [64, *(pytest.param(kib, marks=pytest.mark.slow) for kib in (0, 1))])
def test_a_full_disk_is_a_warning_at_once_and_at_the_end_and_the_run_goes_on_in_memory(tmp_path, healthy, cut_off, kib):
    done = cut_off.done if kib == 64 else on_a_full_disk(kib, *LONG, "--output-dir", tmp_path / "full")
    assert done.returncode == (0 if kib == 64 else 1), done.stderr
    assert not [word for word in ("Traceback", "Exception ignored") if word in done.stderr]
    assert table(done) == table(healthy.done)
    lines = done.stderr.splitlines()
    last_match = max(at for at, line in enumerate(lines) if line.startswith("match "))
    about = [at for at, line in enumerate(lines) if UNWRITTEN in line]
    assert about[0] < last_match < about[-1]
    if kib == 64:
        assert {"leaderboard.json", "matches.json", "summary.json"} <= {path.name for path in cut_off.folder.iterdir()}
        assert LOST not in done.stderr


def test_what_does_fit_is_written_whole_and_nothing_else_is_left(tmp_path):
    done = on_a_full_disk(4, *LONG, "--output-dir", tmp_path)
    assert "matches.json could not be written" in done.stderr
    folder = run_of(tmp_path)
    for path in folder.glob("*.json"):
        assert strict_json(path.read_text())
    assert (folder / "leaderboard.json").exists()
    assert not (folder / "matches.json").exists()
    assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]
    *lines, last = done.stderr.splitlines()
    assert last.startswith(LOST)
    for line in lines:
        assert line.startswith((WARNING, "match ", "molt-bench: these 1,600 hands can tell apart"))


@pytest.mark.parametrize("flags", [(), ("--json",), ("--quiet",)])
def test_results_that_are_not_on_disk_at_all_are_a_failure_and_are_printed_in_full(tmp_path, flags):
    done = on_a_full_disk(0, *SMALL, *flags, "--output-dir", tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(LOST)
    if flags == ("--json",):
        assert any(UNWRITTEN in each for each in strict_json(done.stdout)["summary"]["warnings"])
    else:
        assert "Stopped: the budget of 3 matches is spent" in done.stdout


@pytest.mark.slow
def test_a_file_system_without_space_is_a_warning_and_the_run_goes_on_in_memory(tmp_path, healthy):
    """The real thing, ENOSPC on a tmpfs of 64 KiB, where the system lets us mount one."""
    script = 'mount -t tmpfs -o size=64k none "$0" || exit 77; "$@"'
    command = ["unshare", "-rm", "bash", "-c", script, tmp_path, MOLT_BENCH, *LONG, "--output-dir", tmp_path / "out"]
    done = in_bash('"$@"', *command)
    if done.returncode in (1, 77) and "molt-bench" not in done.stderr:
        pytest.skip("no file system can be mounted here")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert f"{UNWRITTEN} (No space left on device)" in done.stderr
    assert table(done) == table(healthy.done)


def test_a_run_cut_off_by_a_full_disk_can_be_resumed_from_what_was_written(tmp_path, healthy, cut_off):
    folder = gone_on(shutil.copytree(cut_off.folder, tmp_path / "run"))
    assert (folder / "matches.json").read_bytes() == (healthy.folder / "matches.json").read_bytes()
