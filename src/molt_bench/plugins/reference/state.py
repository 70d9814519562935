"""What both seats know at one point of a hand: rules, stacks, actions and the open board."""

from typing import Final

import msgspec

from molt_bench.poker.actions import OPEN_CARDS, STREETS, Action, LoggedAction, Street
from molt_bench.poker.cards import Board, Deal
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import Observation

#: Any cards: what both seats know does not depend on them.
_ANY_DEAL: Final[Deal] = (((0, 1), (2, 3)), (4, 5, 6, 7, 8))


class PublicState(msgspec.Struct, frozen=True, gc=False):
    """One point of a hand, without hole cards.

    Attributes:
        rules: Blinds, ante and raise cap.
        starting_stacks: Chips of seats 0 and 1 before antes and blinds.
        button: The seat with the button.
        log: The actions so far.
        board: The open board cards. If the last action ended a street, the cards of the next one may still be missing.
    """

    rules: HandRules
    starting_stacks: tuple[int, int]
    button: int
    log: tuple[LoggedAction, ...]
    board: Board

    def hand(self) -> Hand:
        """Return the hand at this point; its cards mean nothing."""
        hand = self.opening()
        for done in self.log:
            hand.apply(Action(done.kind, done.amount))
        return hand

    def split(self, street: Street) -> "tuple[PublicState, tuple[Action, ...]]":
        """Return the state at the start of a street, and the actions on it; only raises have an amount."""
        before = tuple([done for done in self.log if STREETS.index(done.street) < STREETS.index(street)])
        actions = [
            Action(done.kind, done.amount if done.kind == "raiseTo" else 0)
            for done in self.log
            if done.street == street
        ]
        start = msgspec.structs.replace(self, log=before, board=self.board[: OPEN_CARDS[street]])
        return start, tuple(actions)

    def opening(self) -> Hand:
        """Return the hand before its first action; its cards mean nothing."""
        return Hand(self.rules, _ANY_DEAL, self.starting_stacks, button=self.button)


def public_state(seen: Observation | Hand) -> PublicState:
    """Return what both seats know; of a finished hand, with the board of its last decision."""
    board = seen.board[: OPEN_CARDS[seen.street]]
    return PublicState(seen.rules, seen.starting_stacks, seen.button, tuple(seen.log), board)
