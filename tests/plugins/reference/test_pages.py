"""Grades on the pages: at every decision of a hand, and of a run that has been graded."""

import gzip
import json
import shutil
from base64 import b64decode

import msgspec
import pytest

from molt_bench.plugins.reference.grades import GRADES, grade_run
from molt_bench.plugins.reference.pages import GradesSection
from molt_bench.plugins.view.library import Library
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.plugins.view.publish import html_file
from molt_bench.report.rows import Rows
from molt_bench.runs.run import Run
from tests.e2e.shell import BOTS, SMALL, quick_run
from tests.plugins.reference.stand_in import StandIn
from tests.viewing import told


def worth(done, seat):
    return {"call": 40.0, "check": 70.0}.get(done.kind, 7919 * done.amount % 211)


@pytest.fixture(autouse=True)
def stand_in(monkeypatch):
    """Grade by values that can be worked out by hand."""
    for module in ("pages", "grades"):
        monkeypatch.setattr(f"molt_bench.plugins.reference.{module}.reference", lambda: StandIn(worth))


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


def hand_at(folder, match, seed, seating, number):
    """Return one side of a hand."""
    return told(folder, folder.name, f"/hand/{match}/{seed}/{number}")["sides"][seating]


def listed(folder):
    """Return every hand of a run: where it is, its text, and what it cost both."""
    for game in told(folder, folder.name, "/hands")["games"]:
        for at, text in enumerate(game["hands"]):
            place = game["match"], game["seed"], game["seating"], at + 1
            yield place, text, [column[at] for column in game["losses"] or ()]


def test_every_decision_of_a_hand_has_the_mix_and_its_loss_but_forced_folds(run):
    hands = [*listed(run)]
    forced = next(place for place, text, _ in hands if text.split(":")[5].endswith("F"))
    for place, _, _ in hands[::7]:
        side = hand_at(run, *place)
        assert len(side["grades"]) == len(side["decisions"])
        for step in side["steps"]:
            if step["decision"] is None or step["forced"]:
                continue
            grade = side["grades"][step["decision"]]
            assert sum(option["chance"] for option in grade["options"]) == 1
            best = max(option["value"] for option in grade["options"])
            assert grade["loss"] == pytest.approx(max(0, best - grade["value"]), abs=0.002)
            assert (grade["mistake"] is None) == (grade["loss"] == 0)
    side = hand_at(run, *forced)
    assert side["steps"][-2]["forced"] or side["steps"][-3]["forced"]
    assert side["grades"][-1] is None


def test_a_graded_run_shows_the_grades_of_everybody(graded):
    page = told(graded, graded.name)["grades"]
    written = json.loads((graded / GRADES).read_bytes())
    assert [row["lossMbb"] for row in page["rows"]] == [row["lossMbb"] for row in written["participants"]]
    assert page["games"] == page["of"]
    assert len(page["rows"][0]["costliest"]) == 10


def test_the_list_of_hands_has_the_largest_mistake_of_each_player(graded):
    hands = [*listed(graded)]
    for place, _, losses in (hands[0], hands[17], hands[-1]):
        side = hand_at(graded, *place)
        for player in (0, 1):
            own = [
                grade["loss"]
                for grade, done in zip(side["grades"], side["decisions"], strict=True)
                if grade is not None and side["players"][done["seat"]] == player
            ]
            assert losses[player] == pytest.approx(1000 * max(own, default=0), abs=1)


def test_a_run_that_is_graded_while_it_is_shown_has_grades_from_then_on(run, request):
    library = Library(run)
    before = told(library, run.name)
    assert before["grades"] is None
    assert {game["losses"] for game in told(library, run.name, "/hands")["games"]} == {None}
    request.getfixturevalue("graded")
    assert told(library, run.name)["grades"] is not None
    assert told(library, run.name)["version"] != before["version"]
    assert None not in [game["losses"] for game in told(library, run.name, "/hands")["games"]]


def test_a_file_that_is_no_grades_is_ignored(run):
    odd = "", "{}", "[1]", "nonsense", '{"format": 2}', '{"format": 1, "participants": "<script>"}', "[" * 100_000
    for content in odd:
        (run / GRADES).write_text(content)
        assert told(run, run.name)["grades"] is None


def test_what_an_edited_file_says_is_shown_as_what_it_says_and_not_published(graded):
    grades = json.loads((graded / GRADES).read_bytes())
    grades["participants"][0]["lossMbb"] = 0.0
    (graded / GRADES).write_text(json.dumps(grades))
    assert told(graded, graded.name)["grades"]["note"].startswith("This is what grades.json says")
    assert b'"lossMbb"' not in unpacked(html_file(OpenRun.open(graded)))


def unpacked(page):
    return gzip.decompress(b64decode(page.partition('id="packed">')[2].partition("<")[0]))


def test_a_single_file_has_no_mixes_but_the_grades_of_the_run(graded, monkeypatch):
    asked = []
    monkeypatch.setattr(GradesSection, "hand", lambda *_: asked.append(1))
    assert b'"lossMbb"' in unpacked(html_file(OpenRun.open(graded)))
    assert asked == []
