"""What a run has learned about how its agents play: a stand-in for each, fitted to its decisions so far.

A stand-in is four multinomial logits, before and after the flop, facing a price or not. First come weights that suit
all agents together, then those of each agent, held to them. Weights are rounded, so that a replayed run finds the same.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import At, Deals
from molt_bench.plugins.lookahead.classes import CLASSES, legal_classes
from molt_bench.plugins.lookahead.features import FEATURES, ONE, features_of
from molt_bench.plugins.lookahead.logits import fitted, odds_of
from molt_bench.plugins.lookahead.visited import Visited
from molt_bench.poker.arrays import Flags, Floats, Ints

#: How strongly weights are held to 0 for all agents together, and to those for each agent.
_HOLD_ALL: Final = 5.0
_HOLD_OWN: Final = 1.5
#: Stand-ins are fitted again when there are so many times the decisions.
_GROWTH: Final = 1.2
#: Hands of an agent before there is a stand-in for it.
FIRST_HANDS: Final = 80
_SITUATIONS: Final = 4


class StandIns(NamedTuple):
    """The stand-ins at some point of a run, which never change: weights by agent and situation, in thousandths."""

    weights: Mapping[int, Ints] = {}

    def odds(self, moments: Ints, deals: Deals) -> Floats:
        """Return the odds of each class at some moments, by the stand-ins of the actors."""
        legal, features = legal_classes(moments, deals), features_of(moments, deals)
        groups = _SITUATIONS * deals.agents[moments[At.HAND], moments[At.ACTOR]] + _situations(moments)
        odds = np.zeros(legal.shape)
        for group in np.unique(groups).tolist():
            some, (agent, situation) = np.flatnonzero(groups == group), divmod(group, _SITUATIONS)
            odds[some] = odds_of(features[some], self.weights[agent][situation], legal[some])
        return odds


class _Decisions(NamedTuple):
    """Decisions to learn from: their features, and the other fields as in `Visited`."""

    features: Ints
    odds: Floats
    legal: Flags


class _Agent:
    """What is known of an agent that states mixes: how many hands it played, and its decisions by situation."""

    def __init__(self) -> None:
        self.hands = 0
        self.decisions: list[list[_Decisions]] = [[] for _ in range(_SITUATIONS)]


class Learning:
    """Learns how the agents of a run play that state mixes; agents are numbered."""

    def __init__(self) -> None:
        self._agents: dict[int, _Agent] = {}
        self._pooled = np.zeros((_SITUATIONS, FEATURES, CLASSES))
        self._decisions = self._fitted = 0
        self._stand_ins = StandIns()

    def add(self, played: Visited) -> None:
        """Learn from games."""
        features, situations = features_of(played.moments, played.deals), _situations(played.moments)
        agents = played.deals.agents[played.moments[At.HAND], played.moments[At.ACTOR]]
        stated = np.array([options is not None for options in played.options])
        for number in np.unique(agents[stated]).tolist():
            agent = self._agents.setdefault(number, _Agent())
            agent.hands += int((played.deals.agents == number).any(axis=1).sum())
            for situation in range(_SITUATIONS):
                some = np.flatnonzero((agents == number) & (situations == situation))
                if len(some):
                    kept = _Decisions(features[some], played.odds[some], played.legal[some])
                    agent.decisions[situation].append(kept)
                    self._decisions += len(some)

    def fitted(self) -> StandIns:
        """Return the stand-ins, fitted again if there is a fifth more to learn from, or a new agent."""
        ready = {number for number, agent in self._agents.items() if agent.hands >= FIRST_HANDS}
        if ready - self._stand_ins.weights.keys() or self._decisions >= _GROWTH * self._fitted:
            self._fitted = self._decisions
            self._stand_ins = StandIns(self._weights(sorted(ready)))
        return self._stand_ins

    def _weights(self, ready: list[int]) -> dict[int, Ints]:
        found: dict[int, Ints] = {number: np.zeros((_SITUATIONS, FEATURES, CLASSES), np.int64) for number in ready}
        for situation in range(_SITUATIONS):
            parts = [part for agent in self._agents.values() for part in agent.decisions[situation]]
            if not parts or not ready:
                continue
            pooled = self._pooled[situation]
            pooled = _suited(parts, np.zeros_like(pooled), pooled, _HOLD_ALL)
            self._pooled[situation] = pooled
            for number in ready:
                own = self._agents[number].decisions[situation]
                weights = _suited(own, pooled, pooled, _HOLD_OWN) if own else pooled
                found[number][situation] = (ONE * weights).round().astype(np.int64)
        return found


def _suited(parts: list[_Decisions], centre: Floats, begin: Floats, hold: float) -> Floats:
    """Return the weights that suit some decisions best, held to `centre`."""
    features, odds, legal = (np.concatenate(each) for each in zip(*parts, strict=True))
    return fitted(features, odds, legal, centre=centre, begin=begin, hold=hold)


def _situations(moments: Ints) -> Ints:
    """Return which of the four logits is for each moment."""
    found: Ints = 2 * (moments[At.STREET] > 0) + (moments[At.CALL] > 0)
    return found
