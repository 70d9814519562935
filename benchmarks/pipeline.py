"""Measure what the benchmark adds to its games, and how quick the command is: `make pipeline`, some seconds.

The same games are played bare, and as a run with agents made afresh, records, journal, ratings and all files. Then the
default run and the help are timed from the shell, wall clock.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from molt_bench import make_agent, run_benchmark, write_artifacts
from molt_bench.play.drivers import drive
from molt_bench.runs.journal import Journal
from molt_bench.runs.stored_run import RunFiles
from molt_bench.specs import GameSpec

CONFIG = {"stop": {"adjacentConfidence": None, "budget": {"maxMatches": 40}}}
ROUNDS = 5


def bare(specs: list[GameSpec]) -> float:
    """Return the CPU seconds of the games alone."""
    start = process_time()
    for spec in specs:
        first, second = (make_agent(name, seed=name) for name in spec.players)
        drive(spec, (first, second))
    return process_time() - start


def whole() -> float:
    """Return the CPU seconds of the same games as a run."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(f"{folder}/journal.jsonl")
        start = process_time()
        write_artifacts(run_benchmark(CONFIG, files=RunFiles(journal)), folder)
        spent = process_time() - start
        journal.close()
    return spent


def shell_seconds(*arguments: str) -> float:
    """Return the wall-clock seconds of the command, from start to end, the median of five."""
    command = [str(Path(sys.executable).with_name("molt-bench")), *arguments]
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS):
            start = perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
            times.append(perf_counter() - start)
    return median(times)


def main() -> None:
    """Measure and print."""
    run = run_benchmark(CONFIG)
    specs = [game.spec for match in run.matches for pair in match.result.seed_results for game in pair.games]
    pairs = [(bare(specs), whole()) for _ in range(ROUNDS)]
    games, run_time = median([pair[0] for pair in pairs]), median([pair[1] for pair in pairs])
    ratio = median([pair[1] / pair[0] for pair in pairs])
    print(f"{len(specs)} games bare {games:.2f} s, as a run {run_time:.2f} s: ratio {ratio:.2f} (goal: at most 2)")
    print(f"default run from the shell: {shell_seconds():.2f} s (goal: under 2 s)")
    print(f"molt-bench --help:          {shell_seconds('--help'):.2f} s (goal: under 0.3 s)")


if __name__ == "__main__":
    main()
