"""`molt-bench grade`: every decision of any run, and nothing else is changed."""

import json
import shutil

import pytest

from molt_bench.runs.journal import Journal
from tests.e2e.shell import everything, first_lines, good, one_clear_line, quick, quick_run, verified

FAST = ("--quiet", "--executor", "inline", "--seeds", "2", "--set", "stop.adjacentConfidence=null")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return the folder of a run, of which one name would control a terminal."""
    home = tmp_path_factory.mktemp("graded")
    names = [{"id": "tag", "type": "tag", "displayName": "\x1b[31mred"}, "callstation", "random"]
    (home / "c.json").write_text(json.dumps({"participants": names}))
    return quick_run(home / "out", "--config", home / "c.json", "--hands", "6", "--max-matches", "3", *FAST)


@pytest.fixture
def run(played, tmp_path):
    """Return the folder of a run that has not been graded."""
    return shutil.copytree(played, tmp_path / "run")


def test_it_prints_everybody_beside_what_they_won_and_says_that_it_is_not_the_ranking(run):
    done = good(quick("grade", run))
    assert done.stderr == ""
    for name in ("\\u001b[31mred", "callstation", "random"):
        assert done.stdout.count(f" {name}") >= 3
    assert "\x1b" not in done.stdout
    for words in ("lost/dec", "won/100", "above", "folds too", "wrong size", "not the ranking", "callstations"):
        assert words in done.stdout


def test_json_is_one_object_with_the_chosen_agent(run):
    found = json.loads(good(quick("grade", run, "--json", "--agent", "tag")).stdout)
    (row,) = found["participants"]
    assert row["id"] == "tag"
    assert row["decisions"] == sum(each["decisions"] for each in row["streets"].values()) > 0
    assert row["aboveMbb"] <= row["lossMbb"]
    assert len(json.loads((run / "grades.json").read_bytes())["participants"]) == 3
    one_clear_line(quick("grade", run, "--agent", "nobody"), "--agent", "'nobody'", "tag, callstation, random")


@pytest.mark.slow
def test_the_file_has_the_same_bytes_every_time_no_other_changes_and_no_command_minds_it(run, played):
    good(quick("grade", run))
    first = (run / "grades.json").read_bytes()
    assert {name: content for name, content in everything(run).items() if name != "grades.json"} == everything(played)
    good(quick("grade", run))
    good(quick("report", run))
    verified(run)
    assert (run / "grades.json").read_bytes() == first


def test_a_run_that_is_still_going_is_graded_and_nothing_is_written(played, tmp_path):
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(first_lines(4)((played / "journal.jsonl").read_bytes()))
    held, _ = Journal.reopen(str(journal))
    before = everything(tmp_path)
    done = quick("grade", tmp_path, "--json")
    held.close()
    assert "still going" in good(done).stderr
    assert json.loads(done.stdout)["games"] == 3
    assert everything(tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        ("game.stacks=carry", "game.stack=700"),
        ("game.warmupHands=2",),
        ("game.smallBlind=0", "game.bigBlind=3", "game.stack=9", "game.maxActionsPerHand=3"),
    ],
)
def test_any_stakes_are_graded(tmp_path, settings):
    flags = ("--participants", "tag,maniac", "--hands", "8", "--max-matches", "1", *FAST)
    run = quick_run(tmp_path / "out", *flags, *(part for each in settings for part in ("--set", each)))
    found = json.loads(good(quick("grade", run, "--json")).stdout)
    assert all(row["decisions"] and row["lossMbb"] >= 0 for row in found["participants"])
