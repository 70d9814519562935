"""What a run has worked out about a match is in its journal: whoever reads it takes luck out of no hand again."""

import json
import shutil

import pytest
from tests.e2e.shell import cut_back, rechained

from molt_bench import run_benchmark, write_artifacts
from molt_bench.bench import match_margins
from molt_bench.errors import JournalError
from molt_bench.report.run_rows import Rows
from molt_bench.runs.journal import Journal, read_journal
from molt_bench.runs.journal_lines import Rated
from molt_bench.runs.line_file import LineFile, being_written
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles

RUN = {
    "participants": ["maniac", "tag", "random"],
    "seeds": {"perMatch": 2, "masterSeed": "recorded"},
    "game": {"handsPerGame": 4},
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


@pytest.fixture
def estimated(monkeypatch):
    """Return a list that has an entry for every game out of which luck is taken from now on."""
    games = []
    of = match_margins.game_estimates
    monkeypatch.setattr(match_margins, "game_estimates", lambda game: games.append(game) or of(game))
    return games


def up_to_match(number, *, rated):
    """Return what keeps a journal up to the last game of a match, or to its margins."""

    def keep(data):
        lines = data.splitlines(keepends=True)
        kept = [json.loads(line) for line in lines]
        wanted = ("margins", number) if rated else ("game", number)
        last = max(at for at, line in enumerate(kept) if (line["line"], line.get("match")) == wanted)
        return b"".join(lines[: last + 1])

    return keep


@pytest.mark.slow
def test_margins_are_written_after_each_match_and_before_the_next(run):
    lines = read_journal(run / "journal.jsonl").lines
    kinds = [(type(line).__name__, line.match) for line in lines[:-1]]
    assert kinds == [each for match in range(1, 5) for each in [("Game", match)] * 4 + [("Rated", match)]]


def test_a_report_takes_luck_out_of_no_hand_and_says_what_verify_finds(run, estimated):
    stored = Run.open(run)
    result = stored.result()
    assert not estimated
    again = stored.result(recount=True)
    assert len(estimated) >= 16
    assert again == result


def test_a_run_in_progress_shows_standings_of_what_it_has_rated_and_takes_luck_out_of_no_hand(run, estimated):
    cut_back(run, up_to_match(3, rated=False))
    writer = LineFile(str(run / "journal.jsonl"), new=False)
    try:
        assert being_written(run / "journal.jsonl")
        rows = Rows(Run.open(run).result())
        assert len(rows.matches) == 2
        assert all(row.bb_per_100 is not None for row in rows.agents)
        assert not estimated
    finally:
        writer.close()


@pytest.mark.slow
def test_what_was_not_rated_when_a_run_was_killed_is_rated_when_it_goes_on(run, played, estimated):
    cut_back(run, up_to_match(3, rated=False))
    assert [match.number for match in Run.open(run).result().matches] == [1, 2]
    assert not estimated
    files, stored = RunFiles.reopen(run)
    result = run_benchmark(stored.config, files=files, executor="inline")
    files.close()
    whole = Run.open(played).result()
    assert [match.margins for match in result.matches] == [match.margins for match in whole.matches]
    rated = [line for line in read_journal(run / "journal.jsonl").lines if isinstance(line, Rated)]
    assert [line.match for line in rated] == [1, 2, 3, 4]
    assert rated == [line for line in read_journal(played / "journal.jsonl").lines if isinstance(line, Rated)]


@pytest.mark.parametrize("estimator", ["adjusted", "raw"])
@pytest.mark.slow
def test_margins_that_a_forger_has_chained_anew_do_not_pass_verify(run, estimator):
    path = run / "journal.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    changed = next(line for line in lines if line["line"] == "margins")
    changed["margins"][estimator][0] += 1.0
    path.write_bytes(rechained(lines))
    (run / "summary.json").unlink()
    stored = Run.open(run)
    with pytest.raises(JournalError, match="margins"):
        stored.result(recount=True)
    if estimator == "raw":  # the chips are counted by every reader
        with pytest.raises(JournalError, match="recorded margins of match 1"):
            stored.result()
