"""Measure what stating mixes saves: the variance of seed pairs beside that of the same agents when they state nothing.

The bots of ladders of `ladders.py` that publish their odds play as many matches of each pairing as asked for, in rounds
of one match, and state them as mixes. Hands are in proportion to the variance. Printed are all three results of the
same games: without the luck of cards, which is all that is left to take out where nothing is stated; with the plain
value of draws; and by the plug-in `lookahead`, match by match, which also learns.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from math import sqrt
from statistics import fmean, stdev, variance
from time import perf_counter
from typing import Any, Final

from ladders import AGAIN, KNOWN, LATER, LATEST, NEWEST, VALIDATION, Plan

from molt_bench.luck.estimators import game_estimates
from molt_bench.play.match import play_match
from molt_bench.plugin import ComingMatch, CoreResult
from molt_bench.plugins.lookahead import Lookahead
from molt_bench.seeds import seed_pool

BIG_BLIND: Final = 100
#: Seed pairs of a match.
SEEDS: Final = 10


def measured(plan: Plan, matches: int) -> tuple[str, list[tuple[float, float, float]], list[float], float]:
    """Play a ladder; return by match the mean variances, the differences from the chips, and milliseconds a hand."""
    made = {name: (lambda name=name: plan.bots[name].make(name)) for name in plan.bots}
    luck, number, hands, spent = Lookahead(), 0, 0, 0.0
    rows: list[list[tuple[float, float, float]]] = [[] for _ in range(matches)]
    away: list[float] = []
    for meeting in range(matches):
        for pair in plan.pairs:
            number += 1
            coming = ComingMatch(number, number, pair, built_in=False)
            seeds = seed_pool(f"stated {plan.name} {pair}", SEEDS, start=SEEDS * meeting)
            options: dict[str, Any] = {"stack": plan.stack * BIG_BLIND, "stacks": plan.stacks}
            result = play_match((made[pair[0]], made[pair[1]]), seeds=seeds, hands=plan.hands, **options)
            term, found = luck.before(coming), []
            for seed in result.seed_results:
                own = [0.0, 0.0, 0.0]
                for game in seed.games:
                    known = game_estimates(game)
                    core = CoreResult(known.raw, known.without_cards, known.adjusted)
                    start = perf_counter()
                    value = core.adjusted if term is None else term.value(game, core)
                    spent, hands = spent + perf_counter() - start, hands + game.dealt
                    for at, each in enumerate((core.without_cards, core.adjusted, value)):
                        own[at] += each
                    away.append(value - core.raw)
                found.append(own)
            cards, plain, ahead = (variance(column) for column in zip(*found, strict=True))
            rows[meeting].append((cards, plain, ahead))
            luck.rated(coming, result.games)
    means = [tuple(map(fmean, zip(*each, strict=True))) for each in rows]
    return plan.name, [(one, two, three) for one, two, three in means], away, 1000 * spent / hands


def told(name: str, means: Sequence[tuple[float, float, float]], away: Sequence[float], each_ms: float) -> None:
    """Print what was found for a ladder."""
    plain = ", ".join(f"{two / one:.2f}" for one, two, _ in means)
    ahead = ", ".join(f"{three / one:.2f}" for one, _, three in means)
    z = fmean(away) / (stdev(away) / sqrt(len(away)))
    print(f"{name:24} plain {plain}   lookahead {ahead}   z {z:+.1f}, {each_ms:.1f} ms a hand", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="ladders (all whose dice are published)")
    parser.add_argument("--matches", type=int, default=4, help="of each pairing (%(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (%(default)s)")
    options = parser.parse_args()
    plans = {plan.name: plan for plan in (*VALIDATION, *LATER, *LATEST, *NEWEST, *AGAIN, *KNOWN)}
    wanted = options.names or [name for name in plans if name.startswith("open ")]
    print("variance over that without the luck of cards alone, by match of each pairing")
    with ProcessPoolExecutor(options.workers) as pool:
        for found in pool.map(measured, [plans[name] for name in wanted], [options.matches] * len(wanted)):
            told(*found)


if __name__ == "__main__":
    main()
