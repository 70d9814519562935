"""A run that is still going: others may look at it, and nobody writes in its folder but itself."""

import json
import signal
import time

import pytest

from molt_bench.runs.journal import Journal
from tests.e2e.shell import everything, one_clear_line, quick, results, run_of, start

LONG = ("--participants", "tight,random", "--seeds", "4", "--hands", "20", "--set", "stop.adjacentConfidence=null")
GOING = "molt-bench: warning: the run is still going: these are interim results, and nothing was written\n"


def until(happened):
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """Return a whole run, in its files and as a list of games."""
    home = tmp_path_factory.mktemp("finished")
    done = quick(*LONG, "--max-matches", "3", "--quiet", "--output-dir", home / "out")
    assert done.returncode == 0, done.stderr
    return run_of(home / "out")


@pytest.fixture
def going(finished, tmp_path):
    """Return the folder of a run that this process is in the middle of."""
    folder = tmp_path / "out" / "run"
    folder.mkdir(parents=True)
    lines = (finished / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "journal.jsonl").write_bytes(b"".join(lines[:-6]))
    (folder / "leaderboard.json").write_text("of an earlier sitting")
    journal, _ = Journal.reopen(str(folder / "journal.jsonl"))
    yield folder
    journal.close()


def test_report_prints_the_table_as_it_stands_and_writes_nothing(going):
    before = everything(going)
    done = quick("report", going)
    assert (done.returncode, done.stderr) == (0, GOING)
    assert "2 matches, 16 games" in done.stdout
    assert "Stopped: not yet, the run is still going." in done.stdout
    assert everything(going) == before


def test_report_as_json_is_one_object_and_the_warning_is_beside_it(going):
    before = everything(going)
    done = quick("report", going, "--json")
    assert (done.returncode, done.stderr) == (0, GOING)
    assert json.loads(done.stdout)["summary"]["stopReason"] == "not yet, the run is still going"
    assert everything(going) == before


def test_a_page_is_written_where_it_is_asked_for(going, tmp_path):
    before = everything(going)
    done = quick("export", going, "--format", "html", "--output", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.html").exists()
    assert everything(going) == before


def test_it_cannot_be_resumed_a_second_time(going):
    before = everything(going)
    one_clear_line(quick("resume", going), "is being written by another process")
    assert everything(going) == before


@pytest.mark.slow
def test_one_that_has_only_just_begun_is_one_clear_line(tmp_path):
    journal = Journal(str(tmp_path / "journal.jsonl"))
    one_clear_line(quick("report", tmp_path), "only just begun")
    journal.close()


def test_one_that_was_cut_off_is_reported_with_its_files(going, tmp_path):
    """The lock counts, not that the journal has no end."""
    folder = tmp_path / "cut"
    folder.mkdir()
    (folder / "journal.jsonl").write_bytes((going / "journal.jsonl").read_bytes())
    done = quick("report", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "leaderboard.json").exists()


@pytest.mark.slow
def test_looking_at_a_real_run_changes_nothing_of_it(tmp_path):
    run = start(*LONG, "--max-matches", "60", "--quiet", "--output-dir", tmp_path / "out")
    until(lambda: any(path.read_bytes().count(b"\n") > 20 for path in tmp_path.glob("out/*/journal.jsonl")))
    folder = run_of(tmp_path / "out")
    run.send_signal(signal.SIGSTOP)  # so that it cannot end meanwhile
    done = quick("report", folder)
    assert (done.returncode, done.stderr) == (0, GOING)
    assert [path.name for path in folder.iterdir()] == ["journal.jsonl"]
    run.send_signal(signal.SIGCONT)
    assert run.communicate(timeout=120)[1] == ""
    whole = quick(*LONG, "--max-matches", "60", "--quiet", "--output-dir", tmp_path / "whole")
    assert whole.returncode == 0
    assert results(folder) == results(run_of(tmp_path / "whole"))
