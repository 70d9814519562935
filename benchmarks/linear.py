"""Measure whether the cost of a match stays the same however long a run gets.

A run of many participants, each match one seed pair of two hands, with its journal and all its files. After every tenth
of the matches: the CPU time so far, that of the same games played bare, and the memory of the process. If the overhead
is linear, every tenth takes as long as the others.
"""

import argparse
import os
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import NamedTuple

from deciding import ladder_config
from rows import row

from molt_bench import make_agent, run_benchmark, write_artifacts
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.play.play_games import drive
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameSpec

MATCHES = 5000
TENTHS = 10
#: The last tenth may take this much longer than the mean of all.
GOAL = 1.5


class Point(NamedTuple):
    """What a run has taken up to a match: CPU seconds, those of its games alone, and MiB of memory."""

    matches: int
    run_s: float
    games_s: float
    memory_mib: float


def memory_mib() -> float:
    """Return the memory of this process, as far as it is not swapped out."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def bare(specs: list[GameSpec], kind_of: dict[str, str]) -> float:
    """Return the CPU seconds of the games alone."""
    start = process_time()
    for spec in specs:
        first, second = (make_agent(kind_of[name]) for name in spec.players)
        drive(spec, (first, second))
    return process_time() - start


def measure(participants: int, matches: int) -> tuple[list[Point], float]:
    """Return what the run took after every tenth of its matches, and the seconds that writing its files took."""
    config, step = ladder_config(participants, matches), matches // TENTHS
    marks: dict[int, tuple[float, float]] = {}

    def on_status(status: RunStatus) -> None:
        played = len(status.ladder.matches)
        if played % step == 0 and played not in marks:
            marks[played] = process_time() - start, memory_mib()

    with tempfile.TemporaryDirectory() as folder:
        journal, start = Journal(f"{folder}/journal.jsonl"), process_time()
        where = {"files": RunFiles(journal), "observer": Observer(on_status=on_status), "executor": "inline"}
        result = run_benchmark(config, keep_hands=False, **where)
        marks[matches] = process_time() - start, memory_mib()
        start = process_time()
        write_artifacts(result, folder)
        files_s = process_time() - start
        journal.close()
    kind_of = {each.id: each.type for each in result.config.participants}
    points, games_s = [Point(0, 0.0, 0.0, marks[0][1])], 0.0
    for end in range(step, matches + 1, step):
        played = result.matches[end - step : end]
        games = [game.spec for match in played for game in match.games]
        games_s += bare(games, kind_of)
        points.append(Point(end, marks[end][0], games_s, marks[end][1]))
    return points, files_s


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--participants", type=int, default=100, help="(%(default)s)")
    parser.add_argument("--matches", type=int, default=MATCHES, help="a multiple of ten (%(default)s)")
    options = parser.parse_args()
    points, files_s = measure(options.participants, options.matches)
    print(f"{'matches':>8}{'run, s':>10}{'games, s':>10}{'ms a match':>12}{'MiB':>8}")
    each = []
    for before, after in pairwise(points):
        spent = after.run_s - before.run_s - (after.games_s - before.games_s)
        each.append(1000 * spent / (after.matches - before.matches))
        print(f"{after.matches:>8,}{after.run_s:>10.1f}{after.games_s:>10.1f}{each[-1]:>12.2f}{after.memory_mib:>8.0f}")
    worst = max(each[1:]) / (sum(each) / len(each))
    print(f"writing all files: {files_s:.1f} s")
    if options.matches == MATCHES:
        row(f"slowest tenth of {MATCHES:,} matches over the mean", worst, GOAL, digits=2)
    else:
        print(f"slowest tenth after the first over the mean: {worst:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
