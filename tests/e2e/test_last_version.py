"""Runs of the last bench versions are read by every command, as they were decided then, and one line says so."""

import json
import shutil
from pathlib import Path

import pytest

from molt_bench.arena.replayed_games import replay_games
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifact_check import same_but_later
from molt_bench.report.headline import headline
from molt_bench.runs import stored_run
from molt_bench.runs.header import config_hash
from molt_bench.runs.stored_run import StoredRun
from molt_bench.view.library import Library
from tests.e2e.edited_artifacts import READERS, fresh
from tests.e2e.shell import lines_of, one_clear_line, quick, quick_run, rechained

DATA = Path(__file__).parents[1] / "data"
NAMES = ("bots", "carry", "gauntlet", "policy", "program")
RUNS = {f"{name} {version}": DATA / f"runs-v{version}" / name for version in (11, 12) for name in NAMES}
RUNS["stages 12"] = DATA / "runs-v12" / "stages"
RUNS |= {f"{name} 13": DATA / "runs-v13" / name for name in ("bots", "stages")}
RUNS["bots 14"] = DATA / "runs-v14" / "bots"
CONTINUED = {"bots 15", "held 15", "bots 16", "models 16"}
RUNS |= {name: DATA / f"runs-v{name[-2:]}" / name[:-3] for name in sorted(CONTINUED)}
RUNS["models 11"] = Path(__file__).parents[1] / "runs" / "data" / "harness1"
SAID = "written by bench version 1"
#: Those that need the agents' files, or the answers of models.
SPECIAL = {"policy 11": ("verify",), "policy 12": ("verify",)}


@pytest.fixture(scope="module", autouse=True)
def _early(early_stand_ins):
    """There were stand-ins after as few hands when the run of models was made."""


@pytest.fixture(params=RUNS)
def old(request, tmp_path):
    return Path(shutil.copytree(RUNS[request.param], tmp_path / "run"))


def forged(folder, change):
    """Write a journal with a chain that fits, after a change of its lines."""
    lines = lines_of(folder, "journal.jsonl")
    change(lines)
    lines[0]["configHash"] = config_hash(lines[0]["config"])
    (folder / "journal.jsonl").write_bytes(rechained(lines))
    (folder / "summary.json").unlink()


def test_it_is_reported_with_the_numbers_that_it_had(old):
    before = {name: (old / name).read_text() for name in ("matches.json", "leaderboard.json", "margins.json")}
    done = quick("report", old, "--quiet")
    assert done.returncode == 0, done.stderr
    assert SAID in done.stderr
    if "mixer" not in before["leaderboard.json"] or '"line":"margins"' in (old / "journal.jsonl").read_text():
        differing = [name for name, text in before.items() if not same_but_later(name, text, (old / name).read_text())]
        assert differing == [], "nothing but what was added since"


@pytest.mark.parametrize(
    "old", [pytest.param(name, marks=pytest.mark.slow if name == "policy 11" else ()) for name in RUNS], indirect=True
)
def test_it_is_verified_and_what_differs_is_not_laid_to_its_charge(old):
    version = json.loads((old / "journal.jsonl").read_text().splitlines()[0])["benchVersion"]
    root = DATA / f"runs-v{version}"
    done = quick("verify", old, "--root", root)
    if version == 11 and "mixer" in (old / "journal.jsonl").read_text():  # only its code knows its policy
        assert done.returncode == 1
        assert "that is not used, since reading a run never runs its code" in done.stderr
        assert f"bench version {version} wrote the run" in done.stderr
        done = quick("verify", old, "--root", root, "--run-agents")
    assert done.returncode == 0, done.stderr
    assert SAID in done.stdout


def test_it_is_shown_with_its_order(old):
    page = Library(old).run_page("run")
    assert any(SAID in warning for warning in page["warnings"])
    if "mixer" not in (old / "journal.jsonl").read_text():
        board = json.loads((old / "leaderboard.json").read_text())["participants"]
        assert [row["id"] for row in page["leaderboard"]] == [row["id"] for row in board]
        for shown, row in zip(page["leaderboard"], board, strict=True):
            wanted = row["bbPer100HalfWidth95"]
            assert shown["halfWidth"] == (None if wanted is None else pytest.approx(wanted, abs=1e-3)), (
                "by its own rules"
            )


def test_games_of_a_bot_that_plays_differently_now_are_replayed_as_it_played_then(tmp_path):
    run = StoredRun.open(shutil.copytree(DATA / "runs-v14" / "resolver", tmp_path / "run"))
    assert replay_games(run).again == ("resolver", "maniac")


@pytest.mark.parametrize("name", [name for name in RUNS if name not in CONTINUED])
def test_a_run_before_the_last_version_is_not_continued(name, tmp_path):
    old = shutil.copytree(RUNS[name], tmp_path / "run")
    one_clear_line(quick("resume", old), "bench version 1")


@pytest.mark.parametrize("name", sorted(CONTINUED - {"models 16"}))  # whose models do not answer any more
def test_a_run_of_a_recent_version_is_continued_by_its_own_rules(name, tmp_path):
    """Cut in half and resumed, it has the games, margins and results that its own version gave it."""
    old, run = RUNS[name], Path(shutil.copytree(RUNS[name], tmp_path / "run"))
    lines = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (run / "journal.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
    (run / "summary.json").unlink()
    done = quick("resume", run, "--quiet", "--executor", "inline")
    assert done.returncode == 0, done.stderr
    for file in ("matches.json", "leaderboard.json", "margins.json"):
        assert (run / file).read_text() == (old / file).read_text(), file
    ends = [json.loads((folder / "journal.jsonl").read_text().splitlines()[-1])["stopReason"] for folder in (old, run)]
    assert ends[0] == ends[1]
    assert quick("verify", run).returncode == 0


def test_a_run_of_the_last_version_is_extended_by_its_own_rules(tmp_path):
    run = Path(shutil.copytree(DATA / "runs-v15" / "held", tmp_path / "run"))
    done = quick("resume", run, "--max-matches", "33", "--quiet", "--executor", "inline")
    assert done.returncode == 0, done.stderr
    header = json.loads((run / "journal.jsonl").read_text().splitlines()[0])
    assert header["benchVersion"] == 15
    assert len(json.loads((run / "matches.json").read_text())["matches"]) == 33
    assert quick("verify", run).returncode == 0


def test_the_headline_of_two_in_doubt_says_that_and_no_confidence_that_would_read_as_a_claim():
    said = " ".join(headline(Analysis(StoredRun.open(DATA / "runs-v15" / "held").result())))
    assert "shover is ahead of tight" in said
    assert "(chips and results without luck differ too much for a claim)" in said
    assert "sure" not in said


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("reader", READERS)
def test_every_command_that_reads_a_run_opens_it(name, reader, tmp_path):
    fresh(RUNS[name], tmp_path / "home")
    given, said = READERS[reader](tmp_path / "home")
    if reader == "export exchanges" and not name.startswith("models"):
        assert "no exchanges with a language model" in said
    elif (reader, name) == ("compare", "models 11"):
        assert "in two seed pairs or more" in said
    elif (reader, name) == ("plan", "models 11"):
        assert "a run with at least two seed pairs of a pairing" in said
    elif reader not in SPECIAL.get(name, ()):
        assert not isinstance(given[0], int) or given[0] == 0, said


@pytest.mark.parametrize("command", ["report", "verify"])
def test_a_stop_that_this_version_would_decide_differently_stands(tmp_path, command):
    old = shutil.copytree(RUNS["bots 12"], tmp_path / "run")
    reason = "with 95% confidence every adjacent pair is ordered"
    forged(old, lambda lines: lines[-1].update(stopReason=reason))
    for path in (*old.glob("*.json"), old / "log.jsonl"):
        path.unlink(missing_ok=True)
    done = quick(command, old)
    assert done.returncode == 0, done.stderr
    assert "were not decided again" in done.stdout + done.stderr


def test_games_that_this_version_plays_differently_are_not_called_tampered_with(tmp_path):
    old = shutil.copytree(RUNS["bots 12"], tmp_path / "run")
    forged(old, lambda lines: lines[0]["config"]["participants"][0].update(type="tight"))
    done = quick("verify", old)
    one_clear_line(done, "differs from hand", SAID, "may play such games differently", "molt-bench 0.2.0 can tell")


def test_games_of_others_are_noticed_in_it_all_the_same(tmp_path):
    old = shutil.copytree(RUNS["bots 12"], tmp_path / "run")
    forged(old, lambda lines: [line.update(match=line["match"] + 1) for line in lines if line.get("match", 0) > 1])
    one_clear_line(quick("report", old), "match")


def test_a_run_that_is_followed_has_the_result_that_is_decided_again(tmp_path, monkeypatch):
    flags = ("--participants", "tag,maniac,random", "--seeds", "1", "--hands", "4", "--max-matches", "3")
    run = quick_run(tmp_path, *flags, "--set", "stop.adjacentConfidence=null", "--quiet")
    assert quick("resume", run, "--max-matches", "7", "--quiet").returncode == 0
    decided = StoredRun.open(run).result()
    monkeypatch.setattr(stored_run, "by_earlier_version", lambda header: "an earlier one")
    followed = StoredRun.open(run).result()
    assert followed.warnings[0] == "an earlier one"
    assert (followed.matches, followed.convergence, followed.stop_reason, followed.history) == (
        decided.matches,
        decided.convergence,
        decided.stop_reason,
        decided.history,
    )
