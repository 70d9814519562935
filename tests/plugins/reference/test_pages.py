"""Grades on the pages: at every decision of a hand, and of a run that has been graded."""

import json
import shutil

import msgspec
import pytest

from molt_bench.plugins.reference.grades import GRADES, grade_run
from molt_bench.plugins.reference.pages import GradesSection
from molt_bench.report.rows import Rows
from molt_bench.runs.run import Run
from molt_bench.view.html_report import html_report
from molt_bench.view.library import Library
from tests.e2e.shell import BOTS, SMALL, quick_run
from tests.plugins.reference.stand_in import StandIn


def worth(done, seat):
    return {"call": 40.0, "check": 70.0}.get(done.kind, 7919 * done.amount % 211)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    """Grade by values that can be worked out by hand."""
    monkeypatch.setattr("molt_bench.plugins.reference.pages.reference", lambda: StandIn(worth))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Return the folder of a run of two bots and of an agent that only raises exceptions."""
    home = tmp_path_factory.mktemp("pages")
    (home / "bots.py").write_text(BOTS)
    flags = ("--participants", f"tag,random,{home / 'bots.py'}:make_thrower", *SMALL, "--hands", "8", "--quiet")
    return quick_run(home / "out", *flags, "--executor", "inline")


@pytest.fixture
def run(played, tmp_path):
    """Return the folder of a run that has not been graded."""
    return shutil.copytree(played, tmp_path / "runs" / "run")


@pytest.fixture
def graded(run):
    """Return the folder of a run that has been graded."""
    stored = Run.open(run)
    grades = grade_run(stored, StandIn(worth)).grades(Rows(stored.result()))
    (run / GRADES).write_bytes(msgspec.json.encode(grades))
    return run


def opened(folder):
    return Library(folder.parent)


def hand_at(library, at):
    """Return one side of a hand of the list."""
    columns = library.hand_columns("run")["columns"]
    page = library.hand_page("run", *(columns[name][at] for name in ("match", "seed", "hand")))
    return page["sides"][columns["seating"][at]]


def test_every_decision_of_a_hand_has_the_mix_and_its_loss_but_forced_folds(run):
    library = opened(run)
    flags = library.hand_columns("run")["columns"]["flags"]
    forced = next(at for at, flag in enumerate(flags) if flag & 8)
    for at in range(0, len(flags), 7):
        side = hand_at(library, at)
        assert len(side["grades"]) == len(side["decisions"])
        for step in side["steps"]:
            if step["decision"] is None or step["forced"]:
                continue
            grade = side["grades"][step["decision"]]
            assert sum(option["chance"] for option in grade["options"]) == 1
            best = max(option["value"] for option in grade["options"])
            assert grade["loss"] == pytest.approx(max(0, best - grade["value"]), abs=0.002)
            assert (grade["mistake"] is None) == (grade["loss"] == 0)
    side = hand_at(library, forced)
    assert side["steps"][-2]["forced"] or side["steps"][-3]["forced"]
    assert side["grades"][-1] is None


def test_a_run_that_has_not_been_graded_says_nothing_about_grades(run):
    library = opened(run)
    assert library.run_page(run.name)["grades"] is None
    assert library.hand_columns(run.name)["losses"] is None


def test_a_graded_run_shows_the_grades_of_everybody(graded):
    page = opened(graded).run_page(graded.name)["grades"]
    written = json.loads((graded / GRADES).read_bytes())
    assert [row["lossMbb"] for row in page["rows"]] == [row["lossMbb"] for row in written["participants"]]
    assert page["games"] == page["of"]
    assert len(page["rows"][0]["costliest"]) == 10


def test_the_list_of_hands_has_the_largest_mistake_of_each_player(graded):
    library = opened(graded)
    library.run_page(graded.name)
    data = library.hand_columns(graded.name)
    columns = data["columns"]
    assert [len(column) for column in data["losses"]] == [len(columns["net"])] * 2
    for at in (0, 17, len(columns["net"]) - 1):
        side = hand_at(library, at)
        for player in (0, 1):
            own = [
                grade["loss"]
                for grade, done in zip(side["grades"], side["decisions"], strict=True)
                if grade is not None and side["players"][done["seat"]] == player
            ]
            assert data["losses"][player][at] == pytest.approx(1000 * max(own, default=0), abs=1)


def test_a_run_that_is_graded_while_it_is_shown_has_grades_from_then_on(run, request):
    library = opened(run)
    library.hand_columns(run.name)
    request.getfixturevalue("graded")
    assert library.hand_columns(run.name)["losses"] is None
    library.run_page(run.name)
    assert library.hand_columns(run.name)["losses"] is not None


def test_a_file_that_is_no_grades_is_ignored(run):
    odd = "", "{}", "[1]", "nonsense", '{"format": 2}', '{"format": 1, "participants": "<script>"}', "[" * 100_000
    for content in odd:
        (run / GRADES).write_text(content)
        assert opened(run).run_page(run.name)["grades"] is None


def test_what_an_edited_file_says_is_not_shown(graded):
    library = opened(graded)
    expected = library.run_page(graded.name)["grades"], library.hand_columns(graded.name)["losses"]
    grades = json.loads((graded / GRADES).read_bytes())
    for row in [row for row in grades["participants"] if row["costliest"]]:
        row["lossMbb"], row["mistakes"], row["costliest"][0]["match"] = 0.0, 0, 99
    grades["hands"] = grades["hands"][:3]
    (graded / GRADES).write_text(json.dumps(grades))
    again = opened(graded)
    assert (again.run_page(graded.name)["grades"], again.hand_columns(graded.name)["losses"]) == expected


def test_a_single_file_has_no_mixes_but_the_grades_of_the_run(graded, monkeypatch):
    asked = []
    monkeypatch.setattr(GradesSection, "hand", lambda *_: asked.append(1))
    assert '"lossMbb"' in html_report(opened(graded).open(graded.name)).replace("\\u0022", '"')
    assert asked == []
