"""Runs together: the results of each agent over time."""

import shutil

import pytest

from molt_bench.study.comparison import compare
from molt_bench.view.library import Library
from molt_bench.view.server import answer
from tests.e2e.shell import quick_run

FLAGS = ("--participants", "tag,callstation,random", "--seeds", "4", "--hands", "8", "--max-matches", "6", "--quiet")
FIXED = ("--executor", "inline", "--set", "stop.adjacentConfidence=null")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with two runs of a config on different cards, a copy of the first, and another game."""
    folder = tmp_path_factory.mktemp("together")
    for at, more in enumerate(
        (
            ("--set", "seeds.masterSeed=one"),
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
def test_a_change_is_the_one_that_compare_finds(library):
    found = answer(library, "api/history.json")
    old, new = (library._chapter(run(day)).run for day in (1, 2))
    expected = {each.new_id: each for each in compare(old, new).differences}
    changes = [each for each in found["regressions"] if (each["from"], each["to"]) == (run(1), run(2))]
    assert {change["agent"] for change in changes} == expected.keys() == {"tag", "callstation", "random"}
    for change in changes:
        each = expected[change["agent"]]
        assert change["difference"] == pytest.approx(each.change.mean / 10)
        assert (change["verdict"], change["why"]) == (each.verdict, None)


def test_history_joins_what_can_be_compared_and_says_why_where_not(library):
    found = answer(library, "api/history.json")
    assert [each["id"] for each in found["runs"]] == [run(day) for day in (1, 2, 3, 4)]
    changes = {(one["from"], one["to"]): one for one in found["regressions"] if one["agent"] == "tag"}
    assert changes.keys() == {(run(1), run(2)), (run(2), run(3)), (run(3), run(4))}
    assert changes[run(1), run(2)]["why"] is None
    assert "game.stack is 10000" in changes[run(2), run(3)]["why"]
    assert changes[run(2), run(3)]["difference"] is None
