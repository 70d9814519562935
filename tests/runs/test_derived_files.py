"""Margins in the files of a run, whose journal has none, are used again only where the journal vouches for them."""

import json
import shutil

import pytest
from tests.e2e.shell import without_margins

from molt_bench import run_benchmark, write_artifacts
from molt_bench.bench import match_margins
from molt_bench.errors import JournalError
from molt_bench.records import ESTIMATORS, margins_hash
from molt_bench.runs.derived_files import derived_matches
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.runs.stored_run import StoredRun

RUN = {
    "participants": ["tag", "maniac", "random"],
    "seeds": {"perMatch": 2, "masterSeed": "stored"},
    "game": {"handsPerGame": 6},
    "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 4}},
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("played")
    journal = Journal(str(folder / "journal.jsonl"))
    run_benchmark(RUN, files=RunFiles(journal), executor="inline")
    journal.close()
    path = folder / "journal.jsonl"
    path.write_bytes(without_margins(path.read_bytes()))
    write_artifacts(StoredRun.open(folder).result(), folder)
    return folder


@pytest.fixture
def run(played, tmp_path):
    return shutil.copytree(played, tmp_path / "run")


def changed(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def counted(run, monkeypatch):
    """Return the result with stored margins allowed, and the number of games whose luck was taken out for it."""
    games = []
    of = match_margins.all_estimates
    monkeypatch.setattr(match_margins, "all_estimates", lambda *args, **kwargs: games.append(1) or of(*args, **kwargs))
    return StoredRun.open(run).result(recount=False), len(games)


def test_the_result_is_the_same_without_taking_luck_out_again(run, monkeypatch):
    expected = StoredRun.open(run).result()
    result, games = counted(run, monkeypatch)
    assert games == 0
    assert result == expected


def spoil(content):
    content["matches"][1]["result"]["perSeed"][0]["marginsMbb"]["fitted"] += 1e-9


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("matches.json", spoil),
        ("matches.json", lambda content: content["matches"].pop()),
        ("matches.json", lambda content: content["matches"].reverse()),
        ("matches.json", lambda content: content["matches"][0]["result"]["perSeed"][0]["marginsMbb"].pop("fitted")),
        ("matches.json", lambda content: content.update(matches=[None])),
        ("matches.json", lambda content: content["matches"][2].update(round=7)),
    ],
)
def test_files_that_were_changed_are_not_believed(run, monkeypatch, name, change):
    expected = StoredRun.open(run).result()
    changed(run / name, change)
    result, games = counted(run, monkeypatch)
    assert games == 16
    assert result == expected


@pytest.mark.parametrize("text", [None, b"", b"[]", b"{}", b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("name", ["matches.json"])
def test_files_that_are_gone_or_unreadable_are_not_needed(run, name, text):
    path = run / name
    path.unlink()
    if text is not None:
        path.write_bytes(text)
    assert derived_matches(run, StoredRun.open(run).content) == {}


def test_a_journal_that_went_on_is_counted_again(run):
    stored = StoredRun.open(run)
    assert [*derived_matches(run, stored.content)] == [1, 2, 3, 4]
    with (run / "journal.jsonl").open("rb") as file:
        lines = file.readlines()
    (run / "journal.jsonl").write_bytes(b"".join(lines[:-1]))
    (run / "summary.json").unlink()
    assert derived_matches(run, StoredRun.open(run).content) == {}


def test_hashes_in_an_edited_summary_make_nobody_believe_edited_matches(run, monkeypatch):
    expected = StoredRun.open(run).result()
    changed(run / "matches.json", spoil)
    stored = [
        {name: [each["marginsMbb"][name] for each in match["result"]["perSeed"]] for name in ESTIMATORS}
        for match in json.loads((run / "matches.json").read_text())["matches"]
    ]
    journal = StoredRun.open(run).content.last_hash
    changed(run / "summary.json", lambda content: content.update(marginsSha256=margins_hash(stored, journal)))
    result, games = counted(run, monkeypatch)
    assert games == 16
    assert result == expected


def test_a_summary_is_not_needed_to_believe_matches_that_the_journal_vouches_for(run, monkeypatch):
    (run / "summary.json").unlink()
    assert counted(run, monkeypatch)[1] == 0


def test_a_file_behind_a_link_that_leads_elsewhere_is_not_read(run, tmp_path):
    content = StoredRun.open(run).content
    elsewhere = (run / "matches.json").rename(tmp_path / "matches.json")
    (run / "matches.json").symlink_to(elsewhere)
    assert derived_matches(run, content) == {}  # by one who has opened the run before
    with pytest.raises(JournalError, match="leads out of the folder"):
        StoredRun.open(run)
