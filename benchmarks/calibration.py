"""Measure whether what a run is 95% sure of is right 95% of the time.

Runs on ladders whose truth is known, see `ladders.py`: none of them has been used to choose anything. Three questions:

- Fixed samples: how often does the 95% interval hold the truth, after a number of seed pairs that was set beforehand?
  All pairs pooled, leads of neighbours, and the pair that is covered least, beside what that would be by chance. They
  are played in matches of ten.
- At the stop: how often does it then, although the run has looked after every round and chosen its games by what it
  saw? `naive` is the interval for a fixed sample, `looked` the one of the stop rule; `ranks` are the rank intervals.
- Verdicts: how many runs end with a wrong order or a wrong tie, and how many order copies of one bot?

Beside the default stand the same with the error shared by all neighbours (`familywise`), and the rule of the first
plan: OpenSkill by matches of ten seeds, until all neighbours are 95% sure.
"""

from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from itertools import combinations, pairwise
from math import sqrt
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from ladders import EQUAL, LATER, LATEST, TAILS, VALIDATION, arguments, chosen_plans
from lookup import config_of, quick_model, run
from pools import Draws, Pool, describe, margins_in, played

from molt_bench.bench.stop_rules import judge_of
from molt_bench.rating.ranks import rank_intervals

SIZES = (5, 10, 20, 50)
BATCH = 10
PER_MATCH = 10
MORE = 5
GOAL = (0.93, 0.97)
#: A pair that is covered less often than this is marked.
LOWEST = 0.92
PRD: dict[str, Any] = {
    "scheduler": {"policy": "uncertainty_overlap", "exploration": 0.5},
    "seeds": {"perMatch": 10},
}


class Row(NamedTuple):
    """A way to run: the settings of its confidence, and other sections."""

    name: str
    rule: dict[str, Any]
    sections: dict[str, Any]


ROWS = (
    Row("ours", {}, {}),
    Row("ours, familywise", {"familywise": True}, {}),
    Row("openskill", {"method": "openskill"}, PRD),
    Row("openskill, by seeds", {"method": "openskill"}, {**PRD, "rating": {"updatePer": "seedPair"}}),
)


class Ending(NamedTuple):
    """What a run got right: numbers that are added up."""

    hands: int
    confident: bool
    wrong: bool
    ordered: bool
    claims: int
    claims_right: int
    wrong_tie: bool = False
    tied: int = 0
    margins: int = 0
    margins_held: int = 0
    leads: int = 0
    leads_held: int = 0
    looked_held: int = 0
    ranks: int = 0
    ranks_held: int = 0


def fixed(pool: Pool, size: int, seeds: Sequence[int]) -> list[tuple[list[bool], int]]:
    """Return for each run which intervals of margins hold the truth, and how many of the leads of neighbours do."""
    found = []
    for seed in seeds:
        draws = Draws(pool, seed, count=size)
        model = quick_model(draws.declared, pool.plan)
        for pair in combinations(draws.declared, 2):
            for start in range(0, size, PER_MATCH):
                count = min(PER_MATCH, size - start)
                model.add(pair, margins_in(draws.block(pair, start, count))["adjusted"])
        margins = []
        for one, two in pool.plan.pairs:
            known = model.margin(one, two)
            margins.append(abs(known.mean - pool.margin(one, two)) <= known.half_width())
        leads = 0
        for above, below in pairwise(pool.order()):
            lead = model.lead(above, below)
            leads += abs(lead.mean - pool.lead(above, below)) <= lead.half_width()
        found.append((margins, leads))
    return found


def endings(pool: Pool, row: Row, seeds: Sequence[int]) -> list[Ending]:
    """Play runs to their end."""
    return [_ending(pool, row, seed) for seed in seeds]


def _ending(pool: Pool, row: Row, seed: int) -> Ending:
    draws = Draws(pool, seed)
    config = config_of(draws, row.rule, **row.sections)
    outcome = run(draws, config)
    if config.stop.adjacent_confidence and config.stop.adjacent_confidence.method != "margin":
        claims = [pool.lead(above, below) for above, below in pairwise(outcome.ranking)] if outcome.confident else []
        wrong = sum(lead < 0 for lead in claims)
        return Ending(
            hands=outcome.hands,
            confident=outcome.confident,
            wrong=wrong > 0,
            ordered=bool(claims),
            claims=len(claims),
            claims_right=len(claims) - wrong,
        )
    ordered = [pool.lead(each.above, each.below) for each in outcome.verdicts if each.kind == "ordered"]
    tied = [pool.lead(each.above, each.below) for each in outcome.verdicts if each.kind == "tied"]
    wrong = sum(lead < 0 for lead in ordered)
    wrong_ties = sum(abs(lead) > pool.plan.tie for lead in tied)
    model = outcome.ladder.margins
    held = [
        abs(known.mean - pool.margin(one, two)) <= known.half_width()
        for one, two in pool.plan.pairs
        for known in [model.margin(one, two)]
    ]
    misses = [(each.lead, abs(each.lead.mean - pool.lead(each.above, each.below))) for each in outcome.verdicts]
    judge = judge_of(config)
    ranks = rank_intervals(model, judge.test, error=judge.error)
    return Ending(
        hands=outcome.hands,
        confident=outcome.confident,
        wrong=wrong > 0,
        wrong_tie=wrong_ties > 0,
        ordered=bool(ordered),
        claims=len(ordered) + len(tied),
        claims_right=len(ordered) + len(tied) - wrong - wrong_ties,
        tied=len(tied),
        margins=len(held),
        margins_held=sum(held),
        leads=len(misses),
        leads_held=sum(miss <= lead.half_width() for lead, miss in misses),
        looked_held=sum(miss <= judge.radius(lead) for lead, miss in misses),
        ranks=len(ranks),
        ranks_held=sum(_possible(pool, name, *ranks[name]) for name in pool.names),
    )


def _possible(pool: Pool, name: str, best: int, worst: int) -> bool:
    """Return whether a rank interval holds a true rank; equals share all of theirs."""
    strength = pool.truth.mean(axis=1)
    own = strength[pool.names.index(name)]
    return bool(best <= 1 + (strength >= own).sum() - 1 and 1 + (strength > own).sum() <= worst)


def batches(runs: int) -> list[range]:
    """Return the seeds of the runs, some at a time."""
    return [range(start, min(start + BATCH, runs)) for start in range(0, runs, BATCH)]


def print_fixed(pools: Sequence[Pool], runs: int, executor: Executor) -> None:
    """Print how often intervals hold the truth at sizes that were set beforehand."""
    times = MORE * runs
    print(f"\nFixed samples: share of 95% intervals that hold the truth, {times} runs")
    print(f"{'':18}" + "".join(f"{f'{size} seed pairs':>27}" for size in SIZES))
    print(f"{'':18}" + f"{'margins':>10}{'leads':>8}{'lowest':>9}" * len(SIZES))
    for pool in pools:
        line = f"{pool.plan.name:18}"
        for size in SIZES:
            parts = executor.map(partial(fixed, pool, size), batches(times))
            found = [each for part in parts for each in part]
            by_pair = [sum(column) / times for column in zip(*[each[0] for each in found], strict=True)]
            leads = sum(each[1] for each in found) / times / (len(pool.names) - 1)
            lowest = f"{min(by_pair):.3f}{' ' if min(by_pair) >= LOWEST else '!'}"
            line += f"{_marked(sum(by_pair) / len(by_pair)):>10}{_marked(leads):>8}{lowest:>9}"
        print(line, flush=True)
    print(f"! marks what is not within {GOAL[0]:.2f} and {GOAL[1]:.2f}, or a pair covered less than {LOWEST:.2f}")
    for pairs in sorted({len(pool.plan.pairs) for pool in pools} - {1}):
        usual, low = least_by_chance(pairs, times)
        print(f"The least of {pairs} pairs at .95 each is {usual:.3f} by chance, and below {low:.3f} in 1 of 20")


def least_by_chance(pairs: int, runs: int) -> tuple[float, float]:
    """Return the least share of so many pairs that are covered by .95 each: its mean, and what 1 in 20 is below."""
    least = np.random.default_rng(1).binomial(runs, 0.95, (20_000, pairs)).min(axis=1) / runs
    return float(least.mean()), float(np.quantile(least, 0.05))


def _marked(share: float) -> str:
    return f"{share:.3f}{' ' if GOAL[0] <= round(share, 3) <= GOAL[1] else '!'}"


def print_stops(pools: Sequence[Pool], rows: Sequence[Row], runs: int, executor: Executor) -> None:
    """Print how runs end."""
    print(f"\nAt the stop, {runs} runs; a run that ends by its budget is open, and no error")
    print(f"{'':36}{'hands':>9}{'open':>7}{'wrong order':>13}{'+-':>5}{'wrong tie':>11}{'false order':>13}", end="")
    print(f"{'claims right':>14}{'tied':>7}{'naive: margins':>16}{'leads':>8}{'looked: leads':>15}{'ranks':>8}")
    for pool in pools:
        for row in rows:
            parts = executor.map(partial(endings, pool, row), batches(runs))
            found = [ending for part in parts for ending in part]
            total = Ending(*[sum(column) for column in zip(*found, strict=True)])
            wrong = total.wrong / runs
            doubt = 1.96 * sqrt(max(wrong, 1 / runs) * (1 - wrong) / runs)
            print(
                f"{pool.plan.name:16}{row.name:20}{total.hands / runs:>9,.0f}{1 - total.confident / runs:>7.1%}", end=""
            )
            if pool.plan.equal:
                print(f"{'-':>13}{'':>5}{'-':>11}{total.ordered / runs:>13.1%}", end="")
            else:
                print(f"{wrong:>13.1%}{doubt:>5.1%}{total.wrong_tie / runs:>11.1%}{'-':>13}", end="")
            right = f"{total.claims_right / total.claims:.1%}" if total.claims and not pool.plan.equal else "-"
            tied = f"{total.tied / total.claims:.0%}" if total.claims else "-"
            print(f"{right:>14}{tied:>7}", end="")
            if total.margins:
                print(f"{total.margins_held / total.margins:>16.3f}{total.leads_held / total.leads:>8.3f}", end="")
                print(f"{total.looked_held / total.leads:>15.3f}{total.ranks_held / total.ranks:>8.3f}", flush=True)
            else:
                print(f"{'-':>16}{'-':>8}{'-':>15}{'-':>8}", flush=True)


def main() -> None:
    """Measure and print the tables."""
    options = arguments(__doc__).parse_args()
    start = perf_counter()
    with ProcessPoolExecutor(options.processes) as executor:
        plans = chosen_plans((*VALIDATION, *LATER, *LATEST, *TAILS, *EQUAL), options)
        pools = []
        for plan in plans:
            pool = played(plan, executor, options.keep)
            describe(pool)
            pools += [pool.smaller(), pool] if plan.equal else [pool]
        print(f"\nPlayed in {perf_counter() - start:.0f} s", flush=True)
        print_fixed(pools, options.runs, executor)
        print_stops(pools, ROWS, options.runs, executor)
    print(f"\n{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
