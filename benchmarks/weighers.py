"""Bots that weigh what they could do against each other, as a language model does its tokens: for measuring alone.

A weigher guesses what a fold, a call and a few bets are worth from its equity, and draws one of them: the more each
seems to be worth, the likelier it is (softmax). Its temperature says how much it leaves to chance.
"""

from functools import lru_cache
from math import exp

from mixing import Chances, Mixer

from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.observation import HandResult, Observation, raise_by_pot
from molt_bench.poker.starting_hands import equity_against_best
from molt_bench.seeds import Seed

#: What a weigher compares its hand with, in percent of all hands: the better ones, once somebody has raised.
_ANY, _GOOD = 100, 50
_equity = lru_cache(1 << 16)(equity_against_best)


class Weigher(Mixer):
    """Draws an action by what each seems to be worth.

    Args:
        heat: Its temperature, in pots.
        daring: How often it thinks that the other folds to a bet of a pot.
        sizes: Percent of the pot that it may bet.
        publish: Whether it says how it mixes.
    """

    kind = "weigher"

    def __init__(
        self, *, heat: float, daring: float, sizes: tuple[int, ...], seed: Seed, publish: bool = False
    ) -> None:
        super().__init__(seed=seed, publish=publish)
        self._heat, self._daring, self._sizes = heat, daring, sizes

    def chances(self, observation: Observation) -> Chances:
        """Return what it does, and how often."""
        worth = self._worth(observation)
        scale = self._heat * observation.pot
        best = max(worth.values())
        weights = {action: exp((value - best) / scale) for action, value in worth.items()}
        whole = sum(weights.values())
        return tuple((action, weight / whole) for action, weight in weights.items())

    def _worth(self, observation: Observation) -> dict[Action, float]:
        """Return what each action seems to be worth, in chips."""
        seat, pot, price = observation.seat, observation.pot, observation.to_call
        raised = any(done.kind == "raiseTo" and done.seat != seat for done in observation.log)
        first, second = max(observation.cards), min(observation.cards)
        share = _equity((first, second), observation.board, _GOOD if raised else _ANY)
        found = {CALL: share * (pot + price) - price, FOLD: 0.0} if price else {CHECK: share * pot}
        for size in self._sizes if observation.max_raise_to else ():
            action = raise_by_pot(observation, size)
            more = action.amount - observation.bets[seat]
            folds = self._folds(more / pot)
            called = share**1.2 * (pot + 2 * more - price) - more
            found[action] = folds * pot + (1 - folds) * called
        return found

    def _folds(self, price: float) -> float:
        """Return how likely a fold to a bet of so many pots seems to be."""
        return self._daring * price / (0.5 + price)


class Student(Weigher):
    """A weigher that learns within a game how often the other folds to its bets."""

    kind = "student"

    _faced, _folded = 6.0, 2.0

    def reset(self) -> None:
        """Forget."""
        self._faced, self._folded = 6.0, 2.0

    def on_hand_complete(self, result: HandResult) -> None:
        """Count the answers to its bets."""
        for at, done in enumerate(result.log[:-1]):
            if done.seat == result.seat and done.kind == "raiseTo":
                self._faced += 1
                self._folded += result.log[at + 1].kind == "fold"

    def _folds(self, price: float) -> float:
        return min(0.9, super()._folds(price) * 3 * self._folded / self._faced)
