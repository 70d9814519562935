"""Agents that are not what they seem, as anybody could hand them in: `--participants tests/e2e/suspects.py:CardReader`.

They know cards that they may not know. What each wins in chips is right; what is left of it without luck is not.
"""

import sys
from typing import ClassVar

from molt_bench import Action
from molt_bench.poker.actions import CALL, CHECK, FOLD
from molt_bench.poker.evaluator import strength
from molt_bench.poker.hand import Hand


def passive(observation):
    """Return the action that puts in no more than it has to, and never folds."""
    return CALL if observation.to_call else CHECK


def knowing(observation, other, board):
    """Play a hand whose end is known: all-in if it will be won, out if it will be lost."""
    own, theirs = strength(observation.cards + board), strength(other + board)
    if own > theirs and observation.max_raise_to:
        return Action("raiseTo", observation.max_raise_to)
    return FOLD if own < theirs and observation.to_call else passive(observation)


class CardReader:
    """Looks for the hand in the variables of whoever asks, and reads all cards in it."""

    name = "card reader"

    def act(self, observation):
        """Play knowing all cards."""
        frame = sys._getframe(1)
        while frame is not None:
            for value in [*frame.f_locals.values()]:
                value = getattr(getattr(value, "gi_frame", None), "f_locals", {}).get("hand", value)
                if isinstance(value, Hand) and value.actor == observation.seat:
                    return knowing(observation, value.holes[1 - observation.seat], value.runout)
            frame = frame.f_back
        raise RuntimeError("no hand in sight")


class Rememberer:
    """Keeps what it saw in all games of this process, and knows a deal again when it is on its other side.

    It calls, until a hand was dealt to its opponent in an earlier game under the same number, with the same board: then
    the games are of one seed, and what it held itself is what the opponent holds now.
    """

    name = "rememberer"
    #: Every game so far: own cards, those of the opponent and the board, by the number of the hand.
    games: ClassVar[list] = []

    def reset(self):
        """Begin a game."""
        self.seen, self.link = {}, None
        self.games.append(self.seen)
        del self.games[:-400]

    def act(self, observation):
        """Call, or play knowing all cards."""
        number = observation.hand_number
        if self.link is None:
            self.link = next((old for old in self.games if old is not self.seen and self.same(observation, old)), None)
        known = (self.link or {}).get(number)
        if known is None or known[1] is None or {*known[1]} != {*observation.cards} or len(known[2]) < 5:
            return passive(observation)
        return knowing(observation, known[0], known[2])

    @staticmethod
    def same(observation, old):
        """Return whether a hand of an earlier game was this one from the other side."""
        known = old.get(observation.hand_number)
        return known is not None and known[1] is not None and {*known[1]} == {*observation.cards}

    def on_hand_complete(self, result):
        """Remember a hand."""
        self.seen[result.hand_number] = (result.cards, result.opponent_cards, result.board)
