"""What a run has learned about how its agents play: a stand-in for each, fitted to its decisions so far.

A stand-in is four multinomial logits, before and after the flop, facing a price or not. First come weights that suit
all agents together, then those of each agent, held to them. Weights are rounded, so that a replayed run finds the same.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import CALL, FOLD, At, Deals
from molt_bench.plugins.lookahead.classes import CLASSES, legal_classes
from molt_bench.plugins.lookahead.features import FEATURES, ONE, features_of
from molt_bench.plugins.lookahead.logits import fitted, odds_of
from molt_bench.plugins.lookahead.visited import Visited
from molt_bench.poker.arrays import Flags, Floats, Ints

#: How strongly weights are held to 0 for all agents together, and to those for each agent.
_HOLD_ALL: Final = 5.0
_HOLD_OWN: Final = 1.5
#: A stand-in is fitted again when there are so many times the decisions.
_GROWTH: Final = 1.2
#: The latest decisions of an agent that are kept, and those of all agents that common weights are fitted to.
_KEPT: Final = 3_000
_KEPT_ALL: Final = 3_000
#: Decisions that the agents' own weights are fitted to after a round; a small fit counts as one to `_LEAST`.
_FITTED: Final = 5_000
_LEAST: Final = 500
_SITUATIONS: Final = 4


class StandIns(NamedTuple):
    """The stand-ins at some point of a run, which never change: weights by agent and situation, in thousandths."""

    weights: Mapping[str, Ints] = {}

    def odds(self, moments: Ints, deals: Deals) -> Floats:
        """Return the odds of each class at some moments, by the stand-ins of the actors."""
        legal, features = legal_classes(moments), features_of(moments, deals)
        groups = _SITUATIONS * moments[At.ACTOR] + _situations(moments)
        odds = np.zeros(legal.shape)
        for group in np.unique(groups).tolist():
            some, (seat, situation) = np.flatnonzero(groups == group), divmod(group, _SITUATIONS)
            odds[some] = odds_of(features[some], self.weights[deals.agents[seat]][situation], legal[some])
        return odds


class _Decisions(NamedTuple):
    """Decisions to learn from: their features, situations, odds, and which classes were legal."""

    features: Ints
    situations: Ints
    odds: Floats
    legal: Flags

    def of(self, some: Ints | slice) -> "_Decisions":
        """Return some of them."""
        return _Decisions._make(each[some] for each in self)

    def weights(self, centre: Floats, hold: float) -> Floats:
        """Return the weights by situation that suit them best, held to `centre`."""
        found = centre.copy()
        for situation in np.unique(self.situations).tolist():
            features, _, odds, legal = self.of(np.flatnonzero(self.situations == situation))
            found[situation] = fitted(features, odds, legal, centre=centre[situation], hold=hold)
        return found


def _joined(parts: Iterable[_Decisions]) -> _Decisions:
    return _Decisions._make(map(np.concatenate, zip(*parts, strict=True)))


class _Agent:
    """What is known of an agent that states mixes.

    Attributes:
        latest: Its latest decisions.
        seen: How many there were.
        fitted: How many there were when its weights were fitted.
        weights: Its own weights; None if it has none.
    """

    def __init__(self, first: _Decisions) -> None:
        self.latest, self.seen, self.fitted = first, 0, 0
        self.weights: Floats | None = None


class Learning:
    """Learns how the agents of a run play that state mixes."""

    def __init__(self) -> None:
        self._agents: dict[str, _Agent] = {}
        self._common = np.zeros((_SITUATIONS, FEATURES, CLASSES))
        self._common_of = 0

    def add(self, played: Visited) -> None:
        """Learn from a game."""
        moments, deals = played.moments, played.deals
        features, legal = features_of(moments, deals), legal_classes(moments)
        chances = played.chances.copy()
        free = ~legal[:, FOLD]  # a fold where a check is free counts as one
        chances[free, CALL] += chances[free, FOLD]
        chances[free, FOLD] = 0.0
        found = _Decisions(features, _situations(moments), chances, legal)
        for seat in np.unique(moments[At.ACTOR, played.stated]).tolist():
            own = found.of(np.flatnonzero(moments[At.ACTOR] == seat))
            agent = self._agents.setdefault(deals.agents[seat], _Agent(own.of(slice(0))))
            agent.latest = _joined([agent.latest, own]).of(slice(-_KEPT, None))
            agent.seen += len(own.odds)

    def fitted(self) -> StandIns:
        """Return the stand-ins, those fitted again that need it most; new agents have the common weights."""
        seen = sum(agent.seen for agent in self._agents.values())
        if seen and seen >= _GROWTH * self._common_of:
            most = -(-_KEPT_ALL // len(self._agents))
            some = _joined(agent.latest.of(slice(-most, None)) for agent in self._agents.values())
            self._common = some.weights(np.zeros_like(self._common), _HOLD_ALL)
            self._common_of = seen
        left = _FITTED
        for _, agent in sorted(self._agents.items(), key=lambda item: (item[1].fitted / item[1].seen, item[0])):
            left -= max(len(agent.latest.odds), _LEAST)
            if agent.seen < _GROWTH * agent.fitted or left < 0:
                break
            agent.weights, agent.fitted = agent.latest.weights(self._common, _HOLD_OWN), agent.seen
        weights = {
            name: self._common if agent.weights is None else agent.weights for name, agent in self._agents.items()
        }
        return StandIns({name: (ONE * each).round().astype(np.int64) for name, each in weights.items()})


def _situations(moments: Ints) -> Ints:
    """Return which of the four logits is for each moment."""
    found: Ints = 2 * (moments[At.STREET] > 0) + (moments[At.CALL] > 0)
    return found
