"""What a hand against a known bot was worth, without the luck of the cards and of the bot's dice (AIVAT).

After Burch, Schmid, Moravcik, Morrill and Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation in
Imperfect Information Games", AAAI 2018. What is known at a time is all that is public and the other seat's hole cards;
the bot's are not: they are averaged over, each hole as likely as the bot's own probabilities of what it did make it.
The result of a hand is its mean given what is known at its last decision, so that cards dealt later do not count. From
that is subtracted, for the other seat's hole cards, for every later card and for every decision of the bot, the value
of what came minus the mean value of what could have come. Each of these has mean 0 whatever the values are, if the
bot's probabilities are exactly those it draws with.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb, fsum
from typing import Final, Protocol

import numpy as np

from molt_bench.agents.blueprint.agent import BlueprintAgent, RangePolicy
from molt_bench.agents.blueprint.resolver import ResolverAgent
from molt_bench.agents.blueprint.state import PublicState
from molt_bench.luck.dice.chances import PolicyError
from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.arrays import Floats, Ints
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.hand import Hand
from molt_bench.poker.notation import ParsedHand
from molt_bench.poker.observation import Observation, PlayedHand, observe
from molt_bench.poker.range_equity import HOLES, edges, hole_number, holes_with

#: By how much the sum of probabilities may miss 1.
_TOLERANCE: Final = 1e-9


class KnownBot(Protocol):
    """A bot that says how it plays every hole."""

    def range_policy(self, observation: Observation) -> RangePolicy:
        """Return what it can do at a decision, with the probabilities for every hole of the seat to act."""


class ValueFunction(Protocol):
    """Says what a seat can expect to win in a whole hand, net and in chips, whatever it holds.

    It may be wrong: the estimator stays unbiased with any, as long as it depends on nothing but the state and the hole
    cards asked for. How close it comes decides how much luck is removed. A state is one before a decision, or after a
    call or check that ended a street and before the next card.
    """

    def hand_values(self, state: PublicState, seat: int) -> Floats:
        """Return the value of every hole of `seat`, by `range_equity.hole_number`; any for holes with a board card."""

    def hand_value(self, state: PublicState, seat: int, hole: Hole) -> float:
        """Return the value of one hole; it shares no card with the board."""

    def board_values(self, state: PublicState, seat: int, hole: Hole, boards: Ints) -> Floats:
        """Return the value of one hole after the next cards: one row of `boards` each, the cards of `state` first."""


def reference_bot(policy: object) -> BlueprintAgent | None:
    """Return the blueprint or resolver whose method a policy is; None for any other, also of a bot derived from it."""
    owner = getattr(policy, "__self__", None)
    return owner if type(owner) in (BlueprintAgent, ResolverAgent) else None


def known_bot_value(
    played: PlayedHand | ParsedHand, seat: int, bot: KnownBot, values: ValueFunction, *, max_actions: int
) -> float:
    """Return what seat 0 won in a finished hand against a bot, or as one, in chips.

    Args:
        played: The hand.
        seat: The seat of the bot.
        bot: Its probabilities.
        values: What hands are worth.
        max_actions: As in the spec of the game.

    Raises:
        PolicyError: The bot cannot have played like this.
    """
    number, hand, _ = played
    if not hand.log:
        return 0.0  # the blinds put a seat all-in: nobody decided anything
    walk = _Walk(hand, seat, values)
    found = [-walk.deal_luck()]
    for before, action in hand.steps(max_actions=max_actions):
        if len(before.board) > len(walk.board):
            found.append(-walk.card_luck(before))
        if before.actor == seat:
            found.append(-walk.dice_luck(before, action, bot.range_policy(observe(before, number))))
    won = fsum([walk.result(), *found])
    return won if seat else -won


class _Walk:
    """What is known in the course of a hand: the cards of one seat, and how likely each hole of the bot is."""

    def __init__(self, hand: Hand, seat: int, values: ValueFunction) -> None:
        self._hand, self._bot, self._other, self._values = hand, seat, 1 - seat, values
        self._hole = hand.holes[1 - seat]
        self._number = hole_number(self._hole)
        self._actual = hole_number(hand.holes[seat])
        self.board: Board = ()
        self._range: Floats = np.zeros(HOLES)
        self._range[~holes_with()[list(self._hole)].any(axis=0)] = 1 / comb(50, 2)

    def deal_luck(self) -> float:
        """Return the luck of the other seat's hole cards, in its chips as everything here."""
        values = self._values.hand_values(self._state(()), self._other)
        return float(values[self._number] - values.mean())

    def card_luck(self, before: Hand) -> float:
        """Return the luck of the cards that were dealt before a decision."""
        state = self._state(tuple(before.log))
        new = before.board[len(self.board) :]
        possible = _possible_cards(tuple(sorted((*self._hole, *self.board))), len(new))
        boards = np.concatenate([np.tile(np.array(self.board, np.int64), (len(possible), 1)), possible], axis=1)
        values = self._values.board_values(state, self._other, self._hole, boards)
        came = int(np.flatnonzero((possible == np.sort(new)).all(axis=1))[0])
        luck = values[came] - self._card_chances(possible) @ values
        self.board = before.board
        self._range = self._range * ~holes_with()[list(new)].any(axis=0)
        self._range /= self._range.sum()
        return float(luck)

    def _card_chances(self, possible: Ints) -> Floats:
        """Return how likely cards come next: less so if the bot may hold one of them."""
        held = holes_with() @ self._range
        taken = held[possible].sum(axis=1)
        for low, high in combinations(range(possible.shape[1]), 2):
            second = possible[:, high]
            taken -= self._range[second * (second - 1) // 2 + possible[:, low]]
        chances: Floats = (1 - taken) / comb(48 - len(self.board), possible.shape[1])
        return chances

    def dice_luck(self, before: Hand, action: Action, policy: RangePolicy) -> float:
        """Return the luck of a decision of the bot."""
        chances = self._range @ policy.chances
        if abs(chances.sum() - 1) > _TOLERANCE:
            raise PolicyError("the probabilities of its policy do not add up to 1")
        mean, value, after = [], 0.0, self._range * 0
        for choice, chance, column in zip(policy.actions, chances.tolist(), policy.chances.T, strict=True):
            if not chance:
                continue
            joint = self._range * column
            worth = self._value_after(before, choice, joint / chance)
            mean.append(chance * worth)
            if choice.kind == action.kind and (choice.kind != "raiseTo" or choice.amount == action.amount):
                value, after = worth, after + joint
        if not after[self._actual] > 0:
            raise PolicyError(f"its policy gives what it did, {action.kind}, no chance")
        self._range = after / after.sum()
        return value - fsum(mean)

    def _value_after(self, before: Hand, action: Action, likely: Floats) -> float:
        """Return the value after an action of the bot, with its holes as likely as given."""
        if action.kind == "fold":
            return before.chips_in(self._bot)
        bet = action.amount
        if action.kind != "raiseTo":
            bet = before.bets[self._bot] + before.to_call
            opened = bool(before.log) and before.log[-1].street == before.street
            # The first action on a street leaves the other seat a decision, unless a seat is all-in.
            if bet in before.limits or (opened and before.street == "river"):
                return (before.at_stake + bet) * float(edges(self._hole, self.board) @ likely)
        done = LoggedAction(before.street, self._bot, action.kind, bet)
        return self._values.hand_value(self._state((*before.log, done)), self._other, self._hole)

    def result(self) -> float:
        """Return the mean result given what is known at the last decision."""
        if self._hand.folded >= 0:
            return self._hand.payoffs[self._other]
        return self._hand.at_stake * float(edges(self._hole, self.board) @ self._range)

    def _state(self, log: tuple[LoggedAction, ...]) -> PublicState:
        hand = self._hand
        return PublicState(hand.rules, hand.starting_stacks, hand.button, log, self.board)


@cache
def _sets(size: int, count: int) -> Ints:
    return np.array(list(combinations(range(size), count)), np.int64)


def _possible_cards(known: tuple[int, ...], count: int) -> Ints:
    """Return every set of so many cards that can come next, sorted."""
    live = np.array([card for card in range(52) if card not in known], np.int64)
    return live[_sets(len(live), count)]
