"""The matchmaker `adjacent_pairs`: neighbours in the ranking."""

from collections.abc import Sequence

from molt_bench.bench.schedule.situation import Situation
from molt_bench.specs import Pair


def adjacent_pairs(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer neighbours in the ranking, the least certain first."""
    rank = {name: at for at, name in enumerate(situation.ranking)}
    return sorted(pairs, key=lambda pair: (abs(rank[pair[0]] - rank[pair[1]]), situation.confidence[pair]))
