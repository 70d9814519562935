"""What a run has learned about how its agents play: a stand-in for each, fitted to its decisions so far.

A stand-in is four multinomial logits, before and after the flop, facing a price or not. First come weights that suit
all agents together, then those of each agent, held to them. Weights are rounded, so that a replayed run finds the same.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from molt_bench.luck.stand_ins.betting_arrays import At, Deals
from molt_bench.luck.stand_ins.classes import ALL_IN, CLASSES, CUTS, FIRST_RAISE, USUAL, amounts_of, legal_classes
from molt_bench.luck.stand_ins.features import FEATURES, ONE, features_of
from molt_bench.luck.stand_ins.logits import fitted, odds_of
from molt_bench.luck.stand_ins.visited import Visited
from molt_bench.poker.arrays import Flags, Floats, Ints

#: How strongly weights are held to 0 for all agents together, and to those for each agent.
_HOLD_ALL: Final = 5.0
_HOLD_OWN: Final = 1.5
#: How many times as strongly where draws are all that is known.
_HOLD_DRAWN: Final = 8.0
#: Stand-ins are fitted again when there are so many times the decisions.
GROWTH: Final = 1.2
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


class _Agent:
    """What is known of an agent.

    Attributes:
        hands: How many it has played.
        decisions: By situation, its decisions.
        paid: By class of raises, the sum of their prices and how many there were.
        weights: By situation, the weights of its stand-in, in thousandths; None before there is one.
        prices: By class of raises, what they cost, in thousandths of the pot.
    """

    def __init__(self) -> None:
        self.hands = 0
        self.decisions: list[list[_Decisions]] = [[] for _ in range(_SITUATIONS)]
        self.paid = np.zeros((2, ALL_IN - FIRST_RAISE), np.int64)
        self.weights: Ints | None = None
        self.prices: Ints = np.array(USUAL)


class StandIns:
    """Stand-ins for the agents of a run, which are numbered."""

    def __init__(self) -> None:
        self._agents: list[_Agent] = []
        self._pooled = np.zeros((_SITUATIONS, FEATURES, CLASSES))
        self._decisions = self._fitted = 0

    def add_agent(self) -> int:
        """Return the number of a new agent."""
        self._agents.append(_Agent())
        return len(self._agents) - 1

    def knows(self, agent: int) -> bool:
        """Return whether there is a stand-in for an agent."""
        return self._agents[agent].weights is not None

    def learn(self, played: Visited) -> None:
        """Learn from a match; with a fifth more to learn from, fit again."""
        features = features_of(played.moments, played.deals)
        situations = _situations(played.moments)
        agents = played.deals.agents[played.moments[At.HAND], played.moments[At.ACTOR]]
        for number in np.unique(agents).tolist():
            agent = self._agents[number]
            agent.hands += int((played.deals.agents == number).sum())
            for situation in range(_SITUATIONS):
                some = np.flatnonzero((agents == number) & (situations == situation))
                if len(some):
                    wanted, drawn = played.wanted[some], played.drawn[some]
                    found = _Decisions(features[some], wanted, drawn, played.legal[some])
                    agent.decisions[situation].append(found)
            prices = played.prices[(agents == number) & (played.prices >= 0)]
            at = np.searchsorted(CUTS, prices, side="right")
            agent.paid[0] += np.bincount(at, prices, ALL_IN - FIRST_RAISE).astype(np.int64)
            agent.paid[1] += np.bincount(at, minlength=ALL_IN - FIRST_RAISE)
        self._decisions += len(agents)
        new = any(agent.weights is None and agent.hands >= FIRST_HANDS for agent in self._agents)
        if new or self._decisions >= GROWTH * self._fitted:
            self._fitted = self._decisions
            self._fit()

    def _fit(self) -> None:
        ready = [agent for agent in self._agents if agent.hands >= FIRST_HANDS]
        if not ready:
            return
        for agent in ready:
            if agent.weights is None:
                agent.weights = np.zeros((_SITUATIONS, FEATURES, CLASSES), np.int64)
        for situation in range(_SITUATIONS):
            parts = [part for agent in self._agents for part in agent.decisions[situation]]
            if not parts:
                continue
            pooled = self._pooled[situation]
            pooled = _Decisions.together(parts).fitted(np.zeros_like(pooled), pooled, _HOLD_ALL)
            self._pooled[situation] = pooled
            for agent in ready:
                own = agent.decisions[situation]
                weights = _Decisions.together(own).fitted(pooled, pooled, _HOLD_OWN) if own else pooled
                assert agent.weights is not None
                agent.weights[situation] = (ONE * weights).round().astype(np.int64)
        total, count = np.array([agent.paid for agent in self._agents]).sum(axis=0)
        usual = (total + _HOLD_PRICE * np.array(USUAL)) / (count + _HOLD_PRICE)
        for agent in ready:
            total, count = agent.paid
            agent.prices = ((total + _HOLD_PRICE * usual) / (count + _HOLD_PRICE)).round().astype(np.int64)

    def odds(self, moments: Ints, deals: Deals) -> tuple["Floats", "Ints"]:
        """Return the odds of each class at some moments, and what its raises are to, by the stand-ins of the actors."""
        legal, features = legal_classes(moments, deals), features_of(moments, deals)
        agents = deals.agents[moments[At.HAND], moments[At.ACTOR]]
        groups = _SITUATIONS * agents + _situations(moments)
        odds, prices = np.zeros(legal.shape), np.zeros((len(agents), len(USUAL)), np.int64)
        for group in np.unique(groups).tolist():
            some = np.flatnonzero(groups == group)
            agent = self._agents[group // _SITUATIONS]
            assert agent.weights is not None
            odds[some] = odds_of(features[some], agent.weights[group % _SITUATIONS], legal[some])
            prices[some] = agent.prices
        return odds, amounts_of(moments, deals, prices)


def _situations(moments: Ints) -> Ints:
    """Return which of the four logits is for each moment."""
    found: Ints = 2 * (moments[At.STREET] > 0) + (moments[At.CALL] > 0)
    return found
