"""Measure `plan` against what runs take: with pilots, by the prior alone, and by following its advice.

A plan is made after the first matches of a run on looked-up games, and the same run then goes on until every two
neighbours are ordered or tied. So every plan has the hands of one run beside it. A number is good if it is .7 to 1.4
times those hands, and a range holds if they are in it. Runs that are over before the pilot is have no plan.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from statistics import fmean, median
from typing import NamedTuple

from drawn_ladders import DRAWN
from ladders import KNOWN, PLANNED, PLANNED_LATER, arguments, chosen_plans
from lookup import config_of, run
from pools import Draws, Pool, played

from molt_bench.study.pilot import Pilot, pilot_of_margins
from molt_bench.study.planner import Planner
from molt_bench.study.whole_run import WholeRun, whole_run

#: Matches of a pilot.
PILOTS = (20, 80)
GOAL = (0.7, 1.4)
#: Which plan of a run is without a pilot, and which is the first with a number for somebody who follows the advice.
NO_PILOT, ADVISED = 0, -1


class Planned(NamedTuple):
    """A plan beside its run.

    Attributes:
        pilot: Matches of the pilot; or `NO_PILOT` or `ADVISED`.
        done: Share of the run that the pilot was.
        number: The number over what the run took; None if there was none.
        least: The shorter end of the range over that, and the longer one.
    """

    pilot: int
    done: float
    number: float | None
    least: float
    most: float

    @property
    def good(self) -> bool:
        """Whether the number is."""
        return self.number is not None and GOAL[0] <= self.number <= GOAL[1]

    @property
    def held(self) -> bool:
        """Whether the range has the run."""
        return self.least <= 1 <= self.most


def plans_of_run(pool: Pool, number: int) -> tuple[int, list[Planned]]:
    """Play a run; return its hands, and its plans."""
    draws = Draws(pool, number)
    hands = run(draws, config_of(draws, {})).hands
    per_match = 2 * config_of(draws, {}).seeds.per_match * pool.plan.hands

    def plan(matches: int, kind: int) -> tuple[WholeRun, Planned]:
        config = config_of(draws, {})
        found = whole_run(Planner(config, pilot=pilot(draws, matches) if matches else None))
        assert found is not None
        known = found.number.hands / hands if found.number is not None else None
        ends = found.least.hands / hands, found.most.hands / hands
        return found, Planned(kind, matches * per_match / hands, known, *ends)

    def advised(found: WholeRun) -> Iterator[Planned]:
        """Yield the first plan with a number, by pilots as plans advise; none if the run is over first."""
        while found.advised is not None and found.advised * per_match < hands:
            found, planned = plan(found.advised, ADVISED)
            if planned.number is not None:
                yield planned

    first, without = plan(0, NO_PILOT)
    short = [each for each in PILOTS if each * per_match < hands]
    return hands, [without, *[plan(each, each)[1] for each in short], *advised(first)]


def pilot(draws: Draws, matches: int) -> Pilot:
    """Return what the first matches of a run teach."""
    config = config_of(draws, {}, stop=_stop(draws.pool, matches))
    return pilot_of_margins(run(draws, config).ladder.margins, config)


def _stop(pool: Pool, matches: int) -> dict[str, object]:
    return {"adjacentConfidence": {"tieMarginMbb": pool.plan.tie}, "budget": {"maxMatches": matches}}


def line(each: Planned) -> str:
    """Return a plan, as a line."""
    kind = {NO_PILOT: "none", ADVISED: "advised"}.get(each.pilot, each.pilot)
    number = "-" if each.number is None else f"{each.number:.2f}{'' if each.good else '!'}"
    return f"{kind:>9}{each.done:>7.2f}{number:>8}{each.least:>8.2f}{each.most:>8.2f}{'' if each.held else ' missed'}"


def summary(plans: list[Planned], runs: int) -> Iterator[str]:
    """Yield what came of the plans of each kind."""
    for kind in (*PILOTS, NO_PILOT, ADVISED):
        some = [each for each in plans if each.pilot == kind]
        numbers = [each for each in some if each.number is not None]
        good, held = sum(each.good for each in numbers), sum(each.held for each in some)
        about = {NO_PILOT: "without a pilot", ADVISED: "as advised"}.get(kind, f"pilot of {kind}")
        said = f"{about:16}{len(some)} plans of {runs} runs; {len(numbers)} numbers, {good} good; {held} ranges held"
        if some:
            said += f", high/low {median(each.most / each.least for each in some):.1f}"
        if numbers:
            said += f"; numbers after {fmean(each.done for each in numbers):.0%} of the run"
        yield said


def main() -> None:
    """Print the table."""
    parser = arguments(__doc__)
    parser.add_argument("--older", action="store_true", help="the ladders that plans were made or measured on before")
    parser.set_defaults(runs=6)
    options = parser.parse_args()
    plans = chosen_plans((*PLANNED, *PLANNED_LATER, *DRAWN) if options.older else KNOWN, options)
    every: list[Planned] = []
    with ProcessPoolExecutor(options.processes) as executor:
        print(f"{'ladder':22}{'hands':>10}{'pilot':>9}{'done':>7}{'number':>8}{'least':>8}{'most':>8}")
        for plan in plans:
            pool = played(plan, executor, options.keep)
            for hands, found in executor.map(partial(plans_of_run, pool), range(options.runs)):
                for at, each in enumerate(found):
                    print(f"{plan.name if not at else '':22}{hands if not at else '':>10}{line(each)}", flush=True)
                every += found
        print("Number, least, most: over the hands of the run. Done: the share of it that the pilot was.")
        print("\n".join(summary(every, options.runs * len(plans))))


if __name__ == "__main__":
    main()
