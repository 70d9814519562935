"""What later streets add to the ends of a street: one more round of betting, with all cards on the table.

It stands for all betting that is left. Both seats may bet one of two sizes, and call or fold. It is solved together
with the street itself, on every board that is looked at and for every end of the street at once, so that what a hand
is worth there follows the ranges that come there.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from molt_bench.plugins.reference.street_cards import LATER_CLASSES, Later
from molt_bench.plugins.reference.tree import Array

#: Whole numbers stand for how likely hands come to an end, and for what they win there. Sums of the first over all
#: classes are exact in 32 bits, and sums of the second over all hands in 64.
_REACH: Final = 1 << 12
_UNITS: Final = 1 << 24


class LaterBetting:
    """The betting after every end of a street at which the hand goes on.

    Args:
        later: What both ranges become on the boards.
        stakes: For each end the chips that each seat has put in.
        behind: For each end the chips that can still be bet.
        first: The seat that acts first.
    """

    def __init__(self, later: Later, stakes: Array, behind: Array, *, first: int) -> None:
        self._later, self._first = later, first
        shape = (len(stakes), later.boards, LATER_CLASSES)
        self._shape = shape
        most = float((stakes + behind).max())
        bets = [np.minimum(behind, 2 * stakes * size // 100) for size in later.sizes]
        # In shares of the most that can be won.
        self._most = most
        self._stake = (stakes / most).astype(np.float32)[:, None, None]
        self._called = [((stakes + bet) / most).astype(np.float32)[:, None, None] for bet in bets]
        order = np.arange(LATER_CLASSES)
        #: What a class wins from another at a showdown.
        self._sign = np.sign(order[None, :] - order[:, None]).astype(np.float32)
        #: By seat in the order of acting: the regrets of checking and betting, and of folding and calling each bet.
        self._opens = [np.zeros((1 + len(bets), *shape), np.float32) for _ in (0, 1)]
        self._answers = [np.zeros((len(bets), 2, *shape), np.float32) for _ in (0, 1)]
        self._now_opens = [_shares(each) for each in self._opens]
        self._now_answers = [_shares(each.swapaxes(0, 1))[1] for each in self._answers]

    def learn(self, seat: int, theirs: Array) -> Array:
        """Update what a seat does; return what the betting adds to what each of its classes wins at each end.

        `theirs` says how likely each class of the other seat comes to each end, in whole numbers.
        """
        own, other = self._later.weights[seat], self._later.weights[1 - seat]
        whole = (theirs @ other).reshape(self._shape)
        scale = _REACH / whole.max(axis=(1, 2), keepdims=True)
        reach = np.floor(whole * scale).astype(np.float32)
        won = self._value_first(reach) if seat == self._first else self._value_second(reach)
        won -= self._showdown(reach) * self._stake
        # In whole numbers of 1 / _UNITS of the most that all classes together could win.
        units = _UNITS / (_REACH * LATER_CLASSES)
        added = np.floor(won.astype(np.float64) * units).reshape(len(won), -1) @ own.T
        found: Array = added * (self._most / (units * self._later.per_pair)) / scale[:, 0]
        return found

    def _showdown(self, reach: Array) -> Array:
        """Return what each class wins from the others, which come so often: whole numbers, so the sums are exact."""
        found: Array = reach @ self._sign
        return found

    def _value_first(self, reach: Array) -> Array:
        """Learn for the seat that acts first: check, or bet; then answer the bets after its check."""
        opens, answers = self._now_opens[1], self._now_answers[1]
        checked = self._showdown(np.floor(reach * opens[0])) * self._stake
        bets = []
        for at, called in enumerate(self._called):
            checked += self._answer(0, at, np.floor(reach * opens[1 + at]), called)
            bets.append(self._bet(reach, answers[at], called))
        return self._open(0, [checked, *bets])

    def _value_second(self, reach: Array) -> Array:
        """Learn for the seat that acts second: answer bets, and check or bet after a check."""
        opens, answers = self._now_opens[0], self._now_answers[0]
        passed = np.floor(reach * opens[0])
        choices = [self._showdown(passed) * self._stake]
        won: Any = 0
        for at, called in enumerate(self._called):
            choices.append(self._bet(passed, answers[at], called))
            won = won + self._answer(1, at, np.floor(reach * opens[1 + at]), called)
        found: Array = self._open(1, choices) + won
        return found

    def _bet(self, reach: Array, calls: Array, called: Array) -> Array:
        """Return what a bet wins against hands of which some call."""
        calling = np.floor(reach * calls)
        folding = (reach - calling).sum(axis=2, keepdims=True)
        found: Array = self._showdown(calling) * called + folding * self._stake
        return found

    def _answer(self, turn: int, at: int, betting: Array, called: Array) -> Array:
        """Learn whether to call a bet; return what that wins."""
        regrets, calls = self._answers[turn][at], self._now_answers[turn][at]
        fold = -betting.sum(axis=2, keepdims=True) * self._stake
        call = self._showdown(betting) * called
        gain = call - fold
        regrets[0] = np.maximum(regrets[0] - gain * calls, 0.0)
        regrets[1] = np.maximum(regrets[1] + gain * (1 - calls), 0.0)
        won: Array = fold + gain * calls
        self._now_answers[turn][at] = _shares(regrets)[1]
        return won

    def _open(self, turn: int, choices: list[Array]) -> Array:
        """Learn whether to check or to bet; return what that wins."""
        regrets, now = self._opens[turn], self._now_opens[turn]
        won: Array = now[0] * choices[0]
        for chance, choice in zip(now[1:], choices[1:], strict=True):
            won = won + chance * choice
        for regret, choice in zip(regrets, choices, strict=True):
            regret += choice - won
        np.maximum(regrets, 0.0, out=regrets)
        self._now_opens[turn] = _shares(regrets)
        return won


def _shares(amounts: Array) -> Array:
    """Return amounts as shares of their sum over the first axis, added up in order; even ones where it is 0."""
    whole = amounts[0]
    for each in amounts[1:]:
        whole = whole + each
    none = (whole == 0).astype(np.float32)
    found: Array = (amounts + none * np.float32(1 / len(amounts))) / (whole + none)
    return found
