"""Measure a run of a million hands of five bots on all cores, and the same games bare.

The run has its journal, luck, ratings and all files. Bare, the same games are played in as many processes, with agents
made afresh and nothing kept. Printed are wall time, CPU time of all processes, and the memory of the one that leads.
"""

import argparse
import multiprocessing
import tempfile
from collections.abc import Sequence
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter
from typing import NamedTuple

from rows import row
from scale import resident_mib

from molt_bench import make_agent, run_benchmark, write_artifacts
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.play.play_games import drive
from molt_bench.play.worker_pool import cores
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameSpec

BOTS = ("tight", "callstation", "random", "maniac", "tag")
SEEDS, HANDS_PER_GAME, STEPS = 10, 100, 10
#: MiB that the leading process had when this was first measured.
MEMORY = 109


class Took(NamedTuple):
    """How long something took, by the clock and in CPU seconds of all processes."""

    wall_s: float
    cpu_s: float

    @classmethod
    def now(cls) -> "Took":
        """Return the time that was taken so far."""
        used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
        return cls(perf_counter(), sum(each.ru_utime + each.ru_stime for each in used))

    def since(self, start: "Took") -> "Took":
        """Return the time between."""
        return Took(self.wall_s - start.wall_s, self.cpu_s - start.cpu_s)


def play_run(hands: int) -> tuple[Took, list[float], list[GameSpec]]:
    """Play the run; return what it took, the memory of this process after each tenth, and its games."""
    wanted = {
        "participants": list(BOTS),
        "stop": {"adjacentConfidence": None, "budget": {"maxMatches": hands // (2 * SEEDS * HANDS_PER_GAME)}},
        "seeds": {"perMatch": SEEDS, "masterSeed": "million"},
        "game": {"handsPerGame": HANDS_PER_GAME},
    }
    memory: list[float] = []

    def watch(live: RunStatus) -> None:
        if live.finished is not None and live.hands >= (len(memory) + 1) * hands // STEPS:
            memory.append(resident_mib())
            took = Took.now().since(start)  # the CPU time of workers counts when they have ended
            print(f"  {live.hands:>9,} hands after {took.wall_s:.0f} s; {memory[-1]:.0f} MiB", flush=True)

    start = Took.now()
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(f"{folder}/journal.jsonl")
        where = {"files": RunFiles(journal), "observer": Observer(watch), "executor": "processes"}
        result = run_benchmark(wanted, keep_hands=False, **where)
        write_artifacts(result, folder)
        journal.close()
    took = Took.now().since(start)
    games = [game.spec for match in result.matches for game in match.games]
    return took, memory, games


def play_bare(specs: Sequence[GameSpec]) -> int:
    """Play games alone; return how many hands they had."""
    hands = 0
    for spec in specs:
        first, second = (make_agent(name) for name in spec.players)
        hands += drive(spec, (first, second)).dealt
    return hands


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--hands", type=int, default=1_000_000, help="(%(default)s)")
    hands = parser.parse_args().hands
    print(f"{hands:,} hands of {', '.join(BOTS)} on {cores()} cores", flush=True)
    run, memory, games = play_run(hands)
    print(f"  the run: {run.wall_s:.0f} s, wall clock; {run.cpu_s:.0f} s of CPU; {hands / run.wall_s:,.0f} hands/s")
    start = Took.now()
    batches = [games[at : at + 20] for at in range(0, len(games), 20)]
    with multiprocessing.get_context("spawn").Pool(cores()) as pool:
        played = sum(pool.imap_unordered(play_bare, batches))
        pool.close()
        pool.join()
    bare = Took.now().since(start)
    print(f"  the same games bare: {bare.wall_s:.0f} s, wall clock; {bare.cpu_s:.0f} s of CPU; {played:,} hands")
    if hands == 1_000_000:
        row("memory over 1,000,000 hands, leading process", max(memory), MEMORY, " MiB", digits=0)
        row("a million hands of five bots, run over bare, CPU", run.cpu_s / bare.cpu_s, 1.5, digits=2)
        print(f"a million hands of five bots: {run.wall_s:.0f} s by the clock, the same games bare {bare.wall_s:.0f} s")


if __name__ == "__main__":
    main()
