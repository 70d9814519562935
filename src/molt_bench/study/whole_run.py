"""What a whole run takes, until every two neighbours are ordered or tied: one number only where it is known.

The run is simulated (`simulated_run`), each time with a truth of its own that the line-up may have (`line_up`). If it
can continue the pilot, it begins where the pilot ends. What it takes depends on its closest two neighbours, which a
small pilot cannot know; then only the range is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from statistics import median
from typing import Final

import msgspec
import numpy as np

from molt_bench.study.planner import Need, Planner
from molt_bench.study.simulated_run import simulated_run

#: Runs that are simulated: of so many, the shortest and the longest have another one between them in 29 of 31 cases. Of
#: 20, it is 19 of 21, and on the older ladders it was 56 of 62, before the steps of simulated runs were corrected.
RUNS: Final = 30
#: Of more participants, no run is simulated.
_MOST_SIMULATED: Final = 10
#: A number is known if it is this many times what a run takes, in this share of the simulated runs. The share was
#: chosen by looking at the older ladders, before that correction (`docs/why/evidence-planning.md`).
_CLOSE: Final = (0.7, 1.4)
_AGREE: Final = 0.9
#: Seed pairs of each pairing in the first pilot that is advised.
_PILOT: Final = 20


class WholeRun(msgspec.Struct, frozen=True):
    """What a whole run takes.

    Attributes:
        number: The middle one of the simulated runs; None where that is not known, as without a pilot to continue.
        least: The shortest one.
        most: The longest one.
        by_pilot: Whether a pilot knows this line-up.
        pilot_matches: Matches of the pilot, if the run can continue it; else 0.
        advised: Matches of a pilot that tells more and that the run can continue; None where the number is known.
    """

    number: Need | None
    least: Need
    most: Need
    by_pilot: bool
    pilot_matches: int
    advised: int | None


def whole_run(planner: Planner) -> WholeRun | None:
    """Return what the run takes; None if it has too many participants."""
    config, per_match = planner.config, planner.config.seeds.per_match
    if len(config.participants) > _MOST_SIMULATED:
        return None
    line_up, taken = planner.line_up(), []
    for number in range(RUNS):
        world = line_up.drawn(np.random.RandomState(number))
        expected = max(map(planner.expected, world.leads()))
        taken.append(simulated_run(config, world, expected=expected, seed=number).seed_pairs / per_match)
    least, middle, most = (
        planner.taking(None, "decided", ceil(each)) for each in (min(taken), median(taken), max(taken))
    )
    known = bool(line_up.played) and agree(taken)
    played = sum(map(len, line_up.played.values())) // per_match
    first = ceil(_PILOT / per_match) * planner.assumed.pairings
    advised = min(most.matches, 2 * played if played else max(planner.opening, first))
    return WholeRun(middle if known else None, least, most, line_up.known, played, None if known else advised)


def agree(taken: Sequence[float]) -> bool:
    """Return whether simulated runs are so much alike that their middle one says what a run takes."""
    middle, (low, high) = median(taken), _CLOSE
    return sum(low * each <= middle <= high * each for each in taken) >= _AGREE * len(taken)
