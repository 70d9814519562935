"""A finished hand, gone through once: what its luck depends on."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from molt_bench.poker.actions import STREETS, Action, Street
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation, observe
from molt_bench.poker.played import Seen


class Opening(NamedTuple):
    """The first decision on a street after the flop or a later card.

    Attributes:
        pot: The pot, in chips.
        behind: Chips that both seats have behind.
        raised: Whether somebody raised on the street before.
    """

    pot: int
    behind: int
    raised: bool


class Walk:
    """Notes what luck depends on, called before every action of a hand.

    Attributes:
        openings: Flop, turn and river, as far as there was a decision.
        decisions: What the seats of interest saw, and what they did.

    Args:
        seats: Whether the decisions of seat 0, and of seat 1, are of interest.
        longest: The game's `max_actions`: as in the game, nobody may raise after so many.
    """

    __slots__ = ("_longest", "_seats", "_street", "decisions", "openings")

    def __init__(self, seats: Sequence[bool] = (False, False), longest: int | None = None) -> None:
        self.openings: list[Opening] = []
        self.decisions: list[tuple[Observation, Action]] = []
        self._seats = seats
        self._longest = longest
        self._street: Street = STREETS[0]

    @classmethod
    def played(cls, hand: Hand, seen: Sequence[Seen], seats: Sequence[bool]) -> "Walk":
        """Return what is noted of a hand that was just played, from what the seat to act saw before each action."""
        walk, street, raised = cls(seats), STREETS[0], False
        if hand.street == street and not (seats[0] or seats[1]):
            return walk
        for noted, done in zip(seen, hand.log, strict=True):
            each = noted[0] if isinstance(noted, tuple) else noted
            if done.street != street:
                # Nothing has been bet on the street yet.
                walk.openings.append(Opening(each.pot, min(each.stacks), raised))
                street, raised = done.street, False
            if done.kind == "raiseTo":
                raised = True
            if seats[each.seat]:
                # As in a rebuilt hand, without the noise that the agent drew with.
                walk.decisions.append((replace(each, noise=0), Action(done.kind, done.amount)))
        return walk

    @classmethod
    def finished(cls, hand: Hand) -> "Walk":
        """Return what is noted of a finished hand in which no decision is of interest."""
        walk = cls()
        if hand.street != STREETS[0]:
            walk.openings = openings_of(hand)
        return walk

    def step(self, before: Hand, action: Action, number: int) -> None:
        """Note the state of hand `number` before an action."""
        betting = before.betting
        street, log = betting.street, betting.log
        if street != self._street:
            raised = any(done.kind == "raiseTo" and done.street == self._street for done in log)
            self.openings.append(Opening(betting.pot, min(betting.limits), raised))
            self._street = street
        if self._longest is not None and len(log) >= self._longest:
            before.close_raising()
        if self._seats[before.actor]:
            self.decisions.append((observe(before, number), action))


def openings_of(hand: Hand) -> list[Opening]:
    """Read the openings of a finished hand off its log, without playing it again."""
    openings: list[Opening] = []
    ante, (first, second) = hand.rules.ante, hand.starting_stacks
    pot = min(ante, first) + min(ante, second)
    behind = min(first, second) - min(ante, first, second)
    street, matched, raised = STREETS[0], 0, False
    for done in hand.log:
        if done.street != street:
            # Whoever goes on to another street has matched the last bet on this one.
            pot, behind = pot + 2 * matched, behind - matched
            openings.append(Opening(pot, behind, raised))
            street, matched, raised = done.street, 0, False
        if done.amount > matched:
            matched = done.amount
        if done.kind == "raiseTo":
            raised = True
    return openings


def walked(hand: Hand, number: int = 0, seats: Sequence[bool] = (False, False), longest: int | None = None) -> Walk:
    """Go through a finished hand."""
    walk = Walk(seats, longest)
    for before, action in hand.steps():
        walk.step(before, action, number)
    return walk
