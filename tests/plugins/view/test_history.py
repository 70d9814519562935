"""Runs together: the results of each agent over time, from the files that runs have written."""

import json
import shutil

import pytest

from molt_bench.plugins.view.library import Library
from tests.e2e.shell import quick_run


def run_with(folder, name, kind, **game):
    """Run somebody called x against a bot."""
    config = {
        "participants": [{"id": "x", "type": kind}, "random"],
        "seeds": {"perMatch": 40},
        "game": {"handsPerGame": 20, **game},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 1}},
    }
    (folder / "config.json").write_text(json.dumps(config))
    made = quick_run(folder / "made", "--config", folder / "config.json", "--quiet", "--executor", "inline")
    (folder / "all").mkdir(exist_ok=True)
    shutil.move(made, folder / "all" / name)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return a folder with a run, one in which x is another agent, and one of another game."""
    folder = tmp_path_factory.mktemp("together")
    run_with(folder, "2026-01-01T10-00-00", "callstation")
    run_with(folder, "2026-01-02T10-00-00", "folder")
    run_with(folder, "2026-01-03T10-00-00", "folder", stack=2000)
    return folder / "all"


def test_every_agent_has_its_results_from_the_oldest_run_on(runs):
    found = Library(runs).history_page()
    days = [f"2026-01-0{day}T10-00-00" for day in (1, 2, 3)]
    assert [each["id"] for each in found["runs"]] == days
    assert [agent["name"] for agent in found["agents"]] == ["random", "x"]
    for agent in found["agents"]:
        assert [point["run"] for point in agent["points"]] == days
        for point in agent["points"]:
            board = json.loads((runs / point["run"] / "leaderboard.json").read_bytes())
            (own,) = [row for row in board["participants"] if row["id"] == agent["name"]]
            assert (point["bb100"], point["halfWidth"]) == (own["bbPer100"], own["bbPer100HalfWidth"])


def test_who_has_become_worse_is_told_and_what_cannot_be_compared_says_why(runs):
    found = Library(runs).history_page()["regressions"]
    worse, other = [each for each in found if each["agent"] == "x"]
    assert (worse["verdict"], worse["why"], worse["sameField"]) == ("worse", None, True)
    assert worse["difference"] + worse["halfWidth"] < 0
    assert (other["verdict"], other["difference"], other["sameField"]) == ("unknown", None, False)
    assert other["why"] == "game.stack is 10000 in 2026-01-02T10-00-00 and 2000 in 2026-01-03T10-00-00"
    opponent = next(each for each in found if each["agent"] == "random")
    assert opponent["why"] == "the opponent x is not the same"


def test_a_run_without_results_is_in_no_history(runs, tmp_path):
    (tmp_path / "cut").mkdir()
    lines = (runs / "2026-01-01T10-00-00" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "cut" / "journal.jsonl").write_bytes(b"".join(lines[:3]))
    library = Library(tmp_path)
    assert library.history_page() == {"runs": [], "agents": [], "regressions": []}
    (line,) = library.runs_page()
    assert (line["status"], line["leaders"], line["hands"]) == ("interrupted", [], None)
