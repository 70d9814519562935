"""Measure how often runs that are extended again and again are wrong, and by how much claimed leads are inflated.

Two agents whose margins are drawn, not played: normal; exponential, with a skewness of 2; with the tails of Student's t
with three degrees of freedom; with an all-in in one seed pair of 20 that costs six standard deviations of the others,
or in one of 33 that costs ten. A run stops when the two are ordered or tied. After every tie somebody halves the tie
margin and continues, until there is an order or the last tie margin is reached. A run is wrong if any of its stops
claimed a wrong order (any order, of equals), or a tie of two who are further apart than the tie margin at the time. The
bench versions: 12 gives every test the whole error and does not allow for skewness, 13 spends the error and allows for
skewness that has shown, and 14 for that which has not shown yet.

The second table is about the leads of orders at their stop: how far they are above the truth on average and in the
median, as they are and as `Judge.shrunk` has them.
"""

import argparse
from collections.abc import Callable
from math import sqrt
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from molt_bench.bench.error_budget import error_of
from molt_bench.config.sections import AdjacentConfidence, StopConfig
from molt_bench.rating.pair_sums import SKEW, UNSEEN_WEIGHT, unseen_skewness, widening_at_bar
from molt_bench.rating.sequential import Horizon
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Judge

#: Standard deviation of a seed pair, thousandths of a big blind a hand.
SD = 500.0
#: Seed pairs between two looks, and at the first, as by default.
STEP = 10
FIRST_TIE = 250.0
#: Runs that are drawn at once.
CHUNK = 250


class Stage(NamedTuple):
    """How one test of many runs ended: its tie margin, who took part, and what was claimed of whom when."""

    tie: float
    runs: Any
    ordered: Any
    looks: Any
    leads: Any
    scales: Any


def stop_of(tie: float) -> StopConfig:
    """Return the default stop rule with another tie margin."""
    return StopConfig(adjacent_confidence=AdjacentConfidence(tie_margin_mbb=tie), budget=None)


def _with_all_ins(dice: Any, shape: tuple[int, int], share: float, cost: float) -> Any:
    won = dice.standard_normal(shape) - cost * (dice.random(shape) < share)
    return (won + share * cost) / sqrt(1 + cost**2 * share * (1 - share))


#: Margins by kind, with mean 0 and a standard deviation of 1.
KINDS: dict[str, Callable[[Any, tuple[int, int]], Any]] = {
    "normal": lambda dice, shape: dice.standard_normal(shape),
    "exponential": lambda dice, shape: dice.standard_exponential(shape) - 1,
    "Student's t (3)": lambda dice, shape: dice.standard_t(3, shape) / sqrt(3),
    "rare all-ins": lambda dice, shape: _with_all_ins(dice, shape, 0.05, 6.0),
    "rarer all-ins": lambda dice, shape: _with_all_ins(dice, shape, 0.03, 10.0),
}


def _widening(version: int, skews: Any, counts: Any) -> Any:
    """Return by what factor verdicts widen standard errors, as `pair_sums` does it for two participants."""
    shown = np.maximum(0.0, skews - 6 * (counts - 2) / ((counts + 1) * (counts + 3)))
    if version < 13:
        return np.ones_like(skews)
    if version < 14:
        return 1 + SKEW * shown / counts
    assumed = shown * counts / (counts + UNSEEN_WEIGHT) + unseen_skewness(counts)
    return np.maximum(1 + SKEW * shown / counts, widening_at_bar(assumed / counts))


def extended(dice: Any, runs: int, truth: float, tests: int, *, version: int, kind: str) -> list[Stage]:
    """Play runs that are extended after every tie; return their tests."""
    ties = [FIRST_TIE / 2**test for test in range(tests)]
    most = _most_looks(ties, version)
    drawn = truth + SD * KINDS[kind](dice, (runs, most * STEP))
    counts = STEP * np.arange(1, most + 1)
    means, squares, cubes = ((drawn**power).cumsum(axis=1)[:, STEP - 1 :: STEP] / counts for power in (1, 2, 3))
    variances = squares - means**2
    skews = (cubes - 3 * means * squares + 2 * means**3) ** 2 / variances**3
    errors = np.sqrt(variances / (counts - 1)) * _widening(version, skews, counts)
    found, left, begun = [], np.arange(runs), np.zeros(runs, int)
    for test, tie in enumerate(ties):
        error = error_of([stop_of(each) for each in ties[: test + 1]], version=version)
        order, near = _bars(tie, error, counts)
        far = abs(means[left]) >= order * errors[left]
        close = ~far & (abs(means[left]) + near * errors[left] <= tie)
        done = (far | close) & (np.arange(most) >= begun[left, None])
        looks = np.where(done.any(axis=1), done.argmax(axis=1), most - 1)
        at = np.arange(len(left)), looks
        ordered = far[at] & done.any(axis=1)
        found.append(Stage(tie, left, ordered, looks, means[left, looks], errors[left, looks]))
        begun[left] = looks
        left = left[~ordered & done.any(axis=1)]
    return found


def _most_looks(ties: list[float], version: int) -> int:
    """Return the looks within which every test ends, some to spare."""
    error = error_of([stop_of(each) for each in ties], version=version)
    order, near = Horizon(ties[-1], STEP).bars(Estimate(0.0, 1.0, 1e9, SD), error)
    return int(1.3 * ((order + near) * SD / ties[-1]) ** 2 / STEP) + 1


def _bars(tie: float, error: float, counts: Any) -> tuple[Any, Any]:
    """Return by look how many standard errors an order takes, and a tie."""
    found = [Horizon(tie, STEP).bars(Estimate(0.0, 1.0, count - 1.0, SD), error) for count in counts.tolist()]
    return np.array([each[0] for each in found]), np.array([each[1] for each in found])


def wrong_in(stages: list[Stage], truth: float, runs: int) -> tuple[float, float, float]:
    """Return the shares of runs with a wrong order, with a wrong tie, and with either."""
    orders, ties = np.zeros(runs, bool), np.zeros(runs, bool)
    for stage in stages:
        wrong = stage.ordered & (stage.leads * truth <= 0)
        orders[stage.runs] |= wrong
        ties[stage.runs] |= ~stage.ordered & (abs(truth) > stage.tie)
    return orders.mean(), ties.mean(), (orders | ties).mean()


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--tests", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = perf_counter()
    for kind in KINDS:
        print(f"\nMargins: {kind}, {options.runs} runs of up to {options.tests} tests")
        print(f"{'true lead':>10}{'version':>10}{'extended':>10}{'wrong order':>13}{'wrong tie':>11}", end="")
        print(f"{'either':>8}{'seed pairs':>12}")
        for truth in (0.0, 40.0, 65.0, 130.0, 260.0, -65.0, -130.0, -260.0):
            for version in (13, 14) if truth else (12, 13, 14):
                dice = np.random.default_rng(options.seed)
                shares, more, spent, size = [], 0, 0.0, min(CHUNK, options.runs)
                for _ in range(options.runs // size):
                    stages = extended(dice, size, truth, options.tests, version=version, kind=kind)
                    shares.append(wrong_in(stages, truth, size))
                    more += sum(len(stage.runs) for stage in stages[1:])
                    last = np.zeros(size)
                    for stage in stages:
                        last[stage.runs] = STEP * (stage.looks + 1)
                    spent += float(last.sum())
                order, tie, either = np.mean(shares, axis=0)
                print(f"{truth:>10.0f}{version:>10}{more:>10,}{order:>13.2%}{tie:>11.2%}{either:>8.2%}", end="")
                print(f"{spent / options.runs:>12.0f}", flush=True)
    judge = Judge(Horizon(FIRST_TIE, STEP), error_of([stop_of(FIRST_TIE)], version=14), first=STEP)
    print(f"\nLeads of claimed orders above the truth, one test, {options.runs} runs")
    print(f"{'true lead':>10}{'orders':>8}{'mean: plain':>13}{'shrunk':>11}{'median: plain':>15}{'shrunk':>11}")
    for truth in (100.0, 150.0, 200.0, 250.0, 300.0, 400.0, 600.0):
        dice = np.random.default_rng(options.seed)
        (stage,) = extended(dice, options.runs, truth, 1, version=14, kind="normal")
        kept = stage.ordered & (stage.leads > 0)
        shrunk = [
            judge.shrunk(Estimate(lead, scale, STEP * (look + 1) - 1.0, scale * sqrt(STEP * (look + 1))))
            for lead, look, scale in zip(
                *(x[kept].tolist() for x in (stage.leads, stage.looks, stage.scales)), strict=True
            )
        ]
        above, corrected = stage.leads[kept] - truth, np.array(shrunk) - truth
        print(f"{truth:>10.0f}{kept.mean():>8.0%}{above.mean():>13.1f}{corrected.mean():>11.1f}", end="")
        print(f"{np.median(above):>15.1f}{np.median(corrected):>11.1f}", flush=True)
    print(f"\n{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
