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
from math import log1p
from typing import Final

from molt_bench.luck.weights import ACTIONS
from molt_bench.poker.actions import OPEN_CARDS, STREETS, LoggedAction
from molt_bench.poker.betting import Betting, opening
from molt_bench.poker.equity_vs_random import equities_vs_random
from molt_bench.poker.hand import Hand
from molt_bench.poker.mix import Mix, RaiseRange

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
        max_actions: After so many actions no raise is legal.
        weights: Of the values of actions.
    """
    luck, last = 0.0, max(mixes, default=-1)
    betting = opening(hand.rules, hand.starting_stacks, hand.button)
    for at, done in enumerate(hand.log[: last + 1]):
        if at >= max_actions:
            betting = betting.without_raises()
        mix = mixes.get(at)
        if mix is not None and (len(mix.entries) > 1 or mix.lowest < mix.highest):
            edge = 2 * equities[_STREET_NUMBERS[betting.street]] - 1
            rates = equities_vs_random(hand.holes, hand.runout[: OPEN_CARDS[betting.street]])
            if betting.actor:
                luck += -_luck(mix, done, betting, -edge, rates[::-1], folds.share(0), weights)
            else:
                luck += _luck(mix, done, betting, edge, rates, folds.share(1), weights)
        if at < last:
            after = betting.after(done.kind, done.amount)
            assert after is not None, "the hand was played"
            betting = after
    return luck


def _luck(
    mix: Mix,
    done: LoggedAction,
    betting: Betting,
    edge: float,
    rates: tuple[float, float],
    folds: float,
    weights: Sequence[float],
) -> float:
    """Return what a draw is worth beyond its mean, in chips of the seat that decides.

    Args:
        mix: What was drawn from.
        done: What was drawn.
        betting: The moment before.
        edge: Twice the equity of its hand against the other's, less 1.
        rates: How often its hand, and the other's, beats any third one.
        folds: The share of raises that the other seat folds to.
        weights: Of the values of actions.
    """
    seat, (first, second) = betting.actor, betting.limits
    all_in = first if first < second else second
    called_to, pot = betting.bets[seat] + betting.to_call, betting.chips + betting.to_call
    beyond = _beyond(mix, done, called_to - (-pot * _PRICE // 100), all_in)
    street = _STREET_NUMBERS[betting.street]
    opened = bool(betting.log) and betting.log[-1].street == betting.street
    own, other = rates[0] - 0.5, rates[1] - 0.5
    deep = log1p((all_in - called_to) / pot) if called_to < all_in else 0.0
    fold, passive = beyond[:2]
    value = -weights[street] * betting.chips_in(seat) * fold if fold else 0.0
    if passive:
        matched = passive * (betting.at_stake + called_to)
        # The first action on a street leaves the other seat a decision, unless a seat is all-in.
        if called_to in betting.limits or (opened and street == 3):
            value += weights[street] * matched * edge
        else:
            at = len(STREETS) + _PASSIVE * (2 * (street > 0) + opened)
            w = weights[at : at + _PASSIVE]
            value += matched * (
                edge * w[0] + own * w[1] + other * w[2] + deep * (edge * w[3] + own * w[4] + other * w[5])
            )
    if mix.highest:
        won, at = betting.chips_in(1 - seat), _FIRST_RAISED + (_RAISED * _BINS if street else 0)
        for raised, size in zip(beyond[2::2], beyond[3::2], strict=True):
            if raised or size:
                w = weights[at : at + _RAISED]
                value += raised * won * (w[0] + folds * w[1] + other * (w[2] + folds * w[3]))
                called = edge * (w[4] + folds * w[5] + other * w[6] + deep * w[8]) + own * w[7]
                value += (raised * betting.at_stake + size) * called
            at += _RAISED
    return value


def _beyond(mix: Mix, done: LoggedAction, large: int, all_in: int) -> list[float]:
    """Return what was drawn minus what was likely: 1 less its probability for the drawn action, else less that.

    First for a fold, then for a check or call; then for raises of each bin, each followed by the same times the size as
    far as it can be called. The second bin begins at `large`, the last is all-in.
    """
    large = large if large < all_in else all_in
    found = [0.0] * (2 + 2 * _BINS)
    for entry, weight in mix.entries:
        chance = weight / mix.total
        if isinstance(entry, RaiseRange):
            _count_raise(found, entry.low, entry.high, -chance, large, all_in)
        else:
            _count(found, entry.kind, entry.amount, -chance, large, all_in)
    _count(found, done.kind, done.amount, 1.0, large, all_in)
    return found


def _count(found: list[float], kind: str, amount: int, share: float, large: int, all_in: int) -> None:
    """Count an action with its share."""
    if kind == "raiseTo":
        _count_raise(found, amount, amount, share, large, all_in)
    else:
        found[kind != "fold"] += share


def _count_raise(found: list[float], low: int, high: int, share: float, large: int, all_in: int) -> None:
    """Count raises with their share, which is spread evenly over their amounts."""
    each = share / (high - low + 1)
    for at, begins, ends in ((2, low, large - 1), (4, large, all_in - 1), (6, all_in, high)):
        start, last = max(begins, low), min(ends, high)
        if last >= start:
            of_bin = each * (last - start + 1)
            found[at] += of_bin
            found[at + 1] += of_bin * (all_in if at == 6 else (start + last) / 2)
