"""A run in progress: what is played, how much of the budget is used, and what that says about the time to go."""

import json
import shutil

import pytest

from molt_bench.plugins.view.library import Library
from molt_bench.runs.line_file import LineFile
from tests.viewing import told


@pytest.fixture
def running(runs, models_id, bots_id, tmp_path):
    """Return a function that opens a run as it was after so many lines of its journal, still being written."""
    files = []

    def open_run(name, lines):
        folder = tmp_path / name
        shutil.copytree(runs / name, folder)
        for path in folder.glob("*.json"):
            path.unlink()
        journal = folder / "journal.jsonl"
        written = journal.read_bytes().splitlines(keepends=True)
        seed = json.loads(written[-1]).get("masterSeed")
        if seed is not None:
            (folder / "master-seed").write_text(seed)
        journal.write_bytes(b"".join(written[:lines]))
        file = LineFile(str(journal), new=False)
        files.append(file)
        return Library(tmp_path)

    yield open_run
    for file in files:
        file.close()


def test_the_matches_in_progress_are_named_with_their_games(running, bots_id):
    found = told(running(bots_id, 1 + 7 + 2), bots_id, "/names")["live"]
    (match,) = found["matches"]
    assert (match["match"], match["games"], match["of"]) == (2, 2, 6)
    (budget,) = found["budgets"]
    assert (budget["label"], budget["used"], budget["limit"]) == ("matches", 1, 4)
    assert budget["share"] == pytest.approx((1 + 2 / 6) / 4)
    assert found["spentFirst"] == "matches"
    assert found["secondsLeft"] == pytest.approx(found["seconds"] * 2, rel=0.5)
    assert found["usd"] is None


def test_before_the_first_game_nothing_is_claimed_about_the_time(running, bots_id):
    found = told(running(bots_id, 1), bots_id, "/names")["live"]
    assert (found["matches"], found["secondsLeft"]) == ([], None)


def test_games_of_models_are_under_way_as_soon_as_one_is_asked(running, models_id):
    found = told(running(models_id, 1), models_id, "/names")["live"]
    under_way = found["underWay"]
    assert under_way["games"] == 12, "all that were ever asked about, since none has finished"
    assert {*under_way["agents"]} == {"model-0", "model-1"}
    assert found["usd"] > 0
    assert not found["unpriced"]


def test_the_page_of_the_run_says_the_same(running, bots_id):
    library = running(bots_id, 1 + 7 + 2)
    page = told(library, bots_id)
    assert page["live"]["matches"] == told(library, bots_id, "/names")["live"]["matches"]
    standings = {each["id"]: each["bbPer100"] for each in page["live"]["standings"]}
    assert standings == {row["id"]: row["bb100"] for row in page["leaderboard"]}
    assert page["participants"] == told(library, bots_id, "/names")["participants"]


def test_a_run_that_has_ended_is_not_live(library, bots_id, models_id):
    for run in (bots_id, models_id):
        assert told(library, run, "/names")["live"] is None
        assert told(library, run)["live"] is None


def test_a_run_that_is_followed_says_after_every_match_what_it_says_when_it_is_opened_then(running, runs, bots_id):
    library = running(bots_id, 1)
    written = (runs / bots_id / "journal.jsonl").read_bytes().splitlines(keepends=True)
    journal = library.folder(bots_id) / "journal.jsonl"
    begun = journal.stat().st_size
    assert begun == len(written[0])
    for at in range(1, len(written) - 2, 3):
        with journal.open("ab") as file:
            file.write(b"".join(written[at : at + 3]))
        page, anew = told(library, bots_id), told(Library(library.root), bots_id)
        assert page["leaderboard"] == anew["leaderboard"]
        assert page["payoff"] == anew["payoff"]
        assert page["live"] == {**anew["live"], "seconds": page["live"]["seconds"]}
    assert len(page["matches"]) > 2
