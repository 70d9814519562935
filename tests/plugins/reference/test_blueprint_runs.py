"""The bot that plays from a table takes part in runs like any other, with the same results everywhere."""

import pytest

from molt_bench import run_benchmark
from tests.e2e.shell import SEEDED, SMALL, quick, quick_run, results

FLAGS = (*SMALL, *SEEDED, "--participants", "blueprint,random", "--set", "game.stacks=carry", "--max-matches", "2")


@pytest.fixture(scope="module", autouse=True)
def table():
    """Unpack its table here, so that no fork of this process takes the time."""
    stop = {"adjacentConfidence": None, "budget": {"maxMatches": 1}}
    few = {"seeds": {"perMatch": 2}, "game": {"handsPerGame": 5, "stacks": "carry"}, "stop": stop}
    run_benchmark({"participants": ["blueprint", "random"], **few})


@pytest.mark.slow
def test_the_same_results_inline_in_workers_and_when_verified(tmp_path):
    inline = quick_run(tmp_path / "inline", *FLAGS, "--executor", "inline")
    workers = quick_run(tmp_path / "workers", *FLAGS, "--executor", "processes", "--workers", "2")
    assert results(workers) == results(inline)
    before = results(inline)
    assert quick("report", inline).returncode == 0
    assert results(inline) == before
    assert "games are identical" in quick("verify", inline).stdout


def test_nobody_who_does_not_ask_for_it_plays_against_it():
    from molt_bench import BenchmarkConfig

    assert "blueprint" not in [each.type for each in BenchmarkConfig().participants]
