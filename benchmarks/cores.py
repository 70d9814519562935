"""Measure how much faster worker processes make a run, and Ray where it is installed.

200,000 hands of scripted bots are played as a whole run with journal, luck and ratings: in this process and elsewhere,
one after the other in turns. Times are by the clock, with the time that workers take to start.
"""

import argparse
import tempfile
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from molt_bench import run_benchmark
from molt_bench.bench.result import RunResult
from molt_bench.play.worker_pool import cores
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles

HANDS, HANDS_PER_GAME, SEEDS, TURNS = 200_000, 50, 50, 3


def timed(wanted: dict[str, Any], executor: str, workers: int | None) -> tuple[float, RunResult]:
    """Run a benchmark with a journal, and return how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(str(Path(folder, "journal.jsonl")))
        start = perf_counter()
        result = run_benchmark(wanted, executor=executor, workers=workers, files=RunFiles(journal), keep_hands=False)
        journal.close()
        return perf_counter() - start, result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hands", type=int, default=HANDS, help="(%(default)s)")
    hands = parser.parse_args().hands
    wanted = {
        "participants": ["tight", "callstation", "random"],
        "game": {"handsPerGame": HANDS_PER_GAME},
        "seeds": {"perMatch": SEEDS},
        "scheduler": {"policy": "round_robin"},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": hands // (2 * SEEDS * HANDS_PER_GAME)}},
    }
    kinds: list[tuple[str, str, int | None]] = [("inline", "inline", None)]
    kinds += [(f"processes, {count}", "processes", count) for count in sorted({1, 2, cores()})]
    kinds += [("ray, local", "ray", None)] if find_spec("ray") else []
    times: dict[str, list[float]] = {label: [] for label, _, _ in kinds}
    leaderboards = set()
    for _ in range(TURNS):
        for label, executor, workers in kinds:
            seconds, result = timed(wanted, executor, workers)
            times[label].append(seconds)
            leaderboards.add(repr(result.leaderboard))
    assert len(leaderboards) == 1, "results differ"
    base = median(times["inline"])
    print(f"{hands:,} hands on {cores()} cores, median of {TURNS} runs")
    for label, found in times.items():
        took = median(found)
        print(f"  {label:16}{took:8.1f} s{hands / took:>12,.0f} hands/s{base / took:>8.2f} x inline")


if __name__ == "__main__":
    main()
