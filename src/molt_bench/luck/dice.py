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

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import fsum, log1p
from typing import Final, NamedTuple

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
    found, last = list[float](), max(mixes, default=-1)
    betting = opening.of(hand.rules, hand.starting_stacks, hand.button)
    for at, done in enumerate(hand.log[: last + 1]):
        if at >= max_actions:
            betting = betting.without_raises()
        mix = mixes.get(at)
        if mix is not None and (len(mix.entries) > 1 or mix.lowest < mix.highest):
            luck = _luck(_drawn_beyond(mix, done, betting), betting, _setting(hand, betting, equities, folds), weights)
            found.append(-luck if betting.actor else luck)
        if at < last:
            after = betting.known.get(done.amount if done.kind == "raiseTo" else done.kind)
            after = after or betting.after(done.kind, done.amount)
            assert after is not None, "the hand was played"
            betting = after
    return fsum(found)


class _Beyond(NamedTuple):
    """What was drawn minus what was likely: 1 less its probability for the drawn action, else less its probability.

    Attributes:
        fold: Of a fold.
        passive: Of a check or call.
        raised: Of a raise, by price.
        sizes: By price, the same times the size of the raise, as far as it can be called.
    """

    fold: float
    passive: float
    raised: list[float]
    sizes: list[float]


def _drawn_beyond(mix: Mix, action: LoggedAction, betting: Betting) -> _Beyond:
    seat, all_in = betting.actor, min(betting.limits)
    facing = betting.bets[seat] + betting.to_call
    begins = min(facing - (-(betting.chips + betting.to_call) * _PRICE // 100), all_in), all_in
    fold = passive = 0.0
    raised, sizes = [0.0] * _BINS, [0.0] * _BINS
    for entry, weight in mix.entries:
        chance = weight / mix.total
        if isinstance(entry, RaiseRange):
            each, start = chance / (entry.high - entry.low + 1), entry.low
            for at in range(bisect_right(begins, start), _BINS):
                last = entry.high if at == len(begins) else min(entry.high, begins[at] - 1)
                if last >= start:
                    share = each * (last - start + 1)
                    raised[at] -= share
                    sizes[at] -= share * (all_in if at == len(begins) else (start + last) / 2)
                    start = last + 1
        elif entry.kind == "raiseTo":
            at = bisect_right(begins, entry.amount)
            raised[at] -= chance
            sizes[at] -= chance * min(entry.amount, all_in)
        elif entry.kind == "fold":
            fold -= chance
        else:
            passive -= chance
    if action.kind == "raiseTo":
        at = bisect_right(begins, action.amount)
        raised[at] += 1.0
        sizes[at] += min(action.amount, all_in)
    elif action.kind == "fold":
        fold += 1.0
    else:
        passive += 1.0
    return _Beyond(fold, passive, raised, sizes)


def _setting(hand: Hand, betting: Betting, equities: Sequence[float], folds: Folds) -> _Setting:
    seat, street = betting.actor, _STREET_NUMBERS[betting.street]
    edge = 2 * equities[street] - 1
    rates = equities_vs_random(hand.holes, hand.runout[: OPEN_CARDS[betting.street]])
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


def _luck(beyond: _Beyond, betting: Betting, setting: _Setting, weights: Sequence[float]) -> float:
    """Return what a draw is worth beyond its mean, in chips of the seat that decides."""
    street, opened, edge, own, other, deep, folds = setting
    seat, late = betting.actor, street > 0
    value = -weights[street] * betting.chips_in(seat) * beyond.fold
    if beyond.passive:
        called_to = betting.bets[seat] + betting.to_call
        matched = beyond.passive * (betting.at_stake + called_to)
        # The first action on a street leaves the other seat a decision, unless a seat is all-in.
        if called_to in betting.limits or (opened and street == 3):
            value += weights[street] * matched * edge
        else:
            at = len(STREETS) + _PASSIVE * (2 * late + opened)
            one, two, three, four, five, six = weights[at : at + _PASSIVE]
            value += matched * (
                edge * one + own * two + other * three + deep * (edge * four + own * five + other * six)
            )
    won, at = betting.chips_in(1 - seat), _FIRST_RAISED + _RAISED * _BINS * late
    for raised, size in zip(beyond.raised, beyond.sizes, strict=True):
        if raised or size:
            w = weights[at : at + _RAISED]
            value += raised * won * (w[0] + folds * w[1] + other * (w[2] + folds * w[3]))
            called = edge * (w[4] + folds * w[5] + other * w[6] + deep * w[8]) + own * w[7]
            value += (raised * betting.at_stake + size) * called
        at += _RAISED
    return value
