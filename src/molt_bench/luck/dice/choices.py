"""What a policy could do at a moment of a hand, also at one that never came, and which of it was done."""

from collections.abc import Sequence
from itertools import islice
from math import fsum
from typing import NamedTuple, Protocol

from molt_bench.agents.base import Policy, PolicyOf, Sizes
from molt_bench.luck.dice.chances import TOLERANCE
from molt_bench.luck.dice.raise_sizes import Sized, few_sizes
from molt_bench.luck.dice.stated_policy import MOST_ENTRIES, StatedPolicy
from molt_bench.poker.actions import OPEN_CARDS, Kind
from molt_bench.poker.betting import Betting
from molt_bench.poker.cards import Board, Hole
from molt_bench.poker.observation import Observation, observe


class _Seen(NamedTuple):
    """A moment of a hand that need not have happened, as `observe` looks at it."""

    betting: Betting
    holes: tuple[Hole, Hole]
    board: Board


class Part(NamedTuple):
    """What a policy could do; sizes that are put together count as their mean, and the first that holds a size counts.

    Attributes:
        kind: The kind of action.
        low: The least size of a raise; 0 for other actions.
        high: The greatest.
        size: The one that stands for them.
        chance: Its probability.
    """

    kind: Kind
    low: int
    high: int
    size: int
    chance: float


def asked_at(
    policy: PolicyOf, betting: Betting, number: int, holes: tuple[Hole, Hole], board: Board
) -> Sequence[tuple[Part, Betting]]:
    """Ask a policy what it could do at a moment that need not have happened; return that, and the moments after it.

    Nothing if it fails, or if what it says cannot be right: foreign code may raise or return anything. How often that
    happens is counted with a policy that is an agent's own word.
    """
    try:
        found = [
            (part, betting.after(part.kind, part.size))
            for part in parts_of(policy(observed(betting, number, holes, board)), betting)
        ]
    except Exception:
        found = []
    possible = [(part, after) for part, after in found if after is not None]
    if found and len(possible) == len(found):
        return possible
    if isinstance(policy, StatedPolicy):
        policy.unanswered += 1
    return ()


def observed(betting: Betting, number: int, holes: tuple[Hole, Hole], board: Board) -> Observation:
    """Return what the seat to act sees at a moment that need not have happened; `board` has all five cards."""
    return observe(_Seen(betting, holes, board[: OPEN_CARDS[betting.street]]), number)


def _legal(low: object, high: object, betting: Betting) -> bool:
    """Return whether these are sizes that may be raised to; foreign code may name anything."""
    if type(low) is not int or type(high) is not int:
        return False
    return 0 < betting.min_raise_to <= low <= high <= betting.max_raise_to


def parts_of(policy: Policy, betting: Betting) -> Sequence[Part]:
    """Return what a policy could do at a moment, with few sizes of raises; nothing if it cannot be right."""
    chances: dict[Kind, float] = {}
    raises: list[Sized] = []
    for choice, stated in islice(policy, MOST_ENTRIES + 1):
        if not stated >= -TOLERANCE:
            return ()
        chance = float(stated)  # of any type that is a number, such as those of numpy
        if isinstance(choice, Sizes):
            raises.append((choice.low, choice.high, chance))
        elif choice.kind == "raiseTo":
            raises.append((choice.amount, choice.amount, chance))
        else:
            chances[choice.kind] = chances.get(choice.kind, 0.0) + chance
    if len(chances) + len(raises) > MOST_ENTRIES or not all(_legal(low, high, betting) for low, high, _ in raises):
        return ()
    parts = [Part(kind, 0, 0, 0, chance) for kind, chance in chances.items()]
    parts += [Part("raiseTo", *each) for each in few_sizes(raises, betting)] if raises else []
    return () if abs(fsum([part.chance for part in parts]) - 1) > TOLERANCE else parts


class _Drawable(Protocol):
    """What can be drawn: an action, or raises of some sizes."""

    @property
    def kind(self) -> Kind:
        """The kind of action."""

    @property
    def low(self) -> int:
        """The least size of a raise; 0 for other actions."""

    @property
    def high(self) -> int:
        """The greatest."""


def drawn(choices: Sequence[_Drawable], kind: Kind, amount: int) -> int | None:
    """Return which of some choices was drawn; None if none of them was."""
    size = amount if kind == "raiseTo" else 0
    for at, each in enumerate(choices):
        if each.kind == kind and each.low <= size <= each.high:
            return at
    return None
