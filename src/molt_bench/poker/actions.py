"""Actions: what a seat may do, and what it did."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["fold", "check", "call", "raiseTo"]
Street: TypeAlias = Literal["preflop", "flop", "turn", "river"]

KINDS: Final[tuple[Kind, ...]] = ("fold", "check", "call", "raiseTo")
STREETS: Final[tuple[Street, ...]] = ("preflop", "flop", "turn", "river")
#: Above this, JSON readers that only have floats would lose chips.
MOST_CHIPS: Final = 2**53
#: How `molt_bench.poker.notation` writes actions; a raise is an `r` and its amount.
LETTERS: Final[Mapping[Kind, str]] = {"fold": "f", "check": "k", "call": "c"}
#: How many board cards are open on each street.
OPEN_CARDS: Final[Mapping[Street, int]] = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}


class Action(msgspec.Struct, frozen=True, gc=False):
    """An agent's answer.

    Attributes:
        kind: `fold`, `check`, `call` or `raiseTo` (an opening bet is a `raiseTo`, too).
        amount: For `raiseTo`, the seat's total bet on this street after the raise, in chips; otherwise unused.
    """

    kind: Kind
    amount: int = 0

    @staticmethod
    def fold() -> "Action":
        """Give up the hand. Legal even when checking is free."""
        return FOLD

    @staticmethod
    def check() -> "Action":
        """Pass without betting. Legal when there is nothing to call."""
        return CHECK

    @staticmethod
    def call() -> "Action":
        """Match the bet, or go all-in for less."""
        return CALL

    @staticmethod
    def raise_to(amount: int) -> "Action":
        """Bet or raise to a total of `amount` chips on this street."""
        return Action("raiseTo", amount)


FOLD: Final = Action("fold")
CHECK: Final = Action("check")
CALL: Final = Action("call")


class LoggedAction(msgspec.Struct, frozen=True, gc=False):
    """One action of a hand, as both seats saw it.

    Attributes:
        street: The street it was taken on.
        seat: The seat that took it, 0 or 1.
        kind: The kind of action.
        amount: The seat's total bet on this street afterwards, in chips.
    """

    street: Street
    seat: int
    kind: Kind
    amount: int


class LegalActions(msgspec.Struct, frozen=True, gc=False):
    """Everything the seat to act may do.

    Attributes:
        to_call: Chips a call costs, never more than the stack; 0 when checking is free.
        min_raise_to: The smallest legal `raiseTo` amount; 0 if no raise is legal.
        max_raise_to: The largest (all-in); 0 if no raise is legal.

    Examples:
        >>> print(LegalActions(300, 600, 9000))
        fold, call (300), raiseTo 600..9000
    """

    to_call: int
    min_raise_to: int
    max_raise_to: int

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The legal kinds of action, fold first."""
        passive: tuple[Kind, ...] = ("fold", "call") if self.to_call else ("fold", "check")
        return (*passive, "raiseTo") if self.max_raise_to else passive

    def allows(self, action: Action) -> bool:
        """Return whether `action` is legal."""
        if action.kind == "raiseTo":
            amount = action.amount
            return type(amount) is int and 0 < self.min_raise_to <= amount <= self.max_raise_to
        return action.kind in self.kinds

    def __str__(self) -> str:
        passive = f"call ({self.to_call})" if self.to_call else "check"
        if not self.max_raise_to:
            return f"fold, {passive}"
        if self.min_raise_to == self.max_raise_to:
            return f"fold, {passive}, raiseTo {self.max_raise_to} (all-in)"
        return f"fold, {passive}, raiseTo {self.min_raise_to}..{self.max_raise_to}"
