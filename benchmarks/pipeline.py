"""Measure what a run does around its games: luck, schedule, decisions of bots, exports, pages, start-up.

The same games are played bare, and as a run with records, journal, luck, ratings and all files; the two take turns, so
that a busy machine slows both alike. Times are CPU time, but for commands that say wall clock. To compare, run it once
with the compiled kernels and once in pure Python (`MOLT_BENCH_PURE=1`, with `--twins`).
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from gc import collect
from itertools import combinations
from math import exp
from statistics import fmean, median
from time import perf_counter, process_time

from command import timed
from numpy.random import default_rng
from rows import row

from molt_bench import make_agent, run_benchmark, write_artifacts
from molt_bench.bench.dealer import Dealer
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.rounds import Played, Round, rounds
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.config.loader import load_config
from molt_bench.kernels import compiled
from molt_bench.luck.estimators import game_estimates
from molt_bench.play.match import seed_pair_specs
from molt_bench.play.play_games import drive
from molt_bench.poker import equity
from molt_bench.poker.starting_hands import equity_against_best
from molt_bench.records import GameRecord
from molt_bench.runs.journal import Journal
from molt_bench.runs.run_files import RunFiles
from molt_bench.specs import GameSpec
from viewing import HANDS, long_run, print_server, program

FIVE = ("tight", "callstation", "random", "maniac", "tag")
CHEAP_RUN = {"stop": {"adjacentConfidence": None, "budget": {"maxMatches": 40}}}
FIVE_RUN = {
    "participants": [{"id": name, "type": name} for name in FIVE],
    "stop": {"adjacentConfidence": None, "budget": {"maxMatches": 20}},
    "seeds": {"perMatch": 10},
    "game": {"handsPerGame": 100},
}
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
    equity._known_equity.cache_clear()
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(f"{folder}/journal.jsonl")
        start = process_time()
        write_artifacts(run_benchmark(config, files=RunFiles(journal), executor="inline"), folder)
        spent = process_time() - start
        journal.close()
    return spent


def overheads() -> None:
    """Print how much longer runs take than their games; each turn of a run is between two of the games."""
    for name, config, goal in (("five bots", FIVE_RUN, 1.5), ("the two cheapest", CHEAP_RUN, 2)):
        run = run_benchmark(config, executor="inline")
        specs = [game.spec for match in run.matches for game in match.games]
        del run  # or the collector would look through its hands again and again
        collect()
        before, ratios = bare(specs), []
        for _ in range(TURNS):
            spent, after = whole(config), bare(specs)
            ratios.append(2 * spent / (before + after))
            before = after
        row(f"whole run over its bare games, {name}", median(ratios), goal, digits=2)


def games_of(pairing: tuple[str, str], seeds: int) -> Iterator[GameRecord]:
    """Play some games of 100 hands in both seatings, and return them."""
    for seed in range(seeds):
        for spec in seed_pair_specs(pairing, seed=f"pipeline {seed}", hands=100, options=GAME):
            first, second = (make_agent(name) for name in pairing)
            yield drive(spec, (first, second))


def luck() -> None:
    """Print what taking out luck takes, as if none of the cards had been seen before."""
    found = []
    for pairing in combinations(FIVE, 2):
        games = list(games_of(pairing, 2))
        game_estimates(games[0])  # what is loaded once is not counted
        equity._known_equity.cache_clear()
        start = process_time()
        for game in games:
            game_estimates(game)
        found.append((process_time() - start) / sum(game.dealt for game in games))
    row("luck a hand, mean over ten pairings", 1e6 * fmean(found), 15, " us")


def bots() -> None:
    """Print what the decisions of `tag` and `blueprint` take in a hand, with situations that are new to them."""
    without = 0.0
    for bot, goal in (("callstation", 0.0), ("tag", 100), ("blueprint", 4_000)):
        pairing = (bot, "callstation")
        specs = [s for seed in range(4) for s in seed_pair_specs(pairing, seed=seed, hands=100, options=GAME)]
        bare(specs[:1])
        spent = 1e6 * bare(specs) / (100 * len(specs))
        if goal:
            row(f"decisions of {bot} a hand, new situations", spent - without, goal, " us")
        else:
            without = spent


def seconds_of_rounds(participants: int, matches: int, *, met: int = 0) -> list[float]:
    """Return the CPU seconds between rounds of games of two hands: ratings, verdicts, stop rules and schedule.

    All pairs have `met` before, with margins that are drawn.
    """
    names = [{"id": f"p{at:03}", "type": ("callstation", "tight")[at % 2]} for at in range(participants)]
    config = load_config(
        {
            "participants": names,
            "stop": {"budget": {"maxMatches": matches}},
            "seeds": {"perMatch": 1, "masterSeed": "deciding"},
            "game": {"handsPerGame": 2},
            "scheduler": {"minSeedPairs": 1},
        }
    )
    ladder, dice = Ladder(config, keep_hands=False), default_rng(5)
    for pair in ladder.meetings if met else ():
        margins = tuple(dice.normal(0, 4000 * exp(dice.normal(0, 0.3)), met).tolist())
        ladder.margins.add(pair, margins)
        ladder.meetings[pair] = met
    run = rounds(config, ladder, Dealer(config, SeedBlocks(config)))
    kind_of = {each.id: each.type for each in config.participants}

    def play(wanted: Round) -> Played:
        games = {}
        for label, spec in wanted.missing.items():
            first, second = (make_agent(kind_of[name]) for name in spec.players)
            games[label] = drive(spec, (first, second))
        return Played(games, {game.spec: game_estimates(game) for game in games.values()})

    spent, wanted = [], next(run)
    while True:
        played = play(wanted)
        start = process_time()
        try:
            wanted = run.send(played)
        except StopIteration:
            return spent
        spent.append(process_time() - start)


def deciding() -> None:
    """Print what deciding a round takes after all pairs have met, and before that."""
    for participants, goal in ((5, 1), (20, 2), (100, 20), (1_000, 100)):
        after = median(seconds_of_rounds(participants, 12, met=4))
        row(f"deciding a round of {participants:,}, all have met", 1000 * after, goal, " ms", digits=2)
    for participants, goal in ((200, 20), (1_000, 100)):
        opening = fmean(seconds_of_rounds(participants, 60))
        row(f"deciding a round of {participants:,}, opening", 1000 * opening, goal, " ms", digits=2)


def long() -> None:
    """Print what exports and the server of the viewer take for a run of 100,000 hands."""
    with long_run() as folder:
        (run,) = folder.iterdir()
        for form in ("phh", "csv"):
            spent = timed(program(), "export", str(run), "--format", form).cpu_s
            row(f"export of {HANDS:,} hands, {form}", spent, 15, " s")
        print_server(folder)


def wall_s(*command: str) -> float:
    """Return the wall-clock seconds of a command, the median of five."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5):
            start = perf_counter()
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
            times.append(perf_counter() - start)
    return median(times)


def start_up() -> None:
    """Print how long the command and the package take to start."""
    row("default run from the shell, wall clock", wall_s(program()), 2, " s", digits=2)
    row("molt-bench --help, wall clock", wall_s(program(), "--help"), 0.3, " s", digits=2)
    python = wall_s(sys.executable, "-c", "pass")
    names = "Action, Observation, PokerAgent, play_game, check_agent"
    found = wall_s(sys.executable, "-c", f"from molt_bench import {names}") - python
    row("import molt_bench, wall clock", 1000 * found, 100, " ms", digits=0)


#: What is measured; the parts that have two versions, compiled and in Python, come first.
PARTS = {"overheads": overheads, "luck": luck, "bots": bots, "start": start_up, "long": long, "deciding": deciding}
TWINS = ("overheads", "luck", "bots", "start")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)} (all)")
    parser.add_argument("--twins", action="store_true", help="only what has two versions, compiled and in Python")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]}: expected one of {', '.join(PARTS)}")
    print("with compiled kernels" if compiled is not None else "in pure Python")
    for part in options.parts or (TWINS if options.twins else PARTS):
        start = perf_counter()
        PARTS[part]()
        print(f"  {part}: {perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
