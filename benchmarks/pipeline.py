"""Measure what a run does around its games: luck, ratings, schedule, journal, exports, pages.

The same games are played bare, and as a run with records, journal, luck, ratings and all files; the two
take turns, so that a busy machine slows both alike. Times are CPU time, but for the command, which is timed from the
shell.
To compare, run it once with the compiled kernels and once in pure Python (`MOLT_BENCH_PURE=1`, with `--twins`).
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from gc import collect
from itertools import combinations
from pathlib import Path
from statistics import fmean, median
from time import perf_counter, process_time

from deciding import milliseconds, opening_milliseconds, settled_milliseconds
from exporting import seconds_of_exports
from rows import row
from viewing import long_run, print_server

from molt_bench import make_agent, run_benchmark, write_artifacts
from molt_bench.kernels import compiled
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.match import seed_pair_specs
from molt_bench.play.play_games import drive
from molt_bench.poker.starting_hands import equity_against_best
from molt_bench.poker.street_equity import forget_equities
from molt_bench.records import GameRecord
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameSpec

FIVE = ("tight", "callstation", "random", "maniac", "tag")
NO_END = {"adjacentConfidence": None}
CHEAP_RUN = {"stop": {**NO_END, "budget": {"maxMatches": 40}}}
FIVE_RUN = {
    "participants": [{"id": name, "type": name} for name in FIVE],
    "stop": {**NO_END, "budget": {"maxMatches": 20}},
    "seeds": {"perMatch": 10},
    "game": {"handsPerGame": 100},
}
ROUNDS = 5
#: A run and its bare games take turns this often.
TURNS = 11
GAME = {"stack": 10_000, "small_blind": 50, "big_blind": 100}


def bare(specs: list[GameSpec]) -> float:
    """Return the CPU seconds of the games alone, as if none of their cards had been seen before."""
    equity_against_best.cache_clear()
    start = process_time()
    for spec in specs:
        first, second = (make_agent(name) for name in spec.players)
        drive(spec, (first, second))
    return process_time() - start


def whole(config: dict[str, object]) -> float:
    """Return the CPU seconds of the same games as a run."""
    equity_against_best.cache_clear()
    forget_equities()
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(f"{folder}/journal.jsonl")
        start = process_time()
        write_artifacts(run_benchmark(config, files=RunFiles(journal), executor="inline"), folder)
        spent = process_time() - start
        journal.close()
    return spent


def overhead(name: str, config: dict[str, object], goal: float) -> None:
    """Print how much longer a run takes than its games.

    Each turn of it is between two of them, since a machine changes its pace.
    """
    run = run_benchmark(config, executor="inline")
    specs = [game.spec for match in run.matches for game in match.games]
    del run  # or the collector would look through its hands again and again
    collect()
    before, ratios = bare(specs), []
    for _ in range(TURNS):
        spent, after = whole(config), bare(specs)
        ratios.append(2 * spent / (before + after))
        before = after
    ratio = median(ratios)
    row(f"whole run over its bare games, {name}", ratio, goal, digits=2)


def games_of(pairing: tuple[str, str], seeds: int) -> Iterator[GameRecord]:
    """Play some games of 100 hands in both seatings, and return them."""
    for seed in range(seeds):
        for spec in seed_pair_specs(pairing, seed=f"pipeline {seed}", hands=100, options=GAME):
            first, second = (make_agent(name) for name in pairing)
            yield drive(spec, (first, second))


def luck_seconds(games: list[GameRecord]) -> float:
    """Return the CPU seconds of taking luck out, as if none of the cards had been seen before."""
    forget_equities()
    start = process_time()
    for game in games:
        game_estimates(game)
    return process_time() - start


def luck() -> None:
    """Print what taking out luck takes."""
    found = []
    for pairing in combinations(FIVE, 2):
        games = list(games_of(pairing, 2))
        luck_seconds(games[:1])
        found.append(luck_seconds(games) / sum(game.dealt for game in games))
    row("luck a hand, mean over ten pairings", 1e6 * fmean(found), 15, " us")


def tag() -> None:
    """Print what the decisions of `tag` take in a hand, with situations that are new, and seen before."""
    specs = [
        spec
        for seed in range(4)
        for spec in seed_pair_specs(("tag", "callstation"), seed=seed, hands=100, options=GAME)
    ]
    bare(specs[:1])
    without = bare([seed_pair_specs(("callstation", "callstation"), seed=0, hands=100, options=GAME)[0]] * len(specs))
    cold, start = bare(specs), process_time()
    for spec in specs:
        drive(spec, (make_agent("tag"), make_agent("callstation")))
    warm = process_time() - start
    hands = 100 * len(specs)
    row("decisions of tag a hand, new situations", 1e6 * (cold - without) / hands, 100, " us")
    row("decisions of tag a hand, seen before", 1e6 * (warm - without) / hands, 100, " us")


def machine() -> None:
    """Print which way is measured, and how fast this machine is just now."""
    times = []
    for _ in range(5):
        start, total = process_time(), 0
        for number in range(1_000_000):
            total += number
        times.append(process_time() - start)
    print(
        f"{'with compiled kernels' if compiled is not None else 'in pure Python'}; "
        f"a million additions in a loop take {1e3 * median(times):.0f} ms here and now (30 to 50 on a free machine)"
    )


def shell_seconds(*arguments: str) -> float:
    """Return the wall-clock seconds of the command, from start to end, the median of five."""
    command = [str(Path(sys.executable).with_name("molt-bench")), *arguments]
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5):
            start = perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
            times.append(perf_counter() - start)
    return median(times)


def overheads() -> None:
    """Print how much longer runs take than their games."""
    overhead("five bots", FIVE_RUN, 1.5)
    overhead("the two cheapest", CHEAP_RUN, 2)


def deciding() -> None:
    """Print what deciding a round takes, after everybody has met everybody, and of many participants before that."""
    for participants, goal in ((5, 1), (20, 2), (40, 5), (100, 20)):
        _, after = milliseconds(participants)
        row(f"deciding a round of {participants}, all have met", after, goal, " ms", digits=2)
    for participants, goal in ((200, 30), (1_000, 100)):
        row(f"deciding a round of {participants:,}, all have met", settled_milliseconds(participants), goal, " ms")
    for participants, goal in ((200, 20), (1_000, 100)):
        row(f"deciding a round of {participants:,}, opening", opening_milliseconds(participants), goal, " ms", digits=2)


def exports() -> None:
    """Print what exports take."""
    for form, seconds in seconds_of_exports():
        row(f"export of 100,000 hands, {form}", seconds, 15, " s")


def viewer() -> None:
    """Print what the server of the viewer takes for the pages of a long run."""
    with long_run() as folder:
        print_server(row, folder)


def start_up() -> None:
    """Print how long the command takes."""
    row("default run from the shell, wall clock", shell_seconds(), 2, " s", digits=2)
    row("molt-bench --help, wall clock", shell_seconds("--help"), 0.3, " s", digits=2)


#: What is measured; the parts that have two versions, compiled and in Python, come first.
PARTS = {
    "overheads": overheads,
    "luck": luck,
    "tag": tag,
    "exports": exports,
    "deciding": deciding,
    "viewer": viewer,
    "start": start_up,
}
TWINS = ("overheads", "luck", "tag", "exports", "start")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)} (all)")
    parser.add_argument("--twins", action="store_true", help="only what has two versions, compiled and in Python")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]}: expected one of {', '.join(PARTS)}")
    machine()
    for part in options.parts or (TWINS if options.twins else PARTS):
        start = perf_counter()
        PARTS[part]()
        print(f"  {part}: {perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
