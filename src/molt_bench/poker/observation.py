"""What one seat may see, and nothing else.

Observations hold only plain values: nothing leads back to the hand, the deck or the other seat's cards.
"""

from typing import Literal

import msgspec

from molt_bench.poker.actions import Action, LegalActions, LoggedAction, Street
from molt_bench.poker.cards import cards_to_text
from molt_bench.poker.hand_rules import HandRules


class Observation(msgspec.Struct, frozen=True, gc=False):
    """What the seat to act knows. Pairs are indexed by seat, so `stacks[observation.seat]` is the seat's own.

    Attributes:
        seat: The seat to act, 0 or 1.
        button: The seat with the button: small blind, first to act before the flop, last after it.
        hand_number: Number of the hand in its game, from 1.
        street: `preflop`, `flop`, `turn` or `river`.
        cards: The seat's two hole cards, each 0 (2c) to 51 (As).
        board: The open board cards.
        pot: All chips in the pot that the seat can win, including this street's bets. A bet beyond the seat's stack
            counts up to that, since the rest goes back.
        stacks: Chips behind.
        bets: Chips bet on this street.
        starting_stacks: Chips at the start of the hand, before antes and blinds.
        to_call: Chips a call costs, never more than the stack; 0 when checking is free.
        min_raise_to: The smallest legal `raiseTo` amount; 0 if no raise is legal.
        max_raise_to: The largest (all-in); 0 if no raise is legal.
        log: The actions of this hand so far, oldest first.
        rules: Blinds, ante and raise cap of the game.
        previous_error: On a retry, why the last answer was rejected.
    """

    seat: int
    button: int
    hand_number: int
    street: Street
    cards: tuple[int, int]
    board: tuple[int, ...]
    pot: int
    stacks: tuple[int, int]
    bets: tuple[int, int]
    starting_stacks: tuple[int, int]
    to_call: int
    min_raise_to: int
    max_raise_to: int
    log: tuple[LoggedAction, ...]
    rules: HandRules
    previous_error: str | None = None

    @property
    def legal(self) -> LegalActions:
        """The legal actions with exact ranges; `str()` of it is one readable line."""
        return LegalActions(self.to_call, self.min_raise_to, self.max_raise_to)

    @property
    def position(self) -> Literal["button", "big_blind"]:
        """The position of the seat to act."""
        return "button" if self.seat == self.button else "big_blind"

    @property
    def small_blind(self) -> int:
        """The small blind in chips."""
        return self.rules.small_blind

    @property
    def big_blind(self) -> int:
        """The big blind in chips."""
        return self.rules.big_blind

    @property
    def stack(self) -> int:
        """The seat's own chips behind."""
        return self.stacks[self.seat]

    @property
    def opponent_stack(self) -> int:
        """The other seat's chips behind."""
        return self.stacks[1 - self.seat]

    @property
    def pot_odds(self) -> float:
        """Pot odds of a call: to_call / (pot + to_call), the equity that it needs; 0 when checking is free."""
        return self.to_call / (self.pot + self.to_call)

    @property
    def cards_text(self) -> str:
        """The seat's hole cards, such as `"AhKd"`."""
        return cards_to_text(self.cards)

    @property
    def board_text(self) -> str:
        """The board, such as `"2c7dTs"`."""
        return cards_to_text(self.board)


class HandResult(msgspec.Struct, frozen=True, gc=False):
    """What a seat knows once a hand is over. Pairs are indexed by seat.

    Attributes:
        seat: Whose view this is.
        button: The seat that had the button.
        hand_number: Number of the hand in its game, from 1.
        cards: The seat's two hole cards.
        opponent_cards: The other seat's hole cards after a showdown; None after a fold.
        board: The board cards that were dealt.
        log: All actions of the hand.
        starting_stacks: Chips at the start of the hand.
        net: Chips won or lost.
    """

    seat: int
    button: int
    hand_number: int
    cards: tuple[int, int]
    opponent_cards: tuple[int, int] | None
    board: tuple[int, ...]
    log: tuple[LoggedAction, ...]
    starting_stacks: tuple[int, int]
    net: tuple[int, int]


def raise_by_pot(observation: Observation, percent: int) -> Action:
    """Return a raise by `percent` of the pot after a call, or the closest legal raise."""
    facing = observation.bets[observation.seat] + observation.to_call
    amount = facing + (observation.pot + observation.to_call) * percent // 100
    return Action("raiseTo", min(max(amount, observation.min_raise_to), observation.max_raise_to))
