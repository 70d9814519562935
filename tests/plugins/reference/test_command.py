"""`molt-bench grade`: every decision of any run, and nothing else is changed."""

import json

import pytest

from molt_bench.runs.journal import Journal
from tests.e2e.shell import everything, one_clear_line, quick, quick_run, run_of

FAST = ("--quiet", "--executor", "inline", "--seeds", "2", "--set", "stop.adjacentConfidence=null")
BOTS = ("--participants", "tag,callstation,random", "--hands", "6", "--max-matches", "3", *FAST)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return the files of a run by their names."""
    home = tmp_path_factory.mktemp("graded")
    quick_run(home / "out", *BOTS)
    return {path.name: path.read_bytes() for path in run_of(home / "out").iterdir()}


@pytest.fixture
def run(played, tmp_path):
    """Return the folder of a run that has not been graded."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    for name, content in played.items():
        (folder / name).write_bytes(content)
    return folder


def graded(*arguments):
    done = quick("grade", *arguments)
    assert done.returncode == 0, done.stderr
    return done


def test_it_prints_everybody_beside_what_they_won_and_says_that_it_is_not_the_ranking(run):
    done = graded(run)
    for name in ("tag", "callstation", "random"):
        assert done.stdout.count(f" {name}") >= 3
    for words in ("lost/dec", "won/100", "above", "folds too", "wrong size", "not the ranking", "callstations"):
        assert words in done.stdout
    assert done.stderr == ""


@pytest.mark.slow
def test_the_file_has_the_same_bytes_every_time_and_no_other_file_changes(run, played):
    graded(run)
    first = (run / "grades.json").read_bytes()
    assert {name: content for name, content in everything(run).items() if name != "grades.json"} == played
    graded(run)
    assert (run / "grades.json").read_bytes() == first


@pytest.mark.slow
def test_report_and_verify_do_not_mind_the_file(run):
    graded(run)
    before = (run / "grades.json").read_bytes()
    for command in ("report", "verify"):
        done = quick(command, run)
        assert done.returncode == 0, done.stderr
    assert (run / "grades.json").read_bytes() == before


def test_json_is_one_object_with_the_chosen_agent(run):
    found = json.loads(graded(run, "--json", "--agent", "tag").stdout)
    (row,) = found["participants"]
    assert row["id"] == "tag"
    assert row["decisions"] == sum(each["decisions"] for each in row["streets"].values()) > 0
    assert row["aboveMbb"] <= row["lossMbb"]
    written = json.loads((run / "grades.json").read_bytes())
    assert len(written["participants"]) == 3


def test_an_agent_that_is_not_in_the_run_is_one_clear_line(run):
    one_clear_line(quick("grade", run, "--agent", "nobody"), "--agent", "'nobody'", "tag, callstation, random")


def test_a_folder_without_a_run_is_one_clear_line(tmp_path):
    one_clear_line(quick("grade", tmp_path), "RUN", "the folder of a run")


def test_a_run_that_is_still_going_is_graded_and_nothing_is_written(run):
    journal = run / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    for path in run.iterdir():
        path.unlink()
    journal.write_bytes(b"".join(lines[:4]))
    held, _ = Journal.reopen(str(journal))
    try:
        before = everything(run)
        done = graded(run, "--json")
        assert "still going" in done.stderr
        assert json.loads(done.stdout)["games"] == 3
        assert everything(run) == before
    finally:
        held.close()


@pytest.mark.parametrize(
    "settings",
    [
        ("game.stacks=carry", "game.stack=700"),
        ("game.ante=20", "game.warmupHands=2"),
        ("game.smallBlind=0", "game.bigBlind=3", "game.stack=9", "game.maxActionsPerHand=3"),
    ],
)
@pytest.mark.slow
def test_any_stakes_are_graded(tmp_path, settings):
    sets = [part for each in settings for part in ("--set", each)]
    quick_run(tmp_path / "out", "--participants", "tag,maniac", "--hands", "8", "--max-matches", "1", *FAST, *sets)
    found = json.loads(graded(run_of(tmp_path / "out"), "--json").stdout)
    assert all(row["decisions"] and row["lossMbb"] >= 0 for row in found["participants"])


def test_no_control_character_of_a_name_reaches_the_terminal(tmp_path):
    names = [{"id": "one", "type": "tag", "displayName": "\x1b[31mred"}, {"id": "two", "type": "random"}]
    (tmp_path / "config.json").write_text(json.dumps({"participants": names}))
    quick_run(tmp_path / "out", "--config", tmp_path / "config.json", "--hands", "4", "--max-matches", "1", *FAST)
    said = graded(run_of(tmp_path / "out")).stdout
    assert "\x1b" not in said
    assert "\\u001b[31mred" in said
