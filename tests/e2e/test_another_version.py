"""A run of another bench version opens, compares and exports by what it recorded, and one line says who wrote it."""

import json
import shutil

import msgspec
import pytest

from molt_bench import BENCH_VERSION
from molt_bench.bench.endings import TopStable
from molt_bench.runs.run import Run
from molt_bench.view.library import Library
from tests.e2e.shell import lines_of, one_clear_line, quick, quick_run, read, rechained

ANOTHER = BENCH_VERSION - 1
SAID = f"written by bench version {ANOTHER}"
FLAGS = ("--participants", "tag,maniac,random", "--seeds", "2", "--hands", "4", "--max-matches", "3", "--quiet")


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    """Return a run of this version that was extended."""
    run = quick_run(tmp_path_factory.mktemp("now"), *FLAGS, "--set", "stop.adjacentConfidence=null")
    assert quick("resume", run, "--max-matches", "7", "--quiet").returncode == 0
    return run


@pytest.fixture
def then(now, tmp_path):
    """Return the same run as another version would have left it."""
    run = shutil.copytree(now, tmp_path / "then")
    header, *lines = lines_of(run, "journal.jsonl")
    changed = {**header, "benchVersion": ANOTHER, "version": "0.8.0"}
    (run / "journal.jsonl").write_bytes(rechained([changed, *lines]))
    (run / "summary.json").unlink()
    return run


def test_it_is_reported_with_the_numbers_that_it_had(now, then):
    before = {name: (then / name).read_bytes() for name in ("matches.json", "leaderboard.json")}
    done = quick("report", then, "--quiet")
    assert done.returncode == 0, done.stderr
    assert SAID in done.stderr
    assert {name: (then / name).read_bytes() for name in before} == before
    kept = ("stopReason", "totals")
    assert {name: read(then, "summary.json")[name] for name in kept} == {
        name: read(now, "summary.json")[name] for name in kept
    }


def test_its_rounds_and_its_end_are_not_decided_again(now, then):
    header, *lines, end = lines_of(then, "journal.jsonl")
    ending = TopStable(1, 7)
    (then / "journal.jsonl").write_bytes(rechained([header, *lines, {**end, "ending": msgspec.to_builtins(ending)}]))
    decided, followed = Run.open(now).result(), Run.open(then).result()
    assert followed.ending == ending
    assert "were not decided again" in followed.warnings[0]
    assert (followed.matches, followed.convergence, followed.history) == (
        decided.matches,
        decided.convergence,
        decided.history,
    )
    assert followed.bench_version == ANOTHER


def test_games_of_others_are_noticed_in_it_all_the_same(then):
    lines = lines_of(then, "journal.jsonl")
    lines = [{**each, "match": each["match"] + 1} if each.get("match", 0) > 1 else each for each in lines]
    (then / "journal.jsonl").write_bytes(rechained(lines))
    one_clear_line(quick("report", then), "match")


def test_it_is_shown_with_its_order(then):
    page = Library(then).run_page("then")
    assert any(SAID in warning for warning in page["warnings"])
    board = json.loads((then / "leaderboard.json").read_text())["participants"]
    assert [row["id"] for row in page["leaderboard"]] == [row["id"] for row in board]


def test_it_is_compared_with_a_warning(now, then):
    done = quick("compare", now, then)
    assert done.returncode == 0, done.stderr
    assert f"bench version {BENCH_VERSION}" in done.stdout + done.stderr
    assert str(ANOTHER) in done.stdout + done.stderr


@pytest.mark.parametrize("form", ["csv", "phh"])
def test_it_is_exported_like_any_other(now, then, tmp_path, form):
    files = [tmp_path / f"{name}.{form}" for name in ("now", "then")]
    for run, file in zip((now, then), files, strict=True):
        done = quick("export", run, "--format", form, "--output", file)
        assert done.returncode == 0, done.stderr
    one, other = (
        file.read_text("utf-8").replace(run.name, "RUN") for run, file in zip((now, then), files, strict=True)
    )
    assert one == other


@pytest.mark.parametrize("command", ["resume", "verify"])
def test_it_is_neither_continued_nor_verified(then, command):
    before = {path: path.read_bytes() for path in then.iterdir() if path.is_file()}
    one_clear_line(quick(command, then), "was written by molt-bench 0.8.0", f"bench version {ANOTHER}")
    assert {path: path.read_bytes() for path in then.iterdir() if path.is_file()} == before
