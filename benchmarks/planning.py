"""Measure `plan` against what runs take: with pilots, and by the prior alone.

The ladders were made when the planner was fixed, those of drawn players last of all. The actual hands are the mean of
runs on looked-up games, until every two neighbours are ordered or tied. The pilots are the first matches of other such
runs. A plan is good if it is .7 to 1.4 times the actual hands, and its range if it has them in eight of ten cases.
"""

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import fmean, median

from drawn_ladders import DRAWN
from ladders import PLANNED, PLANNED_LATER, arguments, chosen_plans
from lookup import config_of, run
from pools import Draws, Pool, played

from molt_bench.study.pilot import Pilot, pilot_of_margins
from molt_bench.study.planner import Need, Planner

#: Matches of a pilot, and how many pilots there are of each length.
PILOTS = (20, 80)
TIMES = 5
GOAL = (0.7, 1.4)


def actual_hands(pool: Pool, number: int) -> int:
    """Play a run."""
    draws = Draws(pool, number)
    return run(draws, config_of(draws, {})).hands


def planned(pool: Pool, matches: int, number: int) -> Need:
    """Plan a run by a pilot of its own; without matches, by the prior."""
    draws = Draws(pool, 100_000 + number)
    need = Planner(config_of(draws, {}), pilot=pilot(draws, matches) if matches else None).whole()
    assert need is not None
    return need


def pilot(draws: Draws, matches: int) -> Pilot:
    """Return what the first matches of a run teach."""
    rule = {"tieMarginMbb": draws.pool.plan.tie}
    budget = {"stop": {"adjacentConfidence": rule, "budget": {"maxMatches": matches}}}
    outcome = run(draws, config_of(draws, {}, **budget))
    return pilot_of_margins(outcome.ladder.margins, hands=2 * draws.pool.plan.hands)


def row(needs: list[Need], actual: float) -> str:
    """Return the ratios of plans, and what their ranges are like."""
    ratios = sorted(each.hands / actual for each in needs)
    ranges = [each.likely_hands for each in needs if each.likely_hands is not None]
    good = sum(GOAL[0] <= each <= GOAL[1] for each in ratios)
    right = sum(low <= actual <= high for low, high in ranges)
    wide = median(high / low for low, high in ranges)
    return (
        f"{median(ratios):>8.2f}{ratios[0]:>8.2f}{ratios[-1]:>7.2f}{good:>6}/{len(ratios)}"
        f"{wide:>9.1f}{right:>7}/{len(ratios)}"
    )


def main() -> None:
    """Print the table."""
    options = arguments(__doc__).parse_args()
    plans = chosen_plans((*PLANNED, *PLANNED_LATER, *DRAWN), options)
    with ProcessPoolExecutor(options.processes) as executor:
        print(f"{'ladder':22}{'stacks':>7}{'actual':>10}{'pilot':>7}", end="")
        print(f"{'middle':>8}{'least':>8}{'most':>7}{'good':>8}{'high/low':>9}{'in range':>9}")
        for plan in plans:
            pool = played(plan, executor, options.keep)
            actual = fmean(executor.map(partial(actual_hands, pool), range(options.runs)))
            for matches in (*PILOTS, 0):
                needs = list(executor.map(partial(planned, pool, matches), range(TIMES if matches else 1)))
                about = f"{plan.name:22}{plan.stack:>7}{actual:>10,.0f}" if matches == PILOTS[0] else " " * 39
                print(f"{about}{matches or 'none':>7}{row(needs, actual)}", flush=True)
        print(f"Good: {GOAL[0]} to {GOAL[1]} times the actual hands. High/low: of the range of eight runs in ten.")


if __name__ == "__main__":
    main()
