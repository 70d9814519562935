"""Measure the best length of a game, and what warm-up hands do.

- Without memory: hands to a confident ranking, by hands of a game. Matches have the same number of hands throughout.
- With memory: what an agent that learns within a game wins by its place in the game, and what is measured then, with
  and without warm-up hands, at what cost.
"""

from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from statistics import fmean, stdev
from time import perf_counter
from typing import NamedTuple

import numpy as np
from bots import Bot
from ladders import TUNING, Plan, arguments
from lookup import config_of, run
from pools import BIG_BLIND, Draws, Pool, played

from molt_bench.play.match import play_match
from molt_bench.seeds import seed_pool

LENGTHS = (5, 10, 20, 50, 100)
#: Hands of a match, both games of all its seeds together.
MATCH = 400
#: Hands that every pairing plays at least before anything is decided.
LEAST = 800
LADDERS = ("noise", "tuning: calls")
OPPONENTS = ("tight", "callstation")
PLACES = ((1, 5), (6, 10), (11, 20), (21, 50), (51, 100))
SETTINGS = ((10, 0), (20, 0), (50, 0), (100, 0), (50, 50), (20, 20))


class Measured(NamedTuple):
    """What a setting finds: the mean margin, and its doubt for 10,000 hands played."""

    margin: float
    doubt: float


def hands_to_stop(pool: Pool, seeds: Sequence[int]) -> list[tuple[int, bool]]:
    """Return for each run its hands, and whether it came to an end before its budget."""
    per_match = MATCH // 2 // pool.plan.hands
    found = []
    for seed in seeds:
        draws = Draws(pool, seed)
        least = max(4, LEAST // 2 // pool.plan.hands)
        config = config_of(draws, seeds={"perMatch": per_match}, scheduler={"minSeedPairs": least})
        outcome = run(draws, config)
        found.append((outcome.hands, outcome.confident))
    return found


def print_lengths(plan: Plan, runs: int, executor: Executor, keep: str | None) -> None:
    """Print hands to the stop by hands of a game, for bots without memory."""
    print(f"\n{plan.name}: {plan.about}; {runs} runs, matches of {MATCH} hands")
    print(f"{'hands of a game':>16}{'sd of a hand, bb':>18}{'hands':>9}{'+-':>8}{'open':>7}")
    for hands in LENGTHS:
        seeds = plan.seeds * plan.hands // hands // 10 * 10
        pool = played(plan._replace(hands=hands, seeds=seeds), executor, keep and f"{keep}/{hands}")
        spread = np.sqrt(pool.played[..., pool.best].var(axis=0)[~np.eye(len(pool.names), dtype=bool)].mean())
        parts = executor.map(partial(hands_to_stop, pool), [range(at, at + 5) for at in range(0, runs, 5)])
        found = [each for part in parts for each in part]
        counts = [float(each[0]) for each in found]
        doubt = 1.96 * stdev(counts) / len(counts) ** 0.5
        still_open = fmean(not each[1] for each in found)
        sd = spread * (2 * hands) ** 0.5 / 1000
        print(f"{hands:>16}{sd:>18.2f}{fmean(counts):>9,.0f}{doubt:>8,.0f}{still_open:>7.0%}", flush=True)


def nets(opponent: str, start: int) -> list[list[float]]:
    """Return for some seeds what the learner wins in each hand of a game, both seats together, in mbb."""
    learner, other = Bot("watcher"), Bot(opponent)
    seeds = seed_pool("games", 10, start=start)
    match = play_match((lambda: learner.make("one"), lambda: other.make("two")), seeds=seeds, hands=PLACES[-1][1])
    return [
        [
            1000 * (first + second) / 2 / BIG_BLIND
            for first, second in zip(*(game.hand_nets for game in pair.games), strict=True)
        ]
        for pair in match.seed_results
    ]


def print_learning(opponent: str, seeds: int, executor: Executor) -> None:
    """Print what a learner wins by its place in a game, and what each setting measures."""
    parts = executor.map(partial(nets, opponent), range(0, seeds, 10))
    table = np.array([row for part in parts for row in part])
    print(f"\na learner against {opponent}, {seeds} seed pairs, mbb a hand")
    for first, last in PLACES:
        values = table[:, first - 1 : last].mean(axis=1)
        print(f"  hands {first:>3} to {last:<4}{values.mean():>8,.0f} +- {1.96 * values.std() / seeds**0.5:,.0f}")
    print("  measured, and its doubt for the same 10,000 hands played:")
    for hands, warm_up in SETTINGS:
        values = table[:, warm_up : warm_up + hands].mean(axis=1)
        affordable = 10_000 / 2 / (hands + warm_up)
        found = Measured(values.mean(), 1.96 * values.std() / affordable**0.5)
        print(f"  {hands:>3} hands, {warm_up:>2} before them{found.margin:>10,.0f} +- {found.doubt:,.0f}")


def main() -> None:
    """Measure and print the tables."""
    parser = arguments(__doc__)
    parser.set_defaults(runs=40)
    options = parser.parse_args()
    start = perf_counter()
    with ProcessPoolExecutor(options.processes) as executor:
        for plan in TUNING:
            if plan.name in LADDERS:
                print_lengths(plan, options.runs, executor, options.keep)
        for opponent in OPPONENTS:
            print_learning(opponent, 100 if options.quick else 1000, executor)
    print(f"\n{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
