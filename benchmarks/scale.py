"""Measure how much faster worker processes make a run.

- 200,000 hands of scripted bots, as a whole run with journal, luck and ratings: in this process and in workers,
  one after the other in turns; the same for Ray where it is installed.
- What a batch costs beside its games, in worker processes and on Ray.
- The memory of the process that leads the run, over a million hands.
"""

import argparse
import resource
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from molt_bench import run_benchmark
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.arena.worker_setup import WorkerSetup
from molt_bench.bench.result import RunResult
from molt_bench.play.worker_pool import WorkerPool, cores
from molt_bench.plugins.adapters.ray_cluster import Cluster
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.seeds import seed_pool
from molt_bench.specs import GameSpec, ParticipantSpec

HANDS_PER_GAME = 50
SEEDS = 50
TURNS = 3
TINY = 2_000
MEGA = 1_000_000
STEPS = 10


def config(hands: int, participants: tuple[str, ...], *, hands_per_game: int = HANDS_PER_GAME) -> dict[str, Any]:
    """Return a config of so many hands that nothing ends early."""
    matches = hands // (2 * SEEDS * hands_per_game)
    return {
        "participants": list(participants),
        "game": {"handsPerGame": hands_per_game},
        "seeds": {"perMatch": SEEDS},
        "scheduler": {"policy": "round_robin"},
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": matches}},
    }


def timed(wanted: dict[str, Any], executor: str, workers: int | None = None) -> tuple[float, RunResult]:
    """Run a benchmark with a journal, and return how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(str(Path(folder, "journal.jsonl")))
        start = perf_counter()
        result = run_benchmark(wanted, executor=executor, workers=workers, files=RunFiles(journal), keep_hands=False)
        journal.close()
        return perf_counter() - start, result


def print_speed(name: str, wanted: dict[str, Any], hands: int) -> None:
    """Print how long a run takes here and in workers."""
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
    print(f"\n{name}: {hands:,} hands, median of {TURNS} runs, with the time workers take to start")
    for label, found in times.items():
        took = median(found)
        print(f"  {label:16}{took:8.1f} s{hands / took:>12,.0f} hands/s{base / took:>8.2f} x inline", flush=True)


def print_overhead() -> None:
    """Print what a batch costs beside its games."""
    specs = [ParticipantSpec(id=name, type=name) for name in ("tight", "callstation")]
    setup = WorkerSetup.of((specs[0], specs[1]))
    games = [GameSpec(seed=seed, hands=1, players=("tight", "callstation")) for seed in seed_pool("scale", TINY)]
    pools: list[tuple[str, Callable[[], Any]]] = [("processes", lambda: WorkerPool(setup, 1))]
    pools += [("ray", lambda: Cluster(setup))] if find_spec("ray") else []
    print(f"\nOne game of one hand a batch, {TINY:,} of them: what handing over costs at most")
    for label, make in pools:
        pool = make()
        try:
            pool.play(games[:20], lambda spec, played: None)
            start = perf_counter()
            for game in games:
                pool.play([game], lambda spec, played: None)
            print(f"  {label:16}{1000 * (perf_counter() - start) / TINY:8.2f} ms", flush=True)
        finally:
            pool.close()


def resident_mib() -> float:
    """Return the memory this process has now, or the most it had where that is all the system tells."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 2**20
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)


def print_memory(hands: int) -> None:
    """Print the memory of the leading process as a long run goes on."""
    wanted = config(hands, ("tight", "callstation"))
    print(f"\nMemory of the leading process over {hands:,} hands, MiB: {resident_mib():.0f} before it", end="")
    shown = 0

    def watch(live: RunStatus) -> None:
        nonlocal shown
        if live.finished is not None and live.hands >= (shown + 1) * hands // STEPS:
            shown += 1
            print(f" {resident_mib():.0f}", end="", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(str(Path(folder, "journal.jsonl")))
        start = perf_counter()
        run_benchmark(wanted, executor="processes", files=RunFiles(journal), keep_hands=False, observer=Observer(watch))
        journal.close()
    print(f"; {perf_counter() - start:.0f} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the hands")
    tenth = 10 if parser.parse_args().quick else 1
    hands = 200_000 // tenth
    print(f"{cores()} cores")
    print_speed("quick bots", config(hands, ("tight", "callstation", "random")), hands)
    print_overhead()
    print_memory(MEGA // tenth)


if __name__ == "__main__":
    main()
