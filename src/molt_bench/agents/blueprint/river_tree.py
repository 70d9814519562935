"""The betting that is left on a river, as a small tree: what both seats may still do, and what each ending pays.

A first bet is half the pot, the pot or all-in; a raise is the pot or all-in. What was really bet on the river is in the
tree as well, with its exact size.
"""

from collections.abc import Sequence
from copy import copy
from typing import Final, NamedTuple

from molt_bench.poker.actions import CALL, CHECK, FOLD, Action, LoggedAction
from molt_bench.poker.hand import Hand

#: Sizes in percent of the pot after the call, for each number of raises so far. After that there is only all-in.
SIZES: Final = ((50, 100), (100,), (100,))
#: In place of a raise to this share of the chips behind, in percent, or more, there is only all-in.
COMMITTED: Final = 67


class RiverDecision(NamedTuple):
    """A decision on the river.

    Attributes:
        seat: Who acts.
        actions: What may be done.
        before: For either seat its own last decision and the number of the action taken there; None before its first.
    """

    seat: int
    actions: tuple[Action, ...]
    before: "tuple[OwnAction | None, OwnAction | None]"


class OwnAction(NamedTuple):
    """An action: the number of a decision, and the number of the action there."""

    decision: int
    action: int


class Ending(NamedTuple):
    """An end of the hand.

    Attributes:
        before: The last action of either seat; None if it had none.
        folded: The seat that folded; -1 at a showdown.
        stake: The chips that the winner gets from the loser.
    """

    before: tuple[OwnAction | None, OwnAction | None]
    folded: int
    stake: int


class RiverTree:
    """All that can happen on a river, from a hand before the first action there, whose cards mean nothing.

    Attributes:
        decisions: Every decision; one comes before those below it.
        endings: Every end of the hand.
        current: The number of the decision that the real `actions` have led to.
    """

    def __init__(self, opening: Hand, actions: Sequence[LoggedAction], *, can_raise: bool) -> None:
        self.decisions: list[RiverDecision] = []
        self.endings: list[Ending] = []
        self.current = 0
        self._real = tuple([Action(done.kind, done.amount) for done in actions])
        self._can_raise = can_raise
        self._expand(opening, (None, None), raises=0, real=0)

    def _expand(self, hand: Hand, before: tuple[OwnAction | None, OwnAction | None], *, raises: int, real: int) -> None:
        """Add a decision and all below it; `real` is the number of real actions that lead here, -1 if none do."""
        number, seat = len(self.decisions), hand.actor
        here = 0 <= real < len(self._real)
        if real == len(self._real):
            self.current = number
            if not self._can_raise:
                hand.close_raising()
        actions = offered(hand, raises, self._real[real] if here else None)
        self.decisions.append(RiverDecision(seat, actions, before))
        for at, action in enumerate(actions):
            own = OwnAction(number, at)
            after = (before[0], own) if seat else (own, before[1])
            moved = copy(hand)
            moved.apply(action)
            if moved.actor < 0:
                stake = abs(moved.payoffs[0]) if moved.folded >= 0 else moved.at_stake
                self.endings.append(Ending(after, moved.folded, stake))
                continue
            follows = real + 1 if here and self._real[real] == action else -1
            self._expand(moved, after, raises=raises + (action.kind == "raiseTo"), real=follows)


def offered(hand: Hand, raises: int, real: Action | None) -> tuple[Action, ...]:
    """Return what the tree offers at a decision: fold, check or call, and raises, smallest first."""
    first = (FOLD, CALL) if hand.to_call else (CHECK,)
    least, most = hand.raise_range()
    if not most:
        return first
    facing = max(hand.bets)
    pot = hand.pot + sum(hand.bets) + hand.to_call
    all_in = max(least, min(most, hand.limits[1 - hand.actor]))
    sizes = [facing + (pot * percent + 50) // 100 for percent in (SIZES[raises] if raises < len(SIZES) else ())]
    found = {max(size, least) for size in sizes if 100 * size < COMMITTED * all_in} | {all_in}
    if real is not None and real.kind == "raiseTo":
        found.add(real.amount)
    return (*first, *[Action("raiseTo", size) for size in sorted(found)])
