"""A run of another bench version opens, compares and exports by what it recorded, and one line says who wrote it."""

import shutil

import msgspec
import pytest

from molt_bench import BENCH_VERSION
from molt_bench.bench.endings import TopStable
from molt_bench.runs.run import Run
from tests.e2e.shell import everything, good, lines_of, one_clear_line, quick, read, rechained
from tests.viewing import told

ANOTHER = BENCH_VERSION - 1
SAID = f"written by bench version {ANOTHER}"


@pytest.fixture
def then(run, tmp_path):
    """Return a run that was extended, as another version would have left it; its summary is beside it."""
    good(quick("resume", run, "--max-matches", "7", "--quiet"))
    shutil.copytree(run, tmp_path / "of this version")
    header, *lines = lines_of(run, "journal.jsonl")
    changed = {**header, "benchVersion": ANOTHER, "version": "0.8.0"}
    (run / "journal.jsonl").write_bytes(rechained([changed, *lines]))
    (run / "summary.json").rename(tmp_path / "summary.json")
    return run.rename(tmp_path / "of another version")


def test_it_is_reported_with_the_numbers_that_it_had(then, tmp_path):
    before = everything(then)
    done = good(quick("report", then, "--quiet"))
    assert SAID in done.stderr
    for name in ("matches.json", "leaderboard.json"):
        assert (then / name).read_bytes() == before[name]
    old, new = (read(folder, "summary.json") for folder in (tmp_path, then))
    assert (new["stopReason"], new["totals"]) == (old["stopReason"], old["totals"])


def test_its_rounds_and_its_end_are_not_decided_again(then):
    header, *lines, end = lines_of(then, "journal.jsonl")
    ending = TopStable(1, 7)
    journal = then / "journal.jsonl"
    journal.write_bytes(rechained([{**header, "benchVersion": BENCH_VERSION}, *lines, end]))
    decided = Run.open(then).result()
    journal.write_bytes(rechained([header, *lines, {**end, "ending": msgspec.to_builtins(ending)}]))
    followed = Run.open(then).result()
    assert (followed.ending, followed.bench_version) == (ending, ANOTHER)
    assert "were not decided again" in followed.warnings[0]
    for name in ("matches", "convergence", "extensions"):
        assert getattr(followed, name) == getattr(decided, name)


def test_games_of_others_are_noticed_in_it_all_the_same(then):
    lines = lines_of(then, "journal.jsonl")
    lines = [{**each, "match": each["match"] + 1} if each.get("match", 0) > 1 else each for each in lines]
    (then / "journal.jsonl").write_bytes(rechained(lines))
    one_clear_line(quick("report", then), "match")


def test_it_is_shown_with_its_order(then):
    page = told(then, then.name)
    assert any(SAID in warning for warning in page["warnings"])
    board = read(then, "leaderboard.json")["participants"]
    assert [row["id"] for row in page["leaderboard"]] == [row["id"] for row in board]


def test_it_is_compared_with_a_warning(finished, then):
    done = good(quick("compare", finished, then))
    assert f"bench version {BENCH_VERSION}" in done.stdout + done.stderr
    assert str(ANOTHER) in done.stdout + done.stderr


@pytest.mark.parametrize("form", ["csv", "phh"])
def test_it_is_exported_like_any_other(then, tmp_path, form):
    texts = []
    for run in (tmp_path / "of this version", then):
        good(quick("export", run, "--format", form, "--output", tmp_path / "out"))
        texts.append((tmp_path / "out").read_text("utf-8").replace(run.name, "RUN"))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("command", ["resume", "verify"])
def test_it_is_neither_continued_nor_verified(then, command):
    before = everything(then)
    one_clear_line(quick(command, then), "was written by molt-bench 0.8.0", f"bench version {ANOTHER}")
    assert everything(then) == before
