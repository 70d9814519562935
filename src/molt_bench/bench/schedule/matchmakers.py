"""The matchmakers by name: ours, and those that users register. Each ranks the pairs that may play next."""

from collections.abc import Mapping, Sequence
from statistics import NormalDist

from molt_bench.bench.schedule.situation import Matchmaker, Situation
from molt_bench.config.methods import GATE, GAUNTLET, MATCHMAKER_NAMES
from molt_bench.errors import ConfigError
from molt_bench.seeds import derive
from molt_bench.specs import Pair
from molt_bench.suggestions import one_of


def information_gain(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Play only pairs whose next match takes variance off open leads, most for its cost first; if none does, all."""
    return [pair for pair in situation.telling() if pair in pairs] or round_robin(situation, pairs)


def round_robin(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Give all pairs equally many matches, even those whose order is decided."""
    return sorted(pairs, key=lambda pair: situation.meetings[pair])


def adjacent_pairs(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Prefer neighbours in the ranking, the least certain first."""
    sure = situation.confidence()
    rank = {name: at for at, name in enumerate(situation.ranking)}
    return sorted(pairs, key=lambda pair: (abs(rank[pair[0]] - rank[pair[1]]), sure[pair]))


def thompson(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Draw every skill from its belief, and prefer the pairs that come out closest (Thompson sampling)."""
    drawn = {}
    for name in situation.ranking:
        uniform = (derive(situation.seed, "thompson", situation.matches, name) + 0.5) / 2**256
        drawn[name] = NormalDist(situation.mu[name], situation.sigma[name]).inv_cdf(min(max(uniform, 1e-12), 1 - 1e-12))
    return sorted(pairs, key=lambda pair: abs(drawn[pair[0]] - drawn[pair[1]]))


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


_MATCHMAKERS: dict[str, Matchmaker] = {
    each.__name__: each for each in (uncertainty_overlap, information_gain, round_robin, adjacent_pairs, thompson)
}
# The only pairs of a gauntlet are those of the yardstick with everybody else.
_MATCHMAKERS[GAUNTLET] = information_gain
# A gate knows by itself which of its pairs play.
_MATCHMAKERS[GATE] = round_robin


def register_matchmaker(name: str, matchmaker: Matchmaker) -> None:
    """Register a matchmaker of your own under a name, which configs then accept as `scheduler.policy`."""
    _MATCHMAKERS[name] = matchmaker
    if name not in MATCHMAKER_NAMES:
        MATCHMAKER_NAMES.append(name)


def matchmaker_named(name: str) -> Matchmaker:
    """Return a matchmaker by its name; raises ConfigError if there is none."""
    if name not in _MATCHMAKERS:
        raise ConfigError("scheduler.policy", name, one_of(MATCHMAKER_NAMES, name))
    return _MATCHMAKERS[name]
