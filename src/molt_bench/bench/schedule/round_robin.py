"""The matchmaker `round_robin`: equally many matches for all pairs."""

from collections.abc import Sequence

from molt_bench.bench.schedule.situation import Situation
from molt_bench.specs import Pair


def round_robin(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Give all pairs equally many matches, even those whose order is decided."""
    return sorted(pairs, key=lambda pair: situation.meetings[pair])
