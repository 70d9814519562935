"""Measure how few hands a confident ranking takes.

Hands to the stop on ladders whose truth is known (see `ladders.py`), ours beside others:

- the error shared by all neighbours;
- (a) independent hands, where the seats are not swapped on the same cards and no two pairings share any, in a round
  robin, with an interval of z standard errors that is looked at after every round: z = 3, and the least z at which at
  most 5%, and at most 0.5%, of its runs here are wrong, which nobody could know beforehand;
- (b) the first plan: OpenSkill by matches of ten seeds, uncertainty_overlap with an exploration of 0.5, until all
  neighbours are 95% sure.

A run is right where it stops by its confidence, and no order and no tie it claims is wrong. Ratios are those of mean
hands; a run that ends by its budget counts with the budget.
"""

from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from math import sqrt
from statistics import fmean
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from ladders import AGAIN, LATER, LATEST, MODELS, NEWEST, TAILS, VALIDATION, arguments, chosen_plans
from lookup import config_of, run
from pools import Draws, Pool, describe, played

from molt_bench.records import ESTIMATORS

BATCH = 5
LEAST_RUNS = 1000
#: Wrong runs that the independent hands may have, as shares, and a z that needs no knowledge.
REALISED = (0.05, 0.005)
FIXED_Z = 3.0


class Row(NamedTuple):
    """A way to run: what differs from ours."""

    policy: str = "information_gain"
    estimator: str = "adjusted"
    per_match: int = 5
    method: str = "margin"
    exploration: float = 0.25
    by: str = "match"
    error_shared: bool = False

    @property
    def name(self) -> str:
        """What it is called in a table."""
        if self.method != "margin":
            by_seeds = ", by seed pairs" if self.by == "seedPair" else ""
            return f"(b) {self.method}, {self.per_match} seeds a match{by_seeds}"
        usual = Row()
        parts = [self.policy, self.estimator]
        parts += [f"{self.per_match} a match"] if self.per_match != usual.per_match else []
        parts += ["error shared"] if self.error_shared else []
        return ", ".join(parts)


OURS = Row()
PRD = Row(policy="uncertainty_overlap", exploration=0.5, per_match=10, method="openskill")
ROWS = (
    OURS,
    OURS._replace(error_shared=True),
    OURS._replace(policy="round_robin"),
    *[OURS._replace(estimator=estimator) for estimator in ESTIMATORS],
)


class Ending(NamedTuple):
    """How a run ended."""

    hands: float
    confident: bool
    wrong: bool


def endings(pool: Pool, row: Row, seeds: Sequence[int]) -> list[Ending]:
    """Play runs to their end."""
    found = []
    for seed in seeds:
        draws = Draws(pool, seed)
        # Shared by an equal part for each, as earlier versions had it, rather than by Holm's steps.
        share = max(1, len(pool.names) - 1) if row.error_shared else 1
        config = config_of(
            draws,
            {"method": row.method, "threshold": 1 - 0.05 / share},
            scheduler={"policy": row.policy, "exploration": row.exploration, "reference": pool.plan.reference},
            rating={"estimator": row.estimator, "updatePer": row.by},
            seeds={"perMatch": row.per_match},
        )
        outcome = run(draws, config)
        if row.method == "margin":
            leads = [(each.kind, pool.lead(each.above, each.below)) for each in outcome.verdicts]
            wrong = any(
                (kind == "ordered" and lead < 0) or (kind == "tied" and abs(lead) > pool.plan.tie)
                for kind, lead in leads
            )
        else:
            wrong = outcome.confident and any(pool.lead(*both) < 0 for both in pairwise(outcome.ranking))
        found.append(Ending(outcome.hands, outcome.confident, wrong))
    return found


def independent(pool: Pool, seeds: Sequence[int], level: float) -> list[Ending]:
    """Run a round robin of independent hands, with the interval of this many standard errors after every round."""
    plan, size = pool.plan, len(pool.names)
    pairs = [(pool.names.index(one), pool.names.index(two)) for one, two in plan.pairs]
    hands = 2 * plan.hands * len(pairs)
    rounds = plan.most // hands
    strength = pool.truth.mean(axis=1)
    found = []
    for seed in seeds:
        dice = np.random.RandomState(seed)
        sums, squares = np.zeros((rounds, size, size)), np.zeros((rounds, size, size))
        for one, two in pairs:
            rows = dice.randint(len(pool.table), size=(2, rounds))
            values = (pool.table[rows[0], one, two, -2] + pool.table[rows[1], one, two, -1]) / 2
            sums[:, one, two] = values.cumsum()
            sums[:, two, one] = -sums[:, one, two]
            squares[:, one, two] = squares[:, two, one] = (values**2).cumsum()
        count = np.arange(1, rounds + 1)[:, None, None]
        means = sums / count
        errors = np.maximum(0, squares / count - means**2) / np.maximum(1, count - 1)
        found.append(_independent_ending(plan, means, errors, strength, level, hands))
    return found


def _independent_ending(plan: Any, means: Any, errors: Any, strength: Any, level: float, hands: int) -> Ending:
    """Find the first round after which every two neighbours are ordered or tied."""
    rounds, size, _ = means.shape
    found = means.mean(axis=2)
    order = np.argsort(-found, axis=1)
    above, below = order[:, :-1], order[:, 1:]
    at = np.arange(rounds)[:, None]
    lead = found[at, above] - found[at, below]
    variance = errors.sum(axis=2)
    doubt = level * np.sqrt(variance[at, above] + variance[at, below] + 2 * errors[at, above, below]) / size
    ordered, tied = lead > doubt, lead + doubt < plan.tie
    done = (ordered | tied).all(axis=1)
    done[:3] = False
    stop = int(done.argmax()) if done.any() else rounds - 1
    true = strength[above[stop]] - strength[below[stop]]
    wrong = (ordered[stop] & (true <= 0)) | (tied[stop] & ~ordered[stop] & (abs(true) > plan.tie))
    return Ending((stop + 1) * hands, confident=bool(done.any()), wrong=bool(wrong.any()))


def batches(runs: int) -> list[range]:
    """Return the seeds of the runs, some at a time."""
    return [range(start, min(start + BATCH, runs)) for start in range(0, runs, BATCH)]


def print_table(pool: Pool, rows: Sequence[Row], runs: int, executor: Executor) -> None:
    """Print a line for every way to run; ratios are to ours, more than 1 is more hands."""
    print(f"\n{pool.plan.name}, {runs} runs of at most {pool.plan.most:,} hands")
    print(f"{'':58}{'hands':>9}{'+-':>8}{'over ours':>11}{'open':>8}{'wrong':>8}{'right':>8}")
    base = None
    for row in rows:
        parts = executor.map(partial(endings, pool, row), batches(runs))
        found = [ending for part in parts for ending in part]
        base = base or found
        _print_row(row.name, found, base)
    assert base is not None
    # It is cheap, so it gets more runs: with few, a level that is far too low would pass.
    seeds = range(max(runs, LEAST_RUNS))
    _print_row(f"(a) independent hands, z = {FIXED_Z:g}", independent(pool, seeds, FIXED_Z), base)
    for allowed in REALISED:
        for level in np.arange(0.6, 6, 0.1):
            found = independent(pool, seeds, float(level))
            if fmean([each.wrong for each in found]) <= allowed:
                break
        _print_row(f"(a) wrong in {allowed:.1%} of its runs here: z = {level:.1f}", found, base)


def _print_row(name: str, found: Sequence[Ending], base: Sequence[Ending]) -> None:
    hands = [each.hands for each in found]
    mean = fmean(hands)
    doubt = 1.96 * float(np.std(hands)) / sqrt(len(hands))
    ratio = mean / fmean([each.hands for each in base])
    still_open = fmean([not each.confident for each in found])
    wrong = fmean([each.wrong for each in found])
    right = fmean([each.confident and not each.wrong for each in found])
    print(f"{name:58}{mean:>9,.0f}{doubt:>8,.0f}{ratio:>11.2f}{still_open:>8.0%}{wrong:>8.1%}{right:>8.1%}", flush=True)


def main() -> None:
    """Measure and print the tables."""
    parser = arguments(__doc__)
    parser.set_defaults(runs=20)
    options = parser.parse_args()
    start = perf_counter()
    with ProcessPoolExecutor(options.processes) as executor:
        every = (*VALIDATION, *LATER, *LATEST, *TAILS, *NEWEST, *AGAIN, *MODELS)
        for plan in chosen_plans([plan for plan in every if not plan.equal], options):
            pool = played(plan, executor, options.keep)
            describe(pool)
            print_table(pool, (*ROWS, PRD, PRD._replace(by="seedPair")), options.runs, executor)
    print(f"\n{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
