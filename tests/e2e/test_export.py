"""`export`: a run in every format, as a user writes it."""

import json
import os
import tomllib

import pytest

from molt_bench.cli import export
from tests.e2e.shell import SMALL, good, one_clear_line, quick, quick_run
from tests.report.exported_hands import NAMES

FILES = {"phh": "hands.phhs", "csv": "hands.csv"}
MARKS = {"phh": b"variant =", "csv": b"\r\n"}


def test_the_files_are_those_of_the_program():
    assert export.FILES == FILES


@pytest.mark.parametrize("form", FILES)
def test_every_format_goes_to_a_file_of_the_run_and_one_line_says_so(run, form):
    done = quick("export", run, "--format", form)
    path = run / FILES[form]
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"molt-bench: wrote 100 hands to {path}\n")
    content = path.read_bytes()
    assert content.count(MARKS[form]) == 100 + (form == "csv")
    printed = quick("export", run, "--format", form, "--output", "-")
    assert printed.stdout == content.decode().replace("\r\n", "\n")
    assert printed.stderr.endswith(" to standard output\n")
    assert not list(run.glob(".*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--output", "no/such/folder/x"], ["--output", "No such file"]),
        (["--output", "."], ["--output", "Is a directory"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_mistake_is_one_clear_line_and_leaves_no_file(finished, tmp_path, arguments, said):
    before = sorted(finished.iterdir())
    one_clear_line(quick("export", finished, "--format", "csv", *arguments, cwd=tmp_path), *said)
    assert sorted(finished.iterdir()) == before
    assert not list(tmp_path.iterdir())


def test_a_link_and_a_device_stay_what_they_are(finished, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "file")
    for output in (link, os.devnull):
        good(quick("export", finished, "--format", "phh", "--output", output))
    assert link.is_symlink()
    assert (tmp_path / "file").read_bytes().count(MARKS["phh"]) == 100
    assert not os.path.isfile(os.devnull)


def test_a_run_that_was_cut_off_is_exported_as_far_as_it_goes(finished, tmp_path):
    lines = (finished / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][:50])
    note, wrote = quick("export", tmp_path, "--format", "phh").stderr.splitlines()
    assert note == f"molt-bench: warning: {tmp_path}: the run has not ended: this is what was finished so far"
    assert wrote == f"molt-bench: wrote 10 hands to {tmp_path / 'hands.phhs'}"
    assert len(tomllib.loads((tmp_path / "hands.phhs").read_text("utf-8"))) == 10


def test_every_name_goes_through_every_format(tmp_path):
    kinds = ["tight", "callstation", "random"]
    players = [{"id": name, "type": kinds[number % 3]} for number, name in enumerate(NAMES)]
    (tmp_path / "config.json").write_text(json.dumps({"participants": players}), "utf-8")
    small = (*SMALL, "--seeds", "1", "--hands", "2", "--max-matches", "8", "--quiet")
    run = quick_run(tmp_path / "runs", "--config", tmp_path / "config.json", *small)
    for form, name in FILES.items():
        assert good(quick("export", run, "--format", form)).stderr.count("\n") == 1
        assert (run / name).stat().st_size
