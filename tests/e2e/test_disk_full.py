"""A disk that is full, or that cannot be written at all."""

import os
import shutil
import subprocess
from functools import partial

import pytest

from tests.e2e.shell import MOLT_BENCH, SMALL, Fork, one_clear_line, quick, run_of, strict_json

WARNING = "molt-bench: warning: "
LOST = "molt-bench: the results could not be saved: "
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
        self.done = run(*LONG, "--output-dir", home / "out")
        assert self.done.returncode == 0, self.done.stderr
        self.folder = run_of(home / "out")


@pytest.fixture(scope="module")
def healthy(tmp_path_factory):
    """Return a run on a disk with room for all of it."""
    return Run(tmp_path_factory.mktemp("healthy"), quick)


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory):
    """Return a run on a disk that was full after 64 KiB of its journal."""
    return Run(tmp_path_factory.mktemp("cut"), partial(on_a_full_disk, 64))


@pytest.mark.slow
@pytest.mark.parametrize("kib", [0, 1, 64])
def test_a_full_disk_is_a_warning_and_the_run_goes_on_in_memory(tmp_path, healthy, cut_off, kib):
    done = cut_off.done if kib == 64 else on_a_full_disk(kib, *LONG, "--output-dir", tmp_path / "full")
    assert done.returncode == (0 if kib == 64 else 1), done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "journal.jsonl could not be written" in done.stderr
    assert table(done) == table(healthy.done)


def test_the_warning_comes_at_once_and_again_at_the_end(cut_off):
    lines = cut_off.done.stderr.splitlines()
    last_match = max(at for at, line in enumerate(lines) if line.startswith("match "))
    about = [at for at, line in enumerate(lines) if "journal.jsonl could not be written" in line]
    assert [at for at in about if at > last_match], "nothing at the end"
    assert [at for at in about if at < last_match], "nothing when it happened"


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
        assert strict_json(done.stdout)["participants"]
    else:
        assert "Stopped: the budget of 3 matches is spent" in done.stdout


def test_results_whose_journal_is_whole_or_whose_files_are_there_are_none(tmp_path, cut_off):
    assert cut_off.done.returncode == 0
    assert {"leaderboard.json", "matches.json", "summary.json"} <= {path.name for path in cut_off.folder.iterdir()}
    assert LOST not in cut_off.done.stderr


def test_a_file_system_without_space_is_a_warning_and_the_run_goes_on_in_memory(tmp_path, healthy):
    """The real thing, ENOSPC on a tmpfs of 64 KiB, where the system lets us mount one."""
    script = 'mount -t tmpfs -o size=64k none "$0" || exit 77; "$@"'
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", script, tmp_path, MOLT_BENCH, *LONG, "--output-dir", tmp_path / "out"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode in (1, 77) and "molt-bench" not in done.stderr:
        pytest.skip("no file system can be mounted here")
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    assert "journal.jsonl could not be written (No space left on device)" in done.stderr
    assert table(done) == table(healthy.done)


def test_json_on_stdout_is_whole_on_a_full_disk_and_holds_the_warning(tmp_path):
    done = on_a_full_disk(0, *SMALL, "--json", "--output-dir", tmp_path)
    assert done.returncode == 1
    assert any("journal.jsonl could not be written" in each for each in strict_json(done.stdout)["summary"]["warnings"])


def test_a_run_cut_off_by_a_full_disk_can_be_resumed_from_what_was_written(tmp_path, healthy, cut_off):
    folder = shutil.copytree(cut_off.folder, tmp_path / "run")
    done = quick("resume", "--run-agents", folder, "--quiet")
    assert done.returncode == 0, done.stderr
    assert (folder / "matches.json").read_bytes() == (healthy.folder / "matches.json").read_bytes()


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_an_output_folder_that_is_a_file_is_one_clear_line(tmp_path, below):
    (tmp_path / "taken").write_text("a file")
    done = quick(*SMALL, "--output-dir", tmp_path / "taken" / below)
    one_clear_line(done, "outputDir", "a folder that can be written")


def test_an_output_folder_where_none_can_be_made_is_one_clear_line():
    one_clear_line(quick(*SMALL, "--output-dir", "/proc/nowhere"), "outputDir", "a folder that can be written")
