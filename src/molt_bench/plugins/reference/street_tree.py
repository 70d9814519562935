"""The betting on one street, as a small tree: what both seats may do, and what each ending pays.

The seat that is played for has few sizes of its own. The other has many, from the smallest legal raise to three pots,
since it may bet anything. What was really bet is in the tree as well, with its exact size.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from molt_bench.errors import RulesError
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action, Street
from molt_bench.poker.betting import Betting
from molt_bench.poker.hand import Hand

#: Sizes in percent of the pot after the call, by the number of raises on the street so far; then there is only all-in.
#: 0 stands for the smallest legal raise.
Sizes: TypeAlias = tuple[tuple[int, ...], ...]

_MANY: Final = (0, 10, 20, 33, 50, 75, 100, 150, 200, 300)
#: Sizes of the other seat, and of the seat that is played for, by street.
THEIRS: Final[Sizes] = (_MANY, _MANY, (100,))
OWN: Final[dict[Street, Sizes]] = {
    "preflop": ((75, 150), (100,), (100,)),
    "flop": ((33, 75), (75,), (75,)),
    "turn": ((50, 100), (100,), (100,)),
    "river": ((50, 100), (100,), (100,)),
}
#: In place of an own raise to this share of the chips behind, in percent, or more, there is only all-in.
COMMITTED: Final = 67


class OwnAction(NamedTuple):
    """An action: the number of a decision, and the number of the action there."""

    decision: int
    action: int


Before: TypeAlias = tuple[OwnAction | None, OwnAction | None]


class StreetDecision(NamedTuple):
    """A decision on the street.

    Attributes:
        seat: Who acts.
        actions: What may be done.
        before: For either seat its own last decision and the number of the action taken there; None before its first.
        children: The decision that each action leads to; -1 where the street ends.
    """

    seat: int
    actions: tuple[Action, ...]
    before: Before
    children: tuple[int, ...] = ()


class Ending(NamedTuple):
    """An end of the street.

    Attributes:
        before: The last action of either seat; None if it had none.
        folded: The seat that folded; -1 if none has.
        stake: The chips that the winner gets from the loser if there is no further bet.
        behind: The chips that can still be bet on later streets; 0 if the hand is over.
    """

    before: Before
    folded: int
    stake: int
    behind: int


class StreetTree:
    """All that can happen on a street, from a hand before the first action there, whose cards mean nothing.

    Attributes:
        decisions: Every decision; one comes before those below it.
        endings: Every end of the street.
    """

    def __init__(
        self, opening: Hand, sizes: tuple[Sizes, Sizes], real: Sequence[Action] = (), *, can_raise: bool = True
    ) -> None:
        self.decisions: list[StreetDecision] = []
        self.endings: list[Ending] = []
        self._sizes, self._real, self._can_raise = sizes, tuple(real), can_raise
        self._street = opening.street
        self._expand(opening.betting, (None, None), raises=0, real=0)

    def follow(self, actions: Sequence[Action]) -> int:
        """Return the decision that actions lead to; -1 if the tree does not have them."""
        at = 0
        for action in actions:
            here = self.decisions[at]
            at = here.children[here.actions.index(action)] if action in here.actions else -1
            if at < 0:
                return -1
        return at

    def _expand(self, betting: Betting, before: Before, *, raises: int, real: int) -> int:
        """Add a decision and all below it; `real` is the number of real actions that lead here, -1 if none do."""
        number, seat = len(self.decisions), betting.actor
        here = 0 <= real < len(self._real)
        if real == len(self._real) and not self._can_raise:
            betting = betting.without_raises()
        actions = _offered(betting, self._sizes[seat], raises, self._real[real] if here else None)
        self.decisions.append(StreetDecision(seat, actions, before))
        children = []
        for at, action in enumerate(actions):
            own = OwnAction(number, at)
            after = (before[0], own) if seat else (own, before[1])
            moved = betting.after(action.kind, action.amount)
            if moved is None:
                raise RulesError(f"{action.kind} {action.amount} is not legal there")
            if moved.actor >= 0 and moved.street == self._street:
                follows = real + 1 if here and self._real[real] == action else -1
                children.append(self._expand(moved, after, raises=raises + (action.kind == "raiseTo"), real=follows))
                continue
            children.append(-1)
            self.endings.append(_ending(moved, after))
        self.decisions[number] = self.decisions[number]._replace(children=tuple(children))
        return number


def sizes_for(street: Street, seat: int) -> tuple[Sizes, Sizes]:
    """Return the sizes of both seats if one is played for."""
    return (THEIRS, OWN[street]) if seat else (OWN[street], THEIRS)


def _ending(betting: Betting, before: Before) -> Ending:
    if betting.payoffs is not None:
        return Ending(before, betting.folded, abs(betting.payoffs[0]), 0)
    return Ending(before, -1, betting.at_stake, min(betting.stacks) if betting.actor >= 0 else 0)


def _offered(betting: Betting, of_seat: Sizes, raises: int, real: Action | None) -> tuple[Action, ...]:
    """Return what the tree offers at a decision: fold, check or call, and raises, smallest first."""
    first = (FOLD, CALL) if betting.to_call else (CHECK,)
    least, most = betting.min_raise_to, betting.max_raise_to
    if not most:
        return first
    facing = max(betting.bets)
    pot = betting.pot + sum(betting.bets) + betting.to_call
    all_in = max(least, min(most, betting.limits[1 - betting.actor]))
    sizes = [facing + (pot * percent + 50) // 100 for percent in (of_seat[raises] if raises < len(of_seat) else ())]
    most_percent = 100 if of_seat is THEIRS else COMMITTED
    found = {max(size, least) for size in sizes if 100 * size < most_percent * all_in} | {all_in}
    if real is not None and real.kind == "raiseTo":
        found.add(real.amount)
    return (*first, *[Action("raiseTo", size) for size in sorted(found)])
