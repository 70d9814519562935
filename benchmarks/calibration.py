"""Measure whether 95% means 95%: `make calibration`, about ten minutes on two cores.

Runs on ladders whose truth is known, see `ladders.py`: none of them has been used to choose anything. Three questions:

- Fixed samples: how often does the 95% interval hold the truth, after a number of seed pairs that was set beforehand?
- At the stop: how often does it then, although the run has looked after every round and chosen its games by what it
  saw? `naive` is the interval for a fixed sample, `anytime` the one that may be looked at as often as one likes.
- Verdicts: how many runs end with a wrong order, and how many order copies of one bot?

Beside it stands the rule of the first plan: OpenSkill by matches of ten seeds, until all neighbours are 95% sure; and
the same by the seed pairs of those matches.
"""

from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from itertools import combinations, pairwise
from math import sqrt
from time import perf_counter
from typing import Any, NamedTuple

from ladders import EQUAL, VALIDATION, arguments, chosen_plans
from lookup import QuickModel, config_of, run
from pools import Draws, Pool, describe, margins_in, played

from molt_bench.rating.book import MarginBook
from molt_bench.rating.verdicts import SPREAD, radius

SIZES = (5, 10, 20, 50)
BATCH = 10
MORE = 5
GOAL = (0.93, 0.97)
#: The rows of the table at the stop: a name, whether pairings share their seeds, and the config.
OURS: dict[str, Any] = {"scheduler": {"policy": "information_gain"}}
PRD: dict[str, Any] = {
    "method": "openskill",
    "scheduler": {"policy": "uncertainty_overlap", "exploration": 0.5},
    "seeds": {"perMatch": 10},
}


class Row(NamedTuple):
    """A way to run."""

    name: str
    sections: dict[str, Any]
    shared: bool = False


ROWS = (
    Row("ours", OURS),
    Row("openskill", PRD, shared=True),
    Row("openskill, by seeds", {**PRD, "rating": {"updatePer": "seedPair"}}, shared=True),
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
    anytime_held: int = 0


def fixed(pool: Pool, shared: bool, size: int, seeds: Sequence[int]) -> list[tuple[int, int]]:  # noqa: FBT001
    """Return for each run how many intervals of margins, and of leads of neighbours, hold the truth."""
    found = []
    for seed in seeds:
        draws = Draws(pool, seed, shared=shared, count=size)
        model = QuickModel(draws.declared, pool.plan)
        book = MarginBook(model)
        for pair in combinations(draws.declared, 2):
            book.add(pair, margins_in(draws.block(pair, 0, size)), draws.seeds(pair, 0, size))
        margins = leads = 0
        for one, two in pool.plan.pairs:
            known = model.margin(one, two)
            margins += abs(known.mean - pool.margin(one, two)) <= known.half_width()
        for above, below in pairwise(pool.order()):
            lead = model.lead(above, below)
            leads += abs(lead.mean - pool.lead(above, below)) <= lead.half_width()
        found.append((margins, leads))
    return found


def endings(pool: Pool, row: Row, seeds: Sequence[int]) -> list[Ending]:
    """Play runs to their end."""
    return [_ending(pool, row, seed) for seed in seeds]


def _ending(pool: Pool, row: Row, seed: int) -> Ending:
    draws = Draws(pool, seed, shared=row.shared)
    config = config_of(draws, **row.sections)
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
        anytime_held=sum(miss <= radius(lead, SPREAD * pool.plan.tie, 0.05) for lead, miss in misses),
    )


def batches(runs: int) -> list[range]:
    """Return the seeds of the runs, some at a time."""
    return [range(start, min(start + BATCH, runs)) for start in range(0, runs, BATCH)]


def print_fixed(pools: Sequence[Pool], runs: int, executor: Executor) -> None:
    """Print how often intervals hold the truth at sizes that were set beforehand."""
    print(f"\nFixed samples: share of 95% intervals that hold the truth, {runs} runs, {MORE * runs} of two")
    print(f"{'':16}{'':>12}" + "".join(f"{f'{size} seed pairs':>20}" for size in SIZES))
    print(f"{'':16}{'seeds':>12}" + f"{'margins':>11}{'leads':>9}" * len(SIZES))
    for pool in pools:
        for shared in (False, True)[: len(pool.names) - 1]:
            line = f"{pool.plan.name:16}{'shared' if shared else 'own':>12}"
            for size in SIZES:
                # Two have one interval a run, which is too few to tell 0.95 from 0.93.
                times = runs if len(pool.names) > 2 else MORE * runs
                parts = executor.map(partial(fixed, pool, shared, size), batches(times))
                found = [each for part in parts for each in part]
                margins = sum(each[0] for each in found) / times / len(pool.plan.pairs)
                leads = sum(each[1] for each in found) / times / (len(pool.names) - 1)
                line += f"{_marked(margins):>11}{_marked(leads):>9}"
            print(line, flush=True)
    print(f"! marks what is not within {GOAL[0]:.2f} and {GOAL[1]:.2f}")


def _marked(share: float) -> str:
    return f"{share:.3f}{' ' if GOAL[0] <= round(share, 3) <= GOAL[1] else '!'}"


def print_stops(pools: Sequence[Pool], rows: Sequence[Row], runs: int, executor: Executor) -> None:
    """Print how runs end."""
    print(f"\nAt the stop, {runs} runs; a run that ends by its budget is open, and no error")
    print(f"{'':36}{'hands':>9}{'open':>7}{'wrong order':>13}{'+-':>5}{'wrong tie':>11}{'false order':>13}", end="")
    print(f"{'claims right':>14}{'tied':>7}{'naive: margins':>16}{'leads':>8}{'anytime: leads':>16}")
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
                print(f"{total.anytime_held / total.leads:>16.3f}", flush=True)
            else:
                print(f"{'-':>16}{'-':>8}{'-':>16}", flush=True)


def main() -> None:
    """Measure and print the tables."""
    options = arguments(__doc__).parse_args()
    start = perf_counter()
    with ProcessPoolExecutor(options.processes) as executor:
        plans = chosen_plans((*VALIDATION, *EQUAL), options)
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
