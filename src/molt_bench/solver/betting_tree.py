"""The betting that is left of a hand from the flop on, as a tree: what may be done, and what each end pays.

Sizes are few: shares of the pot, and all-in. What was really bet is in the tree as well, with its exact size.
"""

from collections.abc import Sequence
from copy import copy
from typing import Final, Literal, NamedTuple, TypeAlias

from molt_bench.poker.actions import CALL, CHECK, FOLD, Action, Street
from molt_bench.poker.hand import Hand

#: A decision; an end by a fold or a showdown; or the point at which the next card is dealt.
PointKind: TypeAlias = Literal["decision", "fold", "showdown", "card"]
#: In place of a raise to this share of the chips behind, in percent, or more, there is only all-in.
COMMITTED: Final = 67
NOBODY: Final = -1


class Menu(NamedTuple):
    """Sizes in percent of the pot after the call, and all-in.

    Attributes:
        sizes: By the number of raises on the street so far; then there is only all-in.
        later: The same on every street after the first.
        current: More sizes for the current decision alone, to which the real actions have led.
        least: Whether the current decision also has the smallest legal raise.
        later_all_in: After the first street, all-in is there up to this share of the pot alone.
    """

    sizes: tuple[tuple[int, ...], ...] = ((50, 100), (100,))
    later: tuple[tuple[int, ...], ...] = ((75,),)
    current: tuple[int, ...] = ()
    least: bool = False
    later_all_in: int = 10**9


class Point(NamedTuple):
    """One point of a tree.

    Attributes:
        kind: What happens there.
        street: Its street.
        seat: Who acts, or who has folded; `NOBODY` otherwise.
        actions: What may be done at a decision, raises last and smallest first.
        children: The points that follow: one for each action, or what follows the next card.
        stake: At an end, the chips that the winner gets from the loser over the whole hand.
    """

    kind: PointKind
    street: Street
    seat: int = NOBODY
    actions: tuple[Action, ...] = ()
    children: tuple[int, ...] = ()
    stake: int = 0


class BettingTree:
    """All that can happen from a decision on, whose hand has any cards.

    Attributes:
        points: Every point; the first is the decision that the tree begins with, and a point comes before those below.
        current: The decision that the `real` actions after the first decision have led to.
    """

    def __init__(self, opening: Hand, menu: Menu, real: Sequence[Action] = (), *, can_raise: bool = True) -> None:
        self.points: list[Point] = []
        self.current = 0
        self._menu, self._street = menu, opening.street
        self._real = tuple(real)
        self._can_raise = can_raise
        self._expand(opening, real=0)

    def _expand(self, hand: Hand, *, real: int) -> int:
        """Add a point and all below it; `real` is the number of real actions that lead here, -1 if none do."""
        number = len(self.points)
        if hand.actor < 0:
            folded = hand.folded >= 0
            stake = abs(hand.payoffs[0]) if folded else hand.at_stake
            self.points.append(Point("fold" if folded else "showdown", hand.street, hand.folded, stake=stake))
            return number
        here = 0 <= real < len(self._real)
        if real == len(self._real):
            self.current = number
            if not self._can_raise:
                hand.close_raising()
        actions = self._offered(hand, self._real[real] if here else None, current=real == len(self._real))
        self.points.append(Point("decision", hand.street, hand.actor, actions))
        children = []
        for action in actions:
            moved = copy(hand)
            moved.apply(action)
            follows = real + 1 if here and self._real[real] == action else -1
            children.append(self._after(hand, moved, real=follows))
        self.points[number] = self.points[number]._replace(children=tuple(children))
        return number

    def _after(self, hand: Hand, moved: Hand, *, real: int) -> int:
        """Add what follows an action: before the river, a call that ends the betting is followed by a card."""
        ended = moved.folded < 0 and (moved.actor < 0 or moved.street != hand.street)
        if not ended or hand.street == "river":
            return self._expand(moved, real=real)
        return self._dealt(hand.street, moved, real=real)

    def _dealt(self, street: Street, moved: Hand, *, real: int) -> int:
        """Add the card that ends a street, and what follows it: the next card at once if somebody is all-in."""
        number = len(self.points)
        self.points.append(Point("card", street))
        if moved.actor < 0 and street == "flop":
            child = self._dealt("turn", moved, real=real)
        else:
            child = self._expand(moved, real=real)
        if self.points[child].kind == "showdown":
            self.points[child] = self.points[child]._replace(street="river")
        self.points[number] = self.points[number]._replace(children=(child,))
        return number

    def _offered(self, hand: Hand, real: Action | None, *, current: bool) -> tuple[Action, ...]:
        """Return what the tree offers at a decision: fold, check or call, and raises, smallest first."""
        first = (FOLD, CALL) if hand.to_call else (CHECK,)
        least, most = hand.raise_range()
        if not most:
            return first
        facing, menu = max(hand.bets), self._menu
        raises = sum(done.kind == "raiseTo" and done.street == hand.street for done in hand.log)
        pot = hand.pot + sum(hand.bets) + hand.to_call
        all_in = max(least, min(most, hand.limits[1 - hand.actor]))
        by_raises = menu.sizes if hand.street == self._street else menu.later
        percents = (by_raises[raises] if raises < len(by_raises) else ()) + (menu.current if current else ())
        sizes = [facing + (pot * percent + 50) // 100 for percent in percents]
        found = {max(size, least) for size in sizes if 100 * size < COMMITTED * all_in}
        if hand.street == self._street or 100 * (all_in - facing) <= menu.later_all_in * pot:
            found.add(all_in)
        if current and menu.least:
            found.add(least)
        if real is not None and real.kind == "raiseTo":
            found.add(real.amount)
        return (*first, *[Action("raiseTo", size) for size in sorted(found)])
