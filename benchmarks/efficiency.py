"""Measure how many games the adaptive schedule saves: games to the stop, side by side with round robin, a few minutes.

The ladder has a known order. A stack is one big blind, so a hand is one decision: the small blind calls and is all-in,
or folds. A call is worth nothing on average and a fold costs half a big blind, so who folds more often is worse, by
25 big blinds in 100 hands times the difference of the shares: against everybody, with no cycles. The first table
shows it measured; the better of two neighbours wins about 70 to 95 matches in 100.

A run ends when every adjacent pair is ordered with 95% confidence, or the budget is spent. All policies play the same
master seeds, which also shuffle the order in which the participants are declared, since that order breaks ties.

The row `round_robin_open` takes turns too, but leaves out pairs that are settled, as the adaptive policies do: what
lies between it and `round_robin` is the gain of leaving out, what lies beyond is the gain of choosing.
"""

import argparse
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import groupby, pairwise
from math import sqrt
from statistics import fmean, median, stdev
from time import perf_counter
from typing import Any, NamedTuple

from molt_bench.agents.scripted import ScriptedAgent
from molt_bench.bench.benchmark import run_benchmark
from molt_bench.bench.scheduler import Pair, Situation, register_policy, round_robin
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import Observation
from molt_bench.records import RunResult
from molt_bench.seeds import derive

STEP = 0.1  # neighbours differ by this share of folds
SEEDS_PER_MATCH, HANDS, CONFIDENCE = 5, 20, 0.95
MAX_MATCHES = {5: 1000, 10: 4000}  # by the size of the ladder; meant to be out of reach
BASELINE, ADAPTIVE, TAKING_TURNS = "round_robin", "uncertainty_overlap", "round_robin_open"
EXPLORATIONS = (0.0, 0.25, 0.5, 0.75, 1.0)
DEFAULT_EXPLORATION = 0.25


class Limper(ScriptedAgent):
    """Calls or checks, but folds to a bet with a fixed chance: the higher, the worse."""

    kind = "limper"

    def __init__(self, *, folds: float, seed: str) -> None:
        super().__init__(seed=seed)
        self._folds = int(folds * 2**64)

    def act(self, observation: Observation) -> Action:
        """Throw for a fold."""
        if not observation.to_call:
            return CHECK
        return FOLD if self.throw(observation) < self._folds else CALL


def round_robin_open(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Take turns among the pairs that are not settled: under its own name, round robin is not told apart."""
    return round_robin(situation, pairs)


register_policy(TAKING_TURNS, round_robin_open)


class Plan(NamedTuple):
    """One run: `row` names its policy and settings, and equal rows are put together."""

    size: int
    policy: str
    exploration: float
    master_seed: int

    @property
    def row(self) -> tuple[int, str, float]:
        """What the runs of a row have in common."""
        return self[:3]


class Outcome(NamedTuple):
    """How a run ended.

    Attributes:
        games: Games to the stop.
        pairs_right: Share of the adjacent pairs of the final ranking that are in the right order.
        confident: Whether it stopped by confidence, and not by the budget.
    """

    games: int
    pairs_right: float
    confident: bool


def names(size: int) -> list[str]:
    """Return the participants of a ladder, best first."""
    return [f"p{place:02}" for place in range(size)]


def config_of(participants: Iterable[str], master_seed: int, **sections: Any) -> dict[str, Any]:
    """Return the config of a run among these participants."""
    return {
        "participants": [
            {"id": name, "type": Limper.kind, "params": {"folds": STEP * int(name[1:]), "seed": name}}
            for name in participants
        ],
        "seeds": {"perMatch": SEEDS_PER_MATCH, "masterSeed": master_seed},
        "game": {"handsPerGame": HANDS, "stack": 100},
        **sections,
    }


def play(plan: Plan) -> Outcome:
    """Play one run."""
    ladder = names(plan.size)
    declared = sorted(ladder, key=lambda name: derive(plan.master_seed, "declared", name))
    config = config_of(
        declared,
        plan.master_seed,
        scheduler={"policy": plan.policy, "exploration": plan.exploration},
        stop={
            "adjacentConfidence": {"threshold": CONFIDENCE, "method": "openskill"},
            "budget": {"maxMatches": MAX_MATCHES[plan.size]},
        },
    )
    result = run_benchmark(config, agents={Limper.kind: Limper})
    found = [rating.id for rating in result.leaderboard]
    right = fmean([above < below for above, below in pairwise(found)])
    confident = min(result.convergence[-1].confidences) >= CONFIDENCE
    return Outcome(len(result.matches) * SEEDS_PER_MATCH * 2, right, confident)


def neighbours(better: str, worse: str, matches: int) -> RunResult:
    """Play matches between two, without a stop but their number."""
    stop = {"adjacentConfidence": None, "budget": {"maxMatches": matches}}
    return run_benchmark(config_of([better, worse], 0, stop=stop), agents={Limper.kind: Limper})


def print_ladder(size: int, matches: int) -> None:
    """Show that neighbours differ, and by how much."""
    print(f"The ladder: each against the next, {matches} matches (expected: {25 * STEP:.2f} bb/100)")
    print(f"{'':12}{'bb/100':>9}{'95% +-':>9}{'won':>7}{'lost':>7}")
    for better, worse in pairwise(names(size)):
        results = [match.result for match in neighbours(better, worse, matches).matches]
        rates = [result.score_a / result.hands for result in results]  # chips a hand are big blinds in 100 hands
        won, lost = [sum(result.winner == side for result in results) / matches for side in "AB"]
        margin = 1.96 * stdev(rates) / sqrt(matches)
        print(f"{better} > {worse:6}{fmean(rates):>9.2f}{margin:>9.2f}{won:>7.0%}{lost:>7.0%}")


def plans(size: int, runs: int, rows: Iterable[tuple[str, float]]) -> list[Plan]:
    """Return the runs of a table, row by row, with the same master seeds in each."""
    return [Plan(size, policy, exploration, seed) for policy, exploration in rows for seed in range(1, runs + 1)]


def print_table(title: str, work: Sequence[Plan], pool: ProcessPoolExecutor) -> None:
    """Play all runs and print a line for each row; ratios are to the first row."""
    print(f"\n{title}")
    print(f"{'':26}{'runs':>5}{'games':>9}{'median':>9}{'ratio':>7}{'median':>8}", end="")
    print(f"{'orders right':>14}{'pairs right':>13}{'budget':>8}")
    base = (0.0, 0.0)
    both = zip(work, pool.map(play, work), strict=True)
    for (_, policy, exploration), group in groupby(both, key=lambda one: one[0].row):
        outcomes = [outcome for _, outcome in group]
        games = [outcome.games for outcome in outcomes]
        mean, middle = fmean(games), median(games)
        base = base if base[0] else (mean, middle)
        label = f"{policy} {exploration:g}" if policy == ADAPTIVE else policy
        orders = fmean([outcome.pairs_right == 1 for outcome in outcomes])
        pairs = fmean([outcome.pairs_right for outcome in outcomes])
        spent = sum(not outcome.confident for outcome in outcomes)
        print(f"{label:26}{len(games):>5}{mean:>9,.0f}{middle:>9,.0f}{mean / base[0]:>7.2f}", end="")
        print(f"{middle / base[1]:>8.2f}{orders:>14.0%}{pairs:>13.1%}{spent:>8}", flush=True)


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=20, help="master seeds of each row (%(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="how many runs at once (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="the ladder of 5 only, at most 5 runs")
    options = parser.parse_args()
    start, runs = perf_counter(), min(5, options.runs) if options.quick else options.runs
    sizes = (5,) if options.quick else (5, 10)
    print_ladder(max(sizes), 50 if options.quick else 200)
    main_rows = [(name, DEFAULT_EXPLORATION) for name in (BASELINE, ADAPTIVE, TAKING_TURNS)]
    other_rows = [(name, DEFAULT_EXPLORATION) for name in (BASELINE, "adjacent_pairs", "thompson")]
    other_rows += [(ADAPTIVE, exploration) for exploration in EXPLORATIONS]
    with ProcessPoolExecutor(options.processes) as pool:
        for size in sizes:
            title = f"Ladder of {size}: games to {CONFIDENCE:.0%} confidence, at most {MAX_MATCHES[size]:,} matches"
            print_table(title, plans(size, runs, main_rows), pool)
        few = max(2, runs // 2)
        print_table("Ladder of 5: other policies, and the default's exploration", plans(5, few, other_rows), pool)
    print(f"\n{perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
