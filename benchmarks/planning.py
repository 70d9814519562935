"""Measure `plan` against what runs take: with a pilot, and by the prior alone.

Six ladders that were made when the planner was fixed. The actual hands are the mean of runs on looked-up games, until
every two neighbours are ordered or tied. The pilots are the first matches of other such runs. A plan is good if it is
.7 to 1.4 times the actual hands.
"""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import fmean, median
from typing import NamedTuple

from ladders import PLANNED, PLANNED_LATER, arguments, chosen_plans
from lookup import config_of, run
from pools import Draws, Pool, played

from molt_bench.study.pilot import Pilot, pilot_of_margins
from molt_bench.study.planner import Planner

#: Matches of a pilot.
PILOT = 20
GOAL = (0.7, 1.4)


class Seen(NamedTuple):
    """What one run took, and what a pilot from other games said that it would."""

    actual: int
    planned: int


def one(pool: Pool, number: int) -> Seen:
    """Play a run, and plan it by a pilot of its own."""
    draws = Draws(pool, number)
    actual = run(draws, config_of(draws, {})).hands
    before = Draws(pool, 100_000 + number)
    config = config_of(before, {})
    need = Planner(config, pilot=pilot(before)).whole()
    assert need is not None
    return Seen(actual, need.hands)


def pilot(draws: Draws) -> Pilot:
    """Return what the first matches of a run teach."""
    budget = {"stop": {"adjacentConfidence": {"tieMarginMbb": draws.pool.plan.tie}, "budget": {"maxMatches": PILOT}}}
    outcome = run(draws, config_of(draws, {}, **budget))
    return pilot_of_margins(outcome.ladder.margins, hands=2 * draws.pool.plan.hands)


def main() -> None:
    """Print the table."""
    options = arguments(__doc__).parse_args()
    plans = chosen_plans((*PLANNED, *PLANNED_LATER), options)
    with ProcessPoolExecutor(options.processes) as executor:
        print(f"{'ladder':22}{'stacks':>7}{'actual':>11}{'by pilot':>10}{'ratio':>7}{'half from':>11}{'to':>6}", end="")
        print(f"{'by prior':>10}{'ratio':>7}   (hands)")
        for plan in plans:
            pool = played(plan, executor, options.keep)
            found = list(executor.map(partial(one, pool), range(options.runs)))
            actual = fmean(each.actual for each in found)
            planned = sorted(each.planned for each in found)
            prior = Planner(config_of(Draws(pool, 0), {})).whole()
            assert prior is not None
            quarter = len(planned) // 4
            quarters = [each / actual for each in (planned[quarter], planned[-1 - quarter])]
            middle = median(planned)
            print(f"{plan.name:22}{plan.stack:>7}{actual:>11,.0f}{middle:>10,.0f}{middle / actual:>7.2f}", end="")
            print(f"{quarters[0]:>11.2f}{quarters[1]:>6.2f}{prior.hands:>10,}{prior.hands / actual:>7.2f}", flush=True)
        print(f"The goal is {GOAL[0]} to {GOAL[1]} times the actual hands.")


if __name__ == "__main__":
    main()
