"""The luck of the draws in one hand: at each decision that stated a mix, what was drawn against what could have been.

This is the action correction of AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: A New Variance Reduction
Technique for Agent Evaluation in Imperfect Information Games", AAAI 2018): the value of what was drawn minus the mean
value of what could have been drawn. The bench itself draws, from a mix that is on record before. So the mean of each
term is 0 by construction, for any value that is fixed before the draw: the value only decides how much luck goes.

Ours is plain, and knows both hands. A fold costs what was put in, and a call or check that ends the betting is worth
its equity. Any other call or check is worth a share of the chips then matched, by equity and by the strength of both
hands. A raise wins what the other seat has put in if that folds, and plays for the chips matched if it calls. How
likely a fold is depends on the strength of the other hand, on the price, and on how often the other seat has folded to
raises in the earlier hands of the game.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import fsum, log1p
from typing import Final, NamedTuple

from molt_bench.luck.weights import ACTIONS
from molt_bench.poker.actions import OPEN_CARDS, STREETS
from molt_bench.poker.betting import Betting
from molt_bench.poker.equity_vs_random import equities_vs_random
from molt_bench.poker.hand import Hand
from molt_bench.poker.mix import Mix
from molt_bench.poker.mix_parts import Part, parts_of

#: The price of a raise at which the second bin begins, in percent of the pot after a call; all-in is the last bin.
_PRICE: Final = 150
#: Weights of a check or call, and of a raise; the first are those of what is exact, by street.
_PASSIVE, _RAISED, _BINS = 6, 9, 3
_FIRST_RAISED: Final = len(STREETS) + 4 * _PASSIVE
#: How many weights the value of an action has.
WEIGHTS: Final = _FIRST_RAISED + 2 * _BINS * _RAISED
_STREET_NUMBERS: Final = {street: number for number, street in enumerate(STREETS)}


class Folds:
    """How often each seat has folded to a raise in the hands of a game so far."""

    def __init__(self) -> None:
        self._faced = [0, 0]
        self._folded = [0, 0]

    def add(self, hand: Hand) -> None:
        """Count a finished hand."""
        for done, answer in pairwise(hand.log):
            if done.kind == "raiseTo":
                self._faced[answer.seat] += 1
                self._folded[answer.seat] += answer.kind == "fold"

    def share(self, seat: int) -> float:
        """Return the share of raises a seat folds to; a third, as of three raises, before anything is known."""
        return (self._folded[seat] + 1) / (self._faced[seat] + 3)


class _Setting(NamedTuple):
    """What the value of an action depends on besides the action, as the seat that decides has it.

    Attributes:
        street: 0 before the flop to 3 on the river.
        opened: Whether there was an action on this street before, so that a call or check opens the next card.
        edge: Twice the equity of its hand against the other's, less 1.
        own: How often its hand beats any third one, less 1/2.
        other: The same of the other hand.
        deep: The logarithm of 1 and the chips behind as a multiple of the pot.
        folds: The share of raises that the other seat folds to.
    """

    street: int
    opened: bool
    edge: float
    own: float
    other: float
    deep: float
    folds: float


def draw_luck(
    hand: Hand,
    mixes: Mapping[int, Mix],
    equities: Sequence[float],
    folds: Folds,
    *,
    max_actions: int,
    weights: Sequence[float] = ACTIONS,
) -> float:
    """Return the chips that the draws of a finished hand gave seat 0, beyond their mean.

    Args:
        hand: The hand.
        mixes: What was drawn from, by the indices of the decisions.
        equities: Seat 0's, before the flop and on every later street with a decision.
        folds: What is known of both seats from earlier hands.
        max_actions: After so many actions nobody may raise.
        weights: Of the values of actions.
    """
    found = []
    for at, (before, action) in enumerate(hand.steps(max_actions=max_actions)):
        mix = mixes.get(at)
        if mix is None or (len(mix.entries) == 1 and not mix.highest):
            continue
        betting = before.betting
        choices = parts_of(mix, betting)
        setting = _setting(before, equities, folds)
        values = [_value(part, betting, setting, weights) for part in choices.parts]
        mean = fsum([part.chance * value for part, value in zip(choices.parts, values, strict=True)])
        luck = values[choices.place_of(action.kind, action.amount)] - mean
        found.append(-luck if betting.actor else luck)
    return fsum(found)


def _setting(hand: Hand, equities: Sequence[float], folds: Folds) -> _Setting:
    betting = hand.betting
    seat, street = betting.actor, _STREET_NUMBERS[betting.street]
    edge = 2 * equities[street] - 1
    rates = equities_vs_random(hand.holes, hand.board[: OPEN_CARDS[betting.street]])
    called_to = betting.bets[seat] + betting.to_call
    depth = (min(betting.limits) - called_to) / (betting.chips + betting.to_call)
    return _Setting(
        street,
        bool(betting.log) and betting.log[-1].street == betting.street,
        -edge if seat else edge,
        rates[seat] - 0.5,
        rates[1 - seat] - 0.5,
        log1p(max(depth, 0.0)),
        folds.share(1 - seat),
    )


def _value(part: Part, betting: Betting, setting: _Setting, weights: Sequence[float]) -> float:
    """Return what an action is worth, in chips of the seat that decides."""
    street, opened, edge, own, other, deep, folds = setting
    seat, late = betting.actor, street > 0
    if part.kind == "fold":
        return -weights[street] * betting.chips_in(seat)
    if part.kind != "raiseTo":
        called_to = betting.bets[seat] + betting.to_call
        matched = betting.at_stake + called_to
        # The first action on a street leaves the other seat a decision, unless a seat is all-in.
        if called_to in betting.limits or (opened and street == 3):
            return weights[street] * matched * edge
        at = len(STREETS) + _PASSIVE * (2 * late + opened)
        plain = edge * weights[at] + own * weights[at + 1] + other * weights[at + 2]
        return matched * (
            plain + edge * deep * weights[at + 3] + own * deep * weights[at + 4] + other * deep * weights[at + 5]
        )
    facing, all_in = betting.bets[seat] + betting.to_call, min(betting.limits)
    dear = facing - (-(betting.chips + betting.to_call) * _PRICE // 100)
    price = 2 if part.size >= all_in else 1 if part.size >= dear else 0
    at = _FIRST_RAISED + _RAISED * (_BINS * late + price)
    won = betting.chips_in(1 - seat)
    matched = betting.at_stake + min(part.size, all_in)
    taken = weights[at] + folds * weights[at + 1] + other * weights[at + 2] + folds * other * weights[at + 3]
    called = edge * weights[at + 4] + folds * edge * weights[at + 5] + edge * other * weights[at + 6]
    return won * taken + matched * (called + own * weights[at + 7] + edge * deep * weights[at + 8])
