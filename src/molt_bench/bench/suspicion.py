"""A warning of an agent whose chips and result without luck do not agree: one test, when a run is read as a whole.

Both estimators have the same mean for agents that know what they may know. An agent that sees hidden cards wins by what
looks like luck, so the two drift apart. The warning has no other consequence: look at the run.
"""

from collections import defaultdict
from collections.abc import Iterable
from math import fsum, log, sqrt
from typing import Final

from molt_bench.records import MBB_PER_BB100, MatchResult

#: How often an honest run may name a participant.
FALSE_ALARMS: Final = 1 / 200
#: Seed pairs below which nothing is said.
_ENOUGH: Final = 20
#: Lost stacks that may be still to come: where all-ins are rare, those who have won none yet look unlucky.
_UNSEEN: Final = 2.0


def suspicions(matches: Iterable[MatchResult], *, stack_mbb: float) -> list[str]:
    """Return a warning about the participant whose two results differ by more than chance, if there is one.

    The sum of differences is compared with the root of the sum of their squares: for symmetric differences, whatever
    their tails, it is more than x times as large with a probability of at most exp(-x^2 / 2), on either side.
    `stack_mbb` is what one lost stack is worth in a seed pair.
    """
    gaps: dict[str, list[float]] = defaultdict(list)
    for match in matches:
        columns = zip(match.margins["raw"], match.margins["adjusted"], strict=True)
        found = [raw - adjusted for raw, adjusted in columns]
        for name, sign in zip(match.participants, (1, -1), strict=True):
            gaps[name] += [sign * gap for gap in found]
    odd = {name: abs(fsum(each)) / _spread(each, stack_mbb) for name, each in gaps.items() if len(each) >= _ENOUGH}
    most = max(odd.values(), default=0.0)
    if not most or most <= sqrt(2 * log(2 * len(gaps) / FALSE_ALARMS)):
        return []
    # What a cheat wins, its opponents lose: of more than two, one stands out.
    first, *others = [name for name, ratio in odd.items() if ratio > (1 - 1e-9) * most]
    mean, count = fsum(gaps[first]) / len(gaps[first]) / MBB_PER_BB100, len(gaps[first])
    named = f"{first} or {others[0]}" if others else first
    return [
        f"{first} won {mean:+.1f} bb/100 more in chips than without luck, in {count:,} seed pairs: one of "
        f"200 honest runs shows that. {named} may know what it should not, such as hidden cards"
    ]


def _spread(gaps: list[float], stack_mbb: float) -> float:
    return sqrt((_UNSEEN * stack_mbb) ** 2 + fsum([gap**2 for gap in gaps]))
