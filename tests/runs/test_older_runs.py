"""Runs of versions whose prompts are not written any more: their replies are on record, and that is enough."""

import json
import shutil
from pathlib import Path

import pytest
from tests.e2e.shell import rechained

from molt_bench import BENCH_VERSION
from molt_bench.agents.permission import OWN
from molt_bench.arena import benchmark
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.replayed_games import replay_games
from molt_bench.errors import JournalError, ProviderError
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifact_check import same_but_later
from molt_bench.report.artifacts import ARTIFACTS, TIMED, indented
from molt_bench.report.convergence import convergence_in_format_1
from molt_bench.runs.run_files import RunFiles
from molt_bench.runs.stored_run import StoredRun

#: Two models and a bot, with a retry, a forced fold and both kinds of memory, by harness strict/1.
OLD = Path(__file__).parent / "data" / "harness1"


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copytree(OLD, tmp_path / "run"))


def test_an_older_run_is_replayed_from_its_replies_to_the_same_files(old):
    stored = StoredRun.open(old)
    found = Analysis(stored.result(content=replay_games(stored).content))
    for name, make in ARTIFACTS.items():
        if name not in TIMED and (old / name).exists():
            made = make(found)
            if name == "convergence.json":
                made = indented(convergence_in_format_1(found.result.convergence))
            assert same_but_later(name, (old / name).read_text(), made), name


def test_a_reply_that_is_missing_from_it_is_noticed(old):
    path = old / "exchanges.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-3] + lines[-2:]))
    with pytest.raises(ProviderError, match="no exchange is recorded for"):
        replay_games(StoredRun.open(old))


def test_it_is_not_continued_with_other_prompts(old, monkeypatch):
    journal = old / "journal.jsonl"
    header, *lines = map(json.loads, journal.read_bytes().splitlines()[:3])
    journal.write_bytes(rechained([{**header, "benchVersion": BENCH_VERSION}, *lines]))
    (old / "summary.json").unlink()
    files, _ = RunFiles.reopen(old)
    files.permission = OWN
    began = r"'one' began by harness strict/1, and would go on by strict/3: start a new run"
    with pytest.raises(JournalError, match=rf"{began}, or go on with molt-bench 0\.1\.0$"):
        run_benchmark(files=files)
    monkeypatch.setattr(benchmark, "__version__", header["version"])
    with pytest.raises(JournalError, match=f"{began}$"):
        run_benchmark(files=files)
    files.close()
