"""The steps of a hand: its actions again, with what the table showed before each."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from molt_bench.poker.actions import Action, LoggedAction
from molt_bench.poker.hand import Hand, HandRules

#: Cards to play a hand again with; which ones does not matter to its betting.
_ANY_DEAL: Final = (((0, 1), (2, 3)), (4, 5, 6, 7, 8))


class TableStep(NamedTuple):
    """One action, and what the table showed before it."""

    action: LoggedAction
    to_call: int  # chips a call cost
    raises: int  # earlier bets and raises on the street, without the blinds
    may_raise: bool


def table_steps(
    rules: HandRules, starting_stacks: tuple[int, int], button: int, log: Sequence[LoggedAction]
) -> list[TableStep]:
    """Return the actions of a hand, each with what the table showed before it."""
    hand = Hand(rules, _ANY_DEAL, starting_stacks, button)
    found, street, raises = [], "preflop", 0
    for action in log:
        if action.street != street:
            street, raises = action.street, 0
        found.append(TableStep(action, hand.to_call, raises, hand.raise_range()[1] > 0))
        raises += action.kind == "raiseTo"
        hand.apply(Action(action.kind, action.amount if action.kind == "raiseTo" else 0))
    return found
