"""What a hand is worth in a public state: the protocol of value functions that estimators can use.

A value function may be wrong: estimators stay unbiased with any, as long as it depends on nothing but the state and the
hole cards asked for. How close it comes decides how much luck is removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from molt_bench.agents.blueprint.state import PublicState
    from molt_bench.poker.cards import Hole
    from molt_bench.poker.equity import Ints
    from molt_bench.poker.range_equity import Floats


class ValueFunction(Protocol):
    """Says what a seat can expect to win in a whole hand, net and in chips, whatever it holds.

    A state is one before a decision, or after a call or check that ended a street and before the next card.
    """

    def hand_values(self, state: PublicState, seat: int) -> Floats:
        """Return the value of every hole of `seat`, by `range_equity.hole_number`; any for holes with a board card."""

    def hand_value(self, state: PublicState, seat: int, hole: Hole) -> float:
        """Return the value of one hole; it shares no card with the board."""

    def board_values(self, state: PublicState, seat: int, hole: Hole, boards: Ints) -> Floats:
        """Return the value of one hole after the next cards, for each of many boards.

        Args:
            state: After the call or check that ended a street.
            seat: The seat with the hole.
            hole: Its cards, none of them on a board.
            boards: One row of cards for each board, with those of `state` first.
        """
