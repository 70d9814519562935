"""The matchmaker `uncertainty_overlap`: uncertain pairs that are close together."""

from collections.abc import Mapping, Sequence

from molt_bench.bench.schedule.situation import Situation
from molt_bench.specs import Pair


def uncertainty_overlap(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer uncertain pairs that are close together; both criteria are scaled from 0 to 1."""
    doubt = _spread({pair: situation.sigma[pair[0]] + situation.sigma[pair[1]] for pair in pairs})
    gap = _spread({pair: abs(situation.mu[pair[0]] - situation.mu[pair[1]]) for pair in pairs})
    weight = situation.exploration

    def score(pair: Pair) -> float:
        return weight * doubt[pair] + (1 - weight) * (1 - gap[pair])

    return sorted(pairs, key=lambda pair: (-score(pair), situation.meetings[pair]))


def _spread(values: Mapping[Pair, float]) -> dict[Pair, float]:
    """Scale values so that the smallest is 0 and the largest 1; if all are equal, to 0."""
    least, most = min(values.values(), default=0.0), max(values.values(), default=0.0)
    return {pair: (value - least) / (most - least) if most > least else 0.0 for pair, value in values.items()}
