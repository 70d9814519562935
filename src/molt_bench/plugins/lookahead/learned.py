"""What a run has learned about how its agents play: a stand-in for each, fitted to its decisions so far.

A stand-in is four multinomial logits, before and after the flop, facing a price or not. First come weights that suit
all agents together, then those of each agent, held to them. Weights are rounded, so that a replayed run finds the same.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from molt_bench.plugins.lookahead.betting_arrays import At, Deals
from molt_bench.plugins.lookahead.classes import (
    ALL_IN,
    CLASSES,
    CUTS,
    FIRST_RAISE,
    USUAL,
    amounts_of,
    legal_classes,
)
from molt_bench.plugins.lookahead.features import FEATURES, ONE, features_of
from molt_bench.plugins.lookahead.logits import fitted, odds_of
from molt_bench.plugins.lookahead.visited import Visited
from molt_bench.poker.arrays import Flags, Floats, Ints

#: How strongly weights are held to 0 for all agents together, and to those for each agent.
_HOLD_ALL: Final = 5.0
_HOLD_OWN: Final = 1.5
#: How many times as strongly where draws are all that is known.
_HOLD_DRAWN: Final = 8.0
#: Stand-ins are fitted again when there are so many times the decisions.
_GROWTH: Final = 1.2
#: Hands of an agent before there is a stand-in for it.
FIRST_HANDS: Final = 80
#: Prices of raises are held to those of all agents as by so many raises.
_HOLD_PRICE: Final = 5.0
_SITUATIONS: Final = 4


class _Decisions(NamedTuple):
    """Decisions to learn from; the fields are those of `Visited`, and their features."""

    features: Ints
    wanted: Floats
    drawn: Flags
    legal: Flags

    @classmethod
    def together(cls, parts: Iterable["_Decisions"]) -> "_Decisions":
        """Put some together."""
        return cls(*[np.concatenate(each) for each in zip(*parts, strict=True)])

    def fitted(self, centre: Floats, begin: Floats, hold: float) -> Floats:
        """Return the weights that suit them best, held to `centre`: the more so, the more are draws alone."""
        hold *= 1 + (_HOLD_DRAWN - 1) * float(self.drawn.mean())
        return fitted(self.features, self.wanted, self.legal, centre=centre, begin=begin, hold=hold)


class StandIns(NamedTuple):
    """The stand-ins at some point of a run; they never change.

    Attributes:
        weights: By agent and situation, in thousandths.
        prices: By agent and class of raises, what they cost, in thousandths of the pot.
        stating: The agents that have stated mixes.
    """

    weights: Mapping[int, Ints] = {}
    prices: Mapping[int, Ints] = {}
    stating: frozenset[int] = frozenset()

    def odds(self, moments: Ints, deals: Deals) -> tuple["Floats", "Ints"]:
        """Return the odds of each class at some moments, and what its raises are to, by the stand-ins of the actors."""
        legal, features = legal_classes(moments, deals), features_of(moments, deals)
        agents = deals.agents[moments[At.HAND], moments[At.ACTOR]]
        groups = _SITUATIONS * agents + _situations(moments)
        odds, prices = np.zeros(legal.shape), np.zeros((len(agents), len(USUAL)), np.int64)
        for group in np.unique(groups).tolist():
            some, agent = np.flatnonzero(groups == group), group // _SITUATIONS
            odds[some] = odds_of(features[some], self.weights[agent][group % _SITUATIONS], legal[some])
            prices[some] = self.prices[agent]
        return odds, amounts_of(moments, deals, prices)


class _Agent:
    """What is known of an agent: hands, decisions by situation, and the prices of its raises with their numbers."""

    def __init__(self) -> None:
        self.hands = 0
        self.states = False
        self.decisions: list[list[_Decisions]] = [[] for _ in range(_SITUATIONS)]
        self.paid = np.zeros((2, ALL_IN - FIRST_RAISE), np.int64)


class Learning:
    """Learns how the agents of a run play; these are numbered.

    Attributes:
        stand_ins: The stand-ins as of the last fit.
    """

    def __init__(self) -> None:
        self._agents: dict[int, _Agent] = {}
        self._pooled = np.zeros((_SITUATIONS, FEATURES, CLASSES))
        self._decisions = self._fitted = 0
        self.stand_ins = StandIns()

    def add(self, played: Visited) -> None:
        """Learn from games; with a fifth more to learn from, fit again."""
        features = features_of(played.moments, played.deals)
        situations = _situations(played.moments)
        agents = played.deals.agents[played.moments[At.HAND], played.moments[At.ACTOR]]
        for number in np.unique(played.deals.agents).tolist():
            agent = self._agents.setdefault(number, _Agent())
            agent.hands += int((played.deals.agents == number).sum())
            own = agents == number
            agent.states |= bool((own & ~played.drawn).any())
            for situation in range(_SITUATIONS):
                some = np.flatnonzero(own & (situations == situation))
                if len(some):
                    kept = features[some], played.wanted[some], played.drawn[some], played.legal[some]
                    agent.decisions[situation].append(_Decisions(*kept))
            prices = played.prices[own & (played.prices >= 0)]
            at = np.searchsorted(CUTS, prices, side="right")
            agent.paid[0] += np.bincount(at, prices, ALL_IN - FIRST_RAISE).astype(np.int64)
            agent.paid[1] += np.bincount(at, minlength=ALL_IN - FIRST_RAISE)
        self._decisions += len(agents)
        ready = {number for number, agent in self._agents.items() if agent.hands >= FIRST_HANDS}
        if ready - self.stand_ins.weights.keys() or self._decisions >= _GROWTH * self._fitted:
            self._fitted = self._decisions
            self._fit(sorted(ready))

    def _fit(self, ready: list[int]) -> None:
        weights: dict[int, Ints] = {number: np.zeros((_SITUATIONS, FEATURES, CLASSES), np.int64) for number in ready}
        for situation in range(_SITUATIONS):
            parts = [part for agent in self._agents.values() for part in agent.decisions[situation]]
            if not parts or not ready:
                continue
            pooled = self._pooled[situation]
            pooled = _Decisions.together(parts).fitted(np.zeros_like(pooled), pooled, _HOLD_ALL)
            self._pooled[situation] = pooled
            for number in ready:
                own = self._agents[number].decisions[situation]
                found = _Decisions.together(own).fitted(pooled, pooled, _HOLD_OWN) if own else pooled
                weights[number][situation] = (ONE * found).round().astype(np.int64)
        total, count = np.array([agent.paid for agent in self._agents.values()]).sum(axis=0)
        usual = (total + _HOLD_PRICE * np.array(USUAL)) / (count + _HOLD_PRICE)
        prices = {}
        for number in ready:
            total, count = self._agents[number].paid
            prices[number] = ((total + _HOLD_PRICE * usual) / (count + _HOLD_PRICE)).round().astype(np.int64)
        stating = frozenset([number for number, agent in self._agents.items() if agent.states])
        self.stand_ins = StandIns(weights, prices, stating)


def _situations(moments: Ints) -> Ints:
    """Return which of the four logits is for each moment."""
    found: Ints = 2 * (moments[At.STREET] > 0) + (moments[At.CALL] > 0)
    return found
