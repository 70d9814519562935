"""Runs together: side by side, over time, and added up."""

import json
import shlex
import shutil
from zipfile import ZipFile

import pytest

from molt_bench.study.comparison import compare
from molt_bench.view.library import Library
from molt_bench.view.publish import publish
from molt_bench.view.server import answer
from tests.e2e.shell import quick, quick_run

FLAGS = ("--participants", "tag,callstation,random", "--seeds", "4", "--hands", "8", "--max-matches", "6", "--quiet")
FIXED = ("--executor", "inline", "--set", "stop.adjacentConfidence=null")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with two runs of a config on different cards, a copy of the first, and another game."""
    folder = tmp_path_factory.mktemp("together")
    for at, more in enumerate(
        (
            ("--set", "seeds.masterSeed=one", "--name", "The first"),
            ("--set", "seeds.masterSeed=two"),
            ("--set", "seeds.masterSeed=one", "--set", "game.stack=4000"),
        ),
        start=1,
    ):
        made = quick_run(folder / "made", *FLAGS, *FIXED, *more)
        (folder / "runs").mkdir(exist_ok=True)
        shutil.move(made, folder / "runs" / f"2026-01-0{at}T10-00-00")
    shutil.copytree(folder / "runs" / "2026-01-01T10-00-00", folder / "runs" / "2026-01-04T10-00-00")
    return folder / "runs"


@pytest.fixture(scope="module")
def library(folder):
    return Library(folder)


def run(day):
    return f"2026-01-0{day}T10-00-00"


@pytest.mark.slow
def test_side_by_side_says_what_compare_says(library):
    found = answer(library, f"api/compare/{run(1)}/{run(2)}.json")
    old, new = (library._chapter(run(day)).run for day in (1, 2))
    expected = {each.new_id: each for each in compare(old, new).differences}
    assert {change["agent"] for change in found["changes"]} == expected.keys() == {"tag", "callstation", "random"}
    for change in found["changes"]:
        each = expected[change["agent"]]
        assert change["difference"] == pytest.approx(each.change.mean / 10)
        assert (change["verdict"], change["paired"], change["why"]) == (each.verdict, False, None)
    assert found["why"] is None
    assert found["settings"] == [{"key": "seeds.masterSeed", "old": '"one"', "new": '"two"'}]
    assert [each["title"] for each in found["runs"]] == ["The first", ""]
    assert all(agent["in"] == [True, True] and not agent["changed"] for agent in found["agents"])


def test_runs_that_cannot_be_compared_say_why_and_what_differs(library):
    found = answer(library, f"api/compare/{run(1)}/{run(3)}.json")
    assert "game.stack is 10000" in found["why"]
    assert found["settings"] == [{"key": "game.stack", "old": "10000", "new": "4000"}]
    assert {change["difference"] for change in found["changes"]} == {None}
    assert found["command"] is None


def test_the_command_that_is_shown_works(library):
    found = answer(library, f"api/compare/{run(1)}/{run(2)}.json")
    program, *arguments = shlex.split(found["command"])
    assert program == "molt-bench"
    assert quick(*arguments).returncode == 0


def test_a_published_command_works_where_the_runs_were_unpacked(library, tmp_path):
    for _ in publish(library, tmp_path / "site", most_deals=1):
        pass
    found = json.loads((tmp_path / "site" / "api" / "compare" / f"{run(1)}.json").read_bytes())[run(2)]
    assert found["command"] == f"molt-bench compare {run(1)} {run(2)}"
    for day in (1, 2):
        with ZipFile(tmp_path / "site" / "files" / run(day) / f"{run(day)}.zip") as archive:
            archive.extractall(tmp_path / "here")
    assert quick(*shlex.split(found["command"])[1:], cwd=tmp_path / "here").returncode == 0
    (pool,) = json.loads((tmp_path / "site" / "api" / "pools.json").read_bytes())
    assert pool["runs"] == [run(1), run(2)]


def test_a_run_that_is_not_there_is_named(library):
    with pytest.raises(Exception, match="nowhere"):
        answer(library, f"api/compare/{run(1)}/nowhere.json")


def test_history_joins_what_can_be_compared_and_says_why_where_not(library):
    found = answer(library, "api/history.json")
    assert [each["id"] for each in found["runs"]] == [run(day) for day in (1, 2, 3, 4)]
    changes = {(one["from"], one["to"]): one for one in found["regressions"] if one["agent"] == "tag"}
    assert changes.keys() == {(run(1), run(2)), (run(2), run(3)), (run(3), run(4))}
    assert changes[run(1), run(2)]["why"] is None
    assert "game.stack" in changes[run(2), run(3)]["why"]


def test_the_leaderboard_of_several_runs_names_those_in_it_and_why_others_are_not(library):
    (pool,) = answer(library, "api/pools.json")
    assert pool["runs"] == [run(1), run(2)]
    left_out = {each["id"]: each["why"] for each in pool["leftOut"]}
    assert left_out.keys() == {run(3), run(4)}
    assert "game.stack" in left_out[run(3)]
    assert "cards of" in left_out[run(4)]
    hands = {each["id"]: each["hands"] for each in library.run_list()}
    assert pool["hands"] == hands[run(1)] + hands[run(2)]
    rates = [row["bb100"] for row in pool["leaderboard"]]
    assert rates == sorted(rates, reverse=True)
    assert answer(library, "api/pools.json") is answer(library, "api/pools.json"), "added up once"


def test_an_unfinished_run_is_not_added(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "runs")
    journal = tmp_path / "runs" / run(2) / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    (journal.parent / "summary.json").unlink()  # a run writes it when it has ended
    (pool,) = answer(Library(tmp_path / "runs"), "api/pools.json")
    assert pool["runs"] == [run(1)]
    assert {"id": run(2), "why": "it has not finished"} in pool["leftOut"]
