"""Margins that a run wrote are used again only where they are those of its journal."""

import json
import shutil

import pytest

from molt_bench import run_benchmark, write_artifacts
from molt_bench.bench import match_margins
from molt_bench.report.analysis import Analysis
from molt_bench.report.exports.latex import latex
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.runs.stored_margins import stored_margins
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
    write_artifacts(run_benchmark(RUN, files=RunFiles(journal), executor="inline"), folder)
    journal.close()
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
    assert [*latex(Analysis(result))] == [*latex(Analysis(expected))]


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
        ("summary.json", lambda content: content.pop("marginsSha256")),
        ("summary.json", lambda content: content.update(journal=None)),
        ("summary.json", lambda content: content.update(marginsSha256=7)),
    ],
)
def test_files_that_were_changed_are_not_believed(run, monkeypatch, name, change):
    expected = StoredRun.open(run).result()
    changed(run / name, change)
    result, games = counted(run, monkeypatch)
    assert games == 16
    assert result == expected


@pytest.mark.parametrize("text", [None, b"", b"[]", b"{}", b"\xff", b"[" * 100_000])
@pytest.mark.parametrize("name", ["matches.json", "summary.json"])
def test_files_that_are_gone_or_unreadable_are_not_needed(run, name, text):
    path = run / name
    path.unlink()
    if text is not None:
        path.write_bytes(text)
    assert stored_margins(run, StoredRun.open(run).content) == {}


def test_a_journal_that_went_on_is_counted_again(run):
    stored = StoredRun.open(run)
    assert [*stored_margins(run, stored.content)] == [1, 2, 3, 4]
    with (run / "journal.jsonl").open("rb") as file:
        lines = file.readlines()
    (run / "journal.jsonl").write_bytes(b"".join(lines[:-1]))
    assert stored_margins(run, StoredRun.open(run, check=False).content) == {}
