"""A run that has ended can go on: with another limit, on the same decks."""

import shlex
import shutil

import pytest

from molt_bench.plugins.view.library import Library
from tests.e2e.shell import (
    Fork,
    games_in,
    good,
    lines_of,
    one_clear_line,
    quick,
    quick_run,
    read,
    results,
    verified,
)
from tests.viewing import told

FLAGS = ("--participants", "tight,callstation,random", "--seeds", "2", "--hands", "10", "--quiet")
OPEN = ("--set", "stop.adjacentConfidence.tieMarginMbb=1", "--confidence", "0.99999999")


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    """Return a run that four matches ended."""
    return quick_run(tmp_path_factory.mktemp("four"), *FLAGS, *OPEN, "--max-matches", 4)


@pytest.fixture(scope="module")
def eight(tmp_path_factory):
    """Return the same with eight."""
    return quick_run(tmp_path_factory.mktemp("eight"), *FLAGS, *OPEN, "--max-matches", 8)


@pytest.fixture
def run(four, tmp_path):
    """Return a copy of the run of four matches."""
    return shutil.copytree(four, tmp_path / "run")


def extended(run, matches):
    """Extend a run and return it."""
    good(quick("resume", run, "--max-matches", matches, "--quiet"))
    return run


def test_a_finished_run_goes_on_step_by_step_with_the_same_decks_to_the_result_of_the_longer_run(run, eight):
    before = games_in(run)
    library = Library(run)
    assert told(library, run.name)["stopReason"] == "the budget of 4 matches is spent"
    extended(run, 6)
    page = told(library, run.name)
    assert (page["stopReason"], page["totals"]["matches"]) == ("the budget of 6 matches is spent", 6)
    assert games_in(extended(run, 8))[: len(before)] == before
    assert results(run) == results(eight)
    assert read(run, "config.json")["stop"]["budget"]["maxMatches"] == 8
    resumptions = [line["settings"] for line in lines_of(run, "journal.jsonl") if line["line"] == "resumption"]
    assert [settings["stop"]["budget"]["maxMatches"] for settings in resumptions] == [6, 8]
    assert [(each["matches"], each["stopReason"]) for each in read(run, "summary.json")["extensions"]] == [
        (4, "the budget of 4 matches is spent"),
        (6, "the budget of 6 matches is spent"),
    ]
    verified(run)
    assert "Extended" in quick("report", run).stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "field", "value"),
    [
        (("--set", "stop.budget.maxMatches=null", "--set", "stop.budget.maxGames=24"), "budget.maxGames", 24),
        (("--set", "stop.budget.maxMatches=null", "--set", "stop.budget.maxHands=300"), "budget.maxHands", 300),
        (("--confidence", "0.6", "--max-matches", 30), "adjacentConfidence.threshold", 0.6),
        (("--set", "stop.adjacentConfidence.tieMarginMbb=9e4"), "adjacentConfidence.tieMarginMbb", 90000),
        (("--set", "stop.topkStable={k: 1, rounds: 2}", "--max-matches", 30), "topkStable.rounds", 2),
    ],
)
def test_every_limit_can_be_changed(run, flags, field, value):
    good(quick("resume", run, *flags, "--quiet"))
    section, name = field.split(".")
    assert read(run, "config.json")["stop"][section][name] == value
    verified(run)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--set", "game.stack=5000"), "a field of stop"),
        (("--set", "seeds.perMatch=5"), "a field of stop"),
        (("--set", "stop.adjacentConfidence.method=openskill"), "as the run was started"),
        (("--max-matches", "0"), "stop.budget.maxMatches = 0"),
        (("--set", "stop.adjacentConfidence.threshold=2"), "stop.adjacentConfidence.threshold = 2"),
    ],
)
def test_what_has_been_played_cannot_be_changed(run, flags, said):
    before = (run / "journal.jsonl").read_bytes()
    one_clear_line(quick("resume", run, *flags), said)
    assert (run / "journal.jsonl").read_bytes() == before


def test_a_lower_limit_ends_it_where_it_is(run):
    done = good(quick("resume", run, "--max-matches", 2, "--quiet"))
    assert "Stopped: the budget of 2 matches is spent" in done.stdout
    assert len(games_in(run)) == 4 * 4
    verified(run)


@pytest.mark.slow
def test_a_run_that_used_up_its_seed_file_stays_readable_when_it_is_extended(tmp_path):
    """More matches find no decks: it ends where it had ended, and the journal says so twice."""
    (tmp_path / "seeds.txt").write_text("one\ntwo\nthree\nfour\n")
    run = quick_run(tmp_path / "runs", *FLAGS, *OPEN, "--seeds-file", tmp_path / "seeds.txt", "--max-matches", 9)
    before = results(run)
    assert "Stopped: the seed file is exhausted" in good(quick("resume", run, "--max-matches", 12, "--quiet")).stdout
    assert results(run) == before
    for command in ("verify", "report", "resume"):
        good(quick(command, run))


def test_a_run_that_was_not_resolved_prints_the_command_that_goes_on_and_it_works(tmp_path):
    done = quick(*FLAGS, *OPEN, "--max-matches", 4, "--output-dir", tmp_path / "with blank")
    (line,) = [line for line in done.stdout.splitlines() if "molt-bench resume" in line]
    assert ", and a claim takes " in done.stdout
    words = shlex.split(line[line.index("molt-bench resume") :])
    assert "8 matches" in good(quick(*words[1:], "--quiet")).stdout


def test_a_run_killed_while_it_is_extended_goes_on(run, eight):
    for _ in range(4):
        process = Fork("resume", run, "--max-matches", 8, "--quiet", "--executor", "inline")
        process.kill()
        process.communicate()
    assert results(extended(run, 8)) == results(eight)
    verified(run)


def test_an_interrupted_run_can_be_given_another_limit_too(eight, four, tmp_path):
    run = shutil.copytree(eight, tmp_path / "run")
    for kept in (1 + 4 * 2 + 3, 1 + 4 * 3):
        lines = (eight / "journal.jsonl").read_bytes().splitlines(keepends=True)
        (run / "summary.json").unlink()
        (run / "journal.jsonl").write_bytes(b"".join(lines[:kept]))
        assert read(extended(run, 4), "leaderboard.json") == read(four, "leaderboard.json")
        verified(run)
