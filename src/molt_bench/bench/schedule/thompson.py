"""The matchmaker `thompson`: pairs that come out closest when every skill is drawn at random (Thompson sampling)."""

from collections.abc import Sequence
from statistics import NormalDist

from molt_bench.bench.schedule.situation import Situation
from molt_bench.seeds import derive
from molt_bench.specs import Pair


def thompson(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Draw every skill from its belief, and prefer the pairs that come out closest."""
    drawn = {}
    for name in situation.ranking:
        uniform = (derive(situation.seed, "thompson", situation.matches, name) + 0.5) / 2**256
        drawn[name] = NormalDist(situation.mu[name], situation.sigma[name]).inv_cdf(min(max(uniform, 1e-12), 1 - 1e-12))
    return sorted(pairs, key=lambda pair: abs(drawn[pair[0]] - drawn[pair[1]]))
