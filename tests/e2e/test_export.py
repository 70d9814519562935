"""`export`: a run in every format, as a user writes it."""

import json
import os
import tomllib

import pytest

from molt_bench.cli import export, run_or_resume
from molt_bench.poker.equity import equity
from tests.e2e.shell import SMALL, one_clear_line, quick, quick_run
from tests.report.exported_hands import NAMES

FILES = {"phh": "hands.phhs", "csv": "hands.csv"}
MARKS = {"phh": b"variant =", "csv": b"\r\n"}
BOTS = "tight,callstation,random"


def test_the_files_are_those_of_the_program():
    """What the program needs is loaded here, once, for all its forks."""
    assert export.FILES == FILES
    assert equity((0, 1), (2, 3)) == pytest.approx(0.5)
    assert callable(run_or_resume.start_run)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a run of three matches, 60 hands."""
    return quick_run(tmp_path_factory.mktemp("runs"), "--participants", BOTS, *SMALL, "--quiet")


@pytest.mark.parametrize("form", FILES)
def test_every_format_goes_to_a_file_of_the_run_and_one_line_says_so(run, form):
    done = quick("export", run, "--format", form)
    path = run / FILES[form]
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"molt-bench: wrote 60 hands to {path}\n")
    content = path.read_bytes()
    assert content.count(MARKS[form]) == 60 + (form == "csv")
    printed = quick("export", run, "--format", form, "--output", "-")
    assert printed.stdout == content.decode().replace("\r\n", "\n")
    assert printed.stderr.endswith(" to standard output\n")
    path.unlink()
    assert not list(run.glob(".*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "csv", "--output", "no/such/folder/x"], ["--output", "No such file"]),
        (["--format", "csv", "--output", "."], ["--output", "Is a directory"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_mistake_is_one_clear_line_and_leaves_no_file(run, tmp_path, arguments, said):
    before = sorted(run.iterdir())
    one_clear_line(quick("export", run, *arguments, cwd=tmp_path), *said)
    assert sorted(run.iterdir()) == before
    assert not list(tmp_path.iterdir())


def test_what_is_no_run_is_one_clear_line(tmp_path):
    one_clear_line(quick("export", tmp_path, "--format", "phh"), "RUN = ", "journal.jsonl")


@pytest.mark.parametrize("arguments", [["--format", "xml"], [], ["--format", "csv", "--deals", "-1"]])
def test_wrong_usage_is_status_2(run, arguments):
    done = quick("export", run, *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_link_and_a_device_stay_what_they_are(run, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    for output in (link, os.devnull):
        assert quick("export", run, "--format", "phh", "--output", output).returncode == 0
    assert link.is_symlink()
    assert (tmp_path / "file").read_bytes().count(MARKS["phh"]) == 60
    assert not os.path.isfile(os.devnull)


def test_a_run_that_was_cut_off_is_exported_as_far_as_it_goes(run, tmp_path):
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:50])
    done = quick("export", tmp_path, "--format", "phh")
    note, wrote = done.stderr.splitlines()
    assert note == f"molt-bench: warning: {tmp_path}: the run has not ended: this is what was finished so far"
    assert wrote == f"molt-bench: wrote 10 hands to {tmp_path / 'hands.phhs'}"
    assert len(tomllib.loads((tmp_path / "hands.phhs").read_text("utf-8"))) == 10


def test_every_name_goes_through_every_format(tmp_path):
    kinds = ["tight", "callstation", "random"]
    participants = [{"id": name, "type": kinds[number % 3]} for number, name in enumerate(NAMES)]
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"participants": participants}), "utf-8")
    run = quick_run(
        tmp_path / "runs", "--config", config, *SMALL, "--seeds", "1", "--hands", "2", "--max-matches", "8", "--quiet"
    )
    for form, name in FILES.items():
        done = quick("export", run, "--format", form)
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("\n") == 1
        assert (run / name).stat().st_size
