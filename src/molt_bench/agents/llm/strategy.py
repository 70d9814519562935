"""Stated strategies: a few actions with whole percentages, of which the bench draws one by its own dice. Pure.

A strategy is complete before anything is drawn, and so is whether it is taken: it is read without looking at the dice,
and all of its actions have to be legal. So the odds of what is drawn are the stated ones, exactly, at every attempt.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import msgspec

from molt_bench.poker.actions import KINDS, Action, Kind
from molt_bench.poker.observation import Observation

#: Most actions of one strategy.
MOST_ACTIONS: Final = 6
#: What the percentages of a strategy add up to.
WHOLE: Final = 100
#: Bits of an observation's noise.
_BITS: Final = 32


class Share(msgspec.Struct, frozen=True, gc=False):
    """One action of a strategy, and with which percentage it is taken.

    Attributes:
        kind: The kind of action.
        amount: What a raise is to; 0 for every other kind.
        percent: From 1 to 100.
    """

    kind: Kind
    amount: int
    percent: int

    @property
    def action(self) -> Action:
        """The action."""
        return Action(self.kind, self.amount)


#: The actions of a strategy, each of them once.
Strategy: TypeAlias = tuple[Share, ...]
#: Actions with whole weights, in a fixed order: fold first, then check or call, then raises, the smallest first.
Weights: TypeAlias = list[tuple[Action, int]]


def illegal(strategy: Strategy, allows: Callable[[Action], bool]) -> Action | None:
    """Return the first action of a strategy that is not legal; None if all are."""
    return next((share.action for share in strategy if not allows(share.action)), None)


def weights_of(strategy: Strategy) -> Weights:
    """Return the actions of a strategy with their percentages, whatever their order was."""
    found = [(share.action, share.percent) for share in strategy]
    return sorted(found, key=lambda each: (KINDS.index(each[0].kind), each[0].amount))


def drawn(weights: Weights, noise: int) -> Action:
    """Return the action that the noise of a decision draws.

    >>> weights = [(Action("fold"), 20), (Action("raiseTo", 600), 80)]
    >>> [drawn(weights, round(share * 2**32)).kind for share in (0, 0.19, 0.21, 0.99)]
    ['fold', 'fold', 'raiseTo', 'raiseTo']
    """
    left = noise * sum(weight for _, weight in weights) >> _BITS
    for action, weight in weights:
        if left < weight:
            return action
        left -= weight
    raise ValueError(f"noise {noise}, expected less than 2**{_BITS}")


class StatedDraws:
    """The strategies that one model stated in one game, by hand and by the number of actions before the decision.

    The bench draws from them, so nothing needs to be tested: what was done is what was drawn. One with an action that
    is not legal was not drawn from: there is another attempt, or the hand was folded.
    """

    def __init__(self, strategies: Mapping[tuple[int, int], Strategy]) -> None:
        self._strategies = strategies

    def at(self, seen: Observation) -> tuple[tuple[Action, float], ...] | None:
        """Return the odds that the action at a decision was drawn with; None if no strategy was taken there."""
        strategy = self._strategies.get((seen.hand_number, len(seen.log)), ())
        if not strategy or illegal(strategy, seen.legal.allows) is not None:
            return None
        return tuple([(action, weight / WHOLE) for action, weight in weights_of(strategy)])
