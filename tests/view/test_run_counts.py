"""While a run is being counted, no part of it is shown as if it were the whole, and no other run waits for it."""

import json
import shutil
from itertools import chain
from threading import Event, Semaphore
from time import monotonic, sleep

import pytest

from molt_bench.errors import JournalError
from molt_bench.report.totals import totals
from molt_bench.runs.line_file import LineFile
from molt_bench.runs.run import Run
from molt_bench.view.library import Library
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_page import run_page
from tests.e2e.shell import rechained


@pytest.fixture
def folder(runs, bots_id, tmp_path):
    """Return a folder with the journal of one run twice."""
    for name in ("slow", "quick"):
        (tmp_path / name).mkdir()
        shutil.copy(runs / bots_id / "journal.jsonl", tmp_path / name)
    return tmp_path


@pytest.fixture
def held(monkeypatch):
    """Return an event that holds up the rating of the slow run, until it is set."""
    go, rate_next = Event(), OpenRun._rate_next
    monkeypatch.setattr(OpenRun, "_rate_next", lambda run: (run.id != "slow" or go.wait(60)) and rate_next(run))
    yield go
    go.set()


def waited_for(done):
    deadline = monotonic() + 60
    while not done():
        assert monotonic() < deadline
        sleep(0.01)


def numbers_in(value):
    if isinstance(value, dict):
        return chain.from_iterable(map(numbers_in, value.values()))
    if isinstance(value, (list, tuple)):
        return chain.from_iterable(map(numbers_in, value))
    return [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def test_what_is_not_known_yet_is_no_number(folder, held):
    library = Library(folder, wait_s=0.01)
    page = library.run_page("slow")
    assert (page["counting"], page["complete"]) == (True, False)
    assert (page["totals"]["matches"], page["totals"]["games"], page["totals"]["hands"]) == (4, 24, 288)
    parts = ("leaderboard", "convergence", "payoff", "spent", "winnings", "costs", "matches", "styles")
    assert {part: list(numbers_in(page[part])) for part in parts} == {part: [] for part in parts}
    line = {each["id"]: each for each in library.run_list()}["slow"]
    assert (line["counting"], line["leaders"], line["matches"], line["hands"]) == (True, [], 4, 288)
    assert "slow" in library.history()["counting"]


def test_pages_and_reports_count_what_was_played_alike_wherever_a_run_was_cut_off(folder):
    """Hands of a match that is not finished count nowhere, since they are in no result."""
    journal = folder / "quick" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    counted = set()
    for many in (3, 8, 9, 12, len(lines) - 1):
        journal.write_bytes(b"".join(lines[:many]))
        reported = totals(Run.open(folder / "quick").result())
        for found in (
            (page := Library(folder)).run_page("quick")["totals"],
            {each["id"]: each for each in page.run_list()}["quick"],
            run_page(OpenRun(folder / "quick"), counted=False)["totals"],
        ):
            assert [found["games"], found["hands"]] == [reported["games"], reported["hands"]]
            assert found["matches"] in (None, reported["matches"])
        counted.add(reported["hands"])
    assert len(counted) > 2


def test_a_slow_run_blocks_no_other_and_not_its_own_hands(folder, held):
    library = Library(folder, wait_s=0.01)
    assert library.run_page("slow")["counting"]
    waited_for(lambda: not library.run_page("quick")["counting"] and library.run_page("quick")["complete"])
    assert len(library.run_page("quick")["leaderboard"]) == 3
    assert len(library.hand_columns("slow")["columns"]["net"]) == 288
    assert library.hand_page("slow", 1, 0, 1)["match"] == 1
    assert library.match_page("slow", 1)["seeds"][0]["adjusted"] is None
    assert [each["name"] for each in library.history()["agents"]] == ["callstation", "random", "tag"]


def test_in_the_end_a_counted_run_says_what_a_stored_one_says(folder, held):
    library = Library(folder, wait_s=0.01)
    seen = library.run_page("slow")
    assert library.newer_page("slow", str(seen["version"])) is None
    held.set()
    for name in ("slow", "quick"):
        waited_for(lambda name=name: library.run_page(name)["complete"])
    same = ("leaderboard", "sentences", "convergence", "payoff", "spent", "winnings", "matches", "styles", "totals")
    pages = [library.run_page(name) for name in ("slow", "quick")]
    assert {key: pages[0][key] for key in same} == {key: pages[1][key] for key in same}


@pytest.mark.slow
def test_the_page_of_a_running_run_goes_on_even_if_it_never_finds_a_free_moment(folder, monkeypatch):
    """On a busy machine a reader who waits for the thread that counts may always come too late."""
    monkeypatch.setattr("molt_bench.view.library._PATIENCE_S", 0.0)
    monkeypatch.setattr("molt_bench.view.library._LINE_WAIT_S", 0.0)
    monkeypatch.setattr("molt_bench.view.run_cache._SHARE_AFTER_S", 60.0)
    turn, rate_next = Semaphore(0), OpenRun._rate_next
    monkeypatch.setattr(
        OpenRun, "_rate_next", lambda run: (run.id != "slow" or turn.acquire(timeout=60)) and rate_next(run)
    )
    journal = folder / "slow" / "journal.jsonl"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    library, writer = Library(folder, wait_s=0.01), LineFile(str(journal), new=False)

    def shown():
        line = {each["id"]: each for each in library.run_list()}["slow"]
        page = library.run_page("slow")
        return len(page["leaderboard"]), page["totals"]["matches"], line["matches"]

    try:
        assert shown() == (0, None, None)
        for many in (1, 2, 3):
            turn.release()
            waited_for(lambda many=many: shown() == (3, many, many))
    finally:
        turn.release(100)
        writer.close()


def test_a_run_that_cannot_be_counted_says_so_and_is_not_counted_for_ever(folder):
    lines = (folder / "slow" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    values = [json.loads(line) for line in lines]
    texts = values[3]["record"]["hand_texts"]
    texts[0] = texts[0].replace("50/100", "50/1", 1)
    (folder / "slow" / "journal.jsonl").write_bytes(rechained(values))
    library = Library(folder, wait_s=60)
    assert not library.run_page("slow")["complete"]
    with pytest.raises(JournalError, match="line 4 is damaged"):
        library.run_page("slow")
