"""A run that was cut off while its last files were written has been played: nothing of it is played, or paid, twice."""

import os
import shutil
import signal
import time

import pytest

from molt_bench.cli import run_or_resume
from molt_bench.cli.options import RunOptions
from molt_bench.config.loader import load_config
from molt_bench.report.artifacts import ARTIFACTS
from tests.e2e.shell import SMALL, everything, lines_of, moment, quick, quick_run, results, run_of, start

FLAGS = ("--participants", "tag,random", *SMALL)
#: What a run writes once its journal is complete, in this order.
LAST = [*ARTIFACTS]
SAID = "the run has ended, but not all its files were written: they are now, and no game is played"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the folder of a run that has ended."""
    return quick_run(tmp_path_factory.mktemp("whole") / "out", *FLAGS)


def left(whole, home, written):
    """Copy a run as a kill leaves it after so many of its last files: one more is half written."""
    folder = shutil.copytree(whole, home / "out" / whole.name)
    for name in LAST[written:]:
        (folder / name).unlink()
    if written < len(LAST):
        (folder / f".{LAST[written]}.part").write_bytes((whole / LAST[written]).read_bytes()[:7])
    return folder


@pytest.mark.parametrize("written", range(len(LAST)))
def test_resume_finds_a_run_that_was_killed_while_its_last_files_were_written(whole, tmp_path, written):
    folder = left(whole, tmp_path, written)
    done = quick("run", *FLAGS, "--output-dir", tmp_path / "out", "--resume")
    assert (done.returncode, SAID in done.stderr) == (0, True), done.stderr
    assert run_of(tmp_path / "out") == folder
    assert everything(folder) == everything(whole)
    assert quick("verify", folder).returncode == 0


def test_resume_begins_anew_where_the_last_run_has_all_its_files(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "out" / whole.name)
    done = quick("run", *FLAGS, "--output-dir", tmp_path / "out", "--resume")
    assert "no run of this config is unfinished" in done.stderr
    assert len([*(tmp_path / "out").iterdir()]) == 2


def test_a_secret_seed_that_was_told_leaves_no_file(tmp_path):
    flags = (*FLAGS, "--output-dir", tmp_path / "out", "--master-seed-file", tmp_path / "secret")
    (tmp_path / "secret").write_text("0123456789abcdef0123456789abcdef")
    assert quick("run", *flags).returncode == 0
    folder = run_of(tmp_path / "out")
    (folder / "summary.json").unlink()
    (folder / "master-seed").write_text("0123456789abcdef0123456789abcdef\n")
    done = quick("run", *flags, "--resume")
    assert (done.returncode, SAID in done.stderr) == (0, True), done.stderr
    assert run_of(tmp_path / "out") == folder
    assert not (folder / "master-seed").exists()


def test_an_interrupt_while_the_last_files_are_written_says_what_to_do(tmp_path, monkeypatch, capsys):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(run_or_resume, "write_result", interrupted)
    config = load_config({"seeds": {"perMatch": 1}, "outputDir": str(tmp_path), "stop": {"budget": {"maxMatches": 1}}})
    with pytest.raises(SystemExit) as end:
        run_or_resume.start_run(config, RunOptions(quiet=True), secret=None)
    assert end.value.code == 130
    assert f"molt-bench report {run_of(tmp_path)}" in capsys.readouterr().err
    assert lines_of(run_of(tmp_path), "journal.jsonl")[-1]["line"] == "sitting"


@pytest.mark.slow
def test_thirty_kills_during_the_last_writes_lose_nothing(whole, tmp_path):
    early = late = 0
    for number in range(30):
        out = tmp_path / str(number)
        process = start("run", *FLAGS, "--output-dir", out, "--quiet")
        journal = None
        while journal is None or b'"line":"sitting"' not in journal.read_bytes():
            assert process.poll() is None
            journal = next(out.glob("*/journal.jsonl"), None)
        time.sleep(0.01 * moment("last files", number))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        folder = run_of(out)
        late += (folder / "summary.json").exists()
        early += not (folder / "config.json").exists()
        done = quick("resume", folder)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert results(folder) == results(whole)
        assert quick("verify", folder).returncode == 0
    assert early < 30 > late
