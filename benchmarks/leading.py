"""Measure the CPU time of the process that leads a run, and that of a worker: how many workers are of use.

The games of a run are played once, as a worker plays them. Then the run is led again by stub workers, which answer at
once with what is stored, sent and received as in a real run. So no other process takes part, and the figures hold for a
machine on which nothing else runs: simulated, for as many workers as there may be.
"""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from pickle import loads
from statistics import median
from time import process_time
from typing import Any, ClassVar

from scale import config

from molt_bench import run_benchmark
from molt_bench.arena import executors
from molt_bench.arena.worker_setup import Worked, WorkerSetup
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameSpec

BOTS = ("tight", "callstation", "random")
#: Most games of a chunk, as workers get them.
CHUNK = 16
TURNS = 3
#: Workers that are spoken of.
WORKERS = (2, 4, 8, 16, 32)


class StubPool:
    """Workers that have played everything before; `played` has their answers by chunk."""

    played: ClassVar[dict[bytes, bytes]] = {}
    worker_seconds = 0.0

    def __init__(self, setup: WorkerSetup, workers: int | None = None, **options: Any) -> None:
        self._play = setup()

    def play(
        self, specs: Sequence[GameSpec], on_game: Callable[[GameSpec, Worked], None], *, until: float = 0.0
    ) -> None:
        """Answer for all games."""
        for start in range(0, len(specs), CHUNK):
            chunk = [*specs[start : start + CHUNK]]
            asked = bytes(ForkingPickler.dumps(chunk))
            if asked not in self.played:
                began = process_time()
                self.played[asked] = bytes(ForkingPickler.dumps([self._play(spec) for spec in loads(asked)]))
                StubPool.worker_seconds += process_time() - began
            for spec, played in zip(chunk, loads(self.played[asked]), strict=True):
                on_game(spec, played)

    def close(self) -> None:
        """Nobody is left."""


def leading_seconds(wanted: dict[str, Any]) -> float:
    """Return the CPU seconds of a run, with its journal."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(str(Path(folder, "journal.jsonl")))
        start = process_time()
        run_benchmark(wanted, executor="processes", workers=2, files=RunFiles(journal), keep_hands=False)
        journal.close()
        return process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hands", type=int, default=50, help="hands of a game")
    parser.add_argument("--games", type=int, default=4000)
    options = parser.parse_args()
    vars(executors)["WorkerPool"] = StubPool
    wanted = config(options.games * options.hands, BOTS, hands_per_game=options.hands)
    wanted["seeds"]["masterSeed"] = "leading"
    leading_seconds(wanted)
    worker = 1000 * StubPool.worker_seconds / options.games
    leader = 1000 * median(leading_seconds(wanted) for _ in range(TURNS)) / options.games
    print(f"{options.hands} hands: {leader:.3f} ms a game in the leading process, {worker:.2f} ms in a worker")
    print(f"one leading process keeps {worker / leader:.1f} workers busy, {1000 / leader:,.0f} games a second")
    for count in WORKERS:
        print(f"  {count:>3} workers: {1000 * min(count / worker, 1 / leader):>7,.0f} games a second")


if __name__ == "__main__":
    main()
