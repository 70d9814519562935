"""Measure how strong `blueprint` is, and what it saves as a measuring stick.

- What a local best response wins from it (see `local_best_response.py`).
- Head to head with every other built-in bot.
- Ten pairings with agents that publish nothing: the variance of AIVAT over that of `adjusted`, and whether all
  estimators agree: the largest difference between two of them, in its own standard errors. Of 280 differences, which
  go together in part, less than one is above 3 by chance.
- `tag` with 0, 5, 10, 20 and 40% of random actions: the hands until all neighbours are ordered at 95%, in gauntlets
  and in a round robin by `adjusted`, in resampled runs that know the truth (see `pools.py`). The references are
  `blueprint`, which plays well, and `maniac`, which makes mistakes cost more.
"""

import argparse
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from itertools import combinations, pairwise
from statistics import fmean, median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from bots import Bot
from efficiency import Ending, Row, batches, endings
from ladders import Plan, jammer, reader, tag_with_errors
from local_best_response import Game, bounds, print_bounds
from pools import Pool, played

from molt_bench.agents.kinds import BUILTIN_AGENTS
from molt_bench.records import ESTIMATORS

PARTS = ("response", "bots", "pairings", "ladder")
#: Hands of a game; a seed pair has twice as many.
HANDS = 50
#: What is measured against the reference, and what is used among agents that publish nothing.
OURS, OTHERS = "aivat", "adjusted"
#: Games of the local best response: stacks that the table has, others, and an ante.
GAMES = (*[Game(stack) for stack in (20, 50, 100, 200, 37, 250)], Game(100, ante=0.25))
#: References of the ladder's gauntlets.
REFERENCES = ("blueprint", "maniac")
#: Bots against which the other agent's dice are not used.
BLUEPRINTS = ("blueprint", "resolver")
#: Seed pairs of a match in the ladder.
PER_MATCH = 20


class Unknown(NamedTuple):
    """An agent that publishes nothing, and the game it is met in."""

    name: str
    bot: Bot
    stack: int = 100
    carry: bool = False


class LadderRow(NamedTuple):
    """A way to run the ladder: its name, the games that runs are drawn from, and what differs from the default."""

    name: str
    pool: Pool
    row: Row


UNKNOWN = (
    Unknown("keen reader", reader(0.1, 0.42, 0.72, 0.06, 60, 100)),
    Unknown("vague reader", reader(0.8, 0.4, 0.7, 0.1, 50, 100)),
    Unknown("adapter, stacks carried", reader(0.3, 0.42, 0.72, 0.08, 60, 100, like="adapter"), carry=True),
    Unknown("watcher", Bot("watcher")),
    Unknown("jammer, 20 bb", jammer(0.85, 0.03, 0.85), stack=20),
    Unknown("wild jammer", jammer(0.75, 0.08, 0.8)),
    Unknown("tag with 10% errors", Bot("tag", 0.1)),
    Unknown("tag with 40% errors, 50 bb", Bot("tag", 0.4), stack=50),
    Unknown("exploiter of callstations", reader(0.1, 0.6, 0.62, 0.0, 150, 250)),
    Unknown("odd sizes, 200 bb", reader(0.3, 0.38, 0.6, 0.15, 37, 171), stack=200),
)


def pairing(reference: str, one: Unknown, hands: int) -> Plan:
    """Return the ladder of two: the reference, whose policy alone is known, and another."""
    return Plan(
        f"{reference} - {one.name}",
        "one pairing",
        {reference: Bot(reference), one.name: one.bot},
        stack=one.stack,
        hands=HANDS,
        stacks="carry" if one.carry else "reset",
        seeds=max(10, round(hands // (2 * HANDS), -1)),
        reference=reference,
        known=False,
    )


def columns_of(pool: Pool) -> dict[str, Any]:
    """Return what the reference won in each seed pair, by estimator, in big blinds per 100 hands."""
    return {name: pool.played[:, 0, 1, at] / 10 for at, name in enumerate(ESTIMATORS)}


def error_of(values: Any) -> float:
    """Return the standard error of a mean."""
    return float(values.std(ddof=1) / len(values) ** 0.5)


def shown(values: Any) -> str:
    """Return a mean with its 95% interval."""
    return f"{values.mean():+9.1f} +-{1.96 * error_of(values):6.1f}"


def apart(columns: dict[str, Any]) -> tuple[float, str]:
    """Return the largest difference between two estimators in its own standard errors, and which they are."""
    found = [(0.0, "")]
    for one, two in combinations(columns, 2):
        difference = columns[one] - columns[two]
        error = error_of(difference)
        if error > 1e-9:
            found.append((abs(float(difference.mean())) / error, f"{one} - {two}"))
    return max(found)


def print_pairings(reference: str, field: Iterable[Unknown], options: argparse.Namespace, executor: Executor) -> None:
    """Print what the reference wins from each, and how the estimators compare."""
    hands = options.hands
    print(f"\n{reference} against others, {hands:,} hands each: bb/100 of {reference}, 95% intervals")
    print(f"{'':32}{'raw':>18}{OTHERS:>18}{OURS:>18}{'over raw':>10}{'over adj.':>10}{'apart':>7}")
    ratios, far = [], []
    for one in field:
        columns = columns_of(played(pairing(reference, one, hands), executor, options.keep))
        raw, adjusted, ours = (columns[name] for name in ("raw", OTHERS, OURS))
        worst, which = apart(columns)
        ratios.append(ours.var() / adjusted.var())
        far += [f"{one.name}: {which}, {worst:.1f}"] if worst > 3 else []
        print(
            f"{one.name:32}{shown(raw):>18}{shown(adjusted):>18}{shown(ours):>18}"
            f"{ours.var() / raw.var():>10.2f}{ratios[-1]:>10.2f}{worst:>7.1f}",
            flush=True,
        )
    print(f"variance of {OURS} over {OTHERS}: median {median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")
    print(f"more than three standard errors apart: {'; '.join(far) or 'none'}", flush=True)


def least_hands(pool: Pool, row: Row, *, runs: int) -> int:
    """Return the hands, the same for all pairings, at which 95% of resampled runs have the whole order right."""
    plan, dice = pool.plan, np.random.RandomState(1)
    ranked = [name for name in pool.order() if name != plan.reference]
    places = [pool.names.index(name) for name in ranked]
    values = pool.table[..., [*ESTIMATORS].index(row.estimator)]
    count = 4.0
    while count < 1e6:
        found = np.zeros((runs, len(pool.names), len(pool.names)))
        for run in range(runs):
            drawn = dice.randint(len(values), size=(len(plan.pairs), int(count)))
            for at, (first, second) in enumerate(plan.pairs):
                one, two = pool.names.index(first), pool.names.index(second)
                found[run, one, two] = values[drawn[at], one, two].mean()
                found[run, two, one] = -found[run, one, two]
        strength = found.sum(axis=2)[:, places]
        if (np.diff(strength, axis=1) < 0).all(axis=1).mean() >= 0.95:
            break
        count *= 1.1
    return int(count) * 2 * plan.hands * len(plan.pairs)


def ladder_rows(references: Sequence[str], options: argparse.Namespace, executor: Executor) -> list[LadderRow]:
    """Play the ladder; return the ways to run it, the round robin first."""
    seeds = options.ladder_seeds
    robin = played(tag_with_errors(seeds=seeds), executor, options.keep)
    rows = [
        LadderRow(f"round robin by {OTHERS}", robin, Row("round_robin", OTHERS, per_match=PER_MATCH)),
        LadderRow(f"information_gain by {OTHERS}", robin, Row("information_gain", OTHERS, per_match=PER_MATCH)),
    ]
    for reference in references:
        name = f"gauntlet against {reference} by"
        gauntlet = played(tag_with_errors(seeds=seeds, reference=reference), executor, options.keep)
        row = Row("gauntlet", OURS, per_match=PER_MATCH)
        rows.append(LadderRow(f"{name} {OTHERS}", gauntlet, row._replace(estimator=OTHERS)))
        rows.append(LadderRow(f"{name} {OURS}", gauntlet, row))
        if reference not in BLUEPRINTS:
            plan = tag_with_errors(seeds=seeds, reference=reference, publish=True)
            rows.append(LadderRow(f"{name} {OURS}, dice published", played(plan, executor, options.keep), row))
    return rows


def print_ladder(references: Sequence[str], options: argparse.Namespace, executor: Executor) -> None:
    """Print how many hands it takes to order `tag` with more and more errors."""
    runs, seeds = options.runs, options.ladder_seeds
    rows = ladder_rows(references, options, executor)
    print(f"\ntag with 0, 5, 10, 20, 40% random actions, {runs} runs drawn from {seeds} seed pairs a pairing")
    for pool in dict.fromkeys(row.pool for row in rows):
        leads = [f"{before} {pool.lead(before, after) / 10:+.1f}" for before, after in neighbours(pool)]
        print(f"  true leads over the next, bb/100, {pool.plan.name}: {'; '.join(leads)}")
    print(f"{'':52}{'hands':>12}{'median':>12}{'wrong':>8}{'open':>8}{'95% right after':>17}", flush=True)
    base = None
    for name, pool, row in rows:
        enough = least_hands(pool, row, runs=runs)
        found = [each for part in executor.map(partial(endings, pool, row), batches(runs)) for each in part]
        base = base or (fmean([each.hands for each in found]), enough)
        print_ladder_row(name, found, enough, base)


def neighbours(pool: Pool) -> list[tuple[str, str]]:
    """Return the neighbours in the true order, without the reference."""
    ranked = [name for name in pool.order() if name != pool.plan.reference]
    return [*pairwise(ranked)]


def print_ladder_row(name: str, found: Sequence[Ending], enough: int, base: tuple[float, int]) -> None:
    """Print a way to run; shares are of the first row."""
    hands = [each.hands for each in found]
    wrong, still_open = (fmean(column) for column in ([e.wrong for e in found], [not e.confident for e in found]))
    print(
        f"{name:52}{fmean(hands):>12,.0f}{median(hands):>12,.0f}{wrong:>8.1%}{still_open:>8.0%}{enough:>17,}"
        f"   {fmean(hands) / base[0]:.2f} and {enough / base[1]:.2f} of the first row",
        flush=True,
    )


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--parts", nargs="*", default=PARTS, choices=PARTS, help="what to measure; all by default")
    parser.add_argument("--agent", default="blueprint", help="the built-in bot in question (%(default)s)")
    parser.add_argument("--decks", type=int, default=100, help="decks of the local best response (%(default)s)")
    parser.add_argument("--hands", type=int, default=50_000, help="hands of each pairing (%(default)s)")
    parser.add_argument("--references", nargs="*", default=REFERENCES, help="of the ladder's gauntlets (%(default)s)")
    parser.add_argument("--ladder-seeds", type=int, default=400, help="seed pairs of the ladder (%(default)s)")
    parser.add_argument("--runs", type=int, default=200, help="resampled runs of the ladder (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many at once (%(default)s)")
    parser.add_argument("--keep", help="folder in which played hands are kept for another time")
    options = parser.parse_args()
    start, agent = perf_counter(), options.agent
    with ProcessPoolExecutor(options.processes) as executor:
        for game in GAMES if "response" in options.parts else ():
            print_bounds(agent, game, bounds(agent, executor, game, decks=range(options.decks)))
        if "bots" in options.parts:
            others = [Unknown(name, Bot(name)) for name in BUILTIN_AGENTS if name != agent]
            print_pairings(agent, others, options, executor)
        if "pairings" in options.parts:
            print_pairings(agent, UNKNOWN, options, executor)
        if "ladder" in options.parts:
            print_ladder(options.references, options, executor)
    print(f"\n{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
