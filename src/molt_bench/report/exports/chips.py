"""Where the chips of a hand went: what was posted, what each action put in, what came back, who took the pot."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from molt_bench.poker.actions import OPEN_CARDS, STREETS, Street
from molt_bench.poker.hand import NOBODY, Hand

Verb: TypeAlias = Literal["fold", "check", "call", "bet", "raise"]

#: Where the board cards of a street begin and end.
BOARD_OF: Final[dict[Street, slice]] = {
    street: slice(*ends) for street, ends in zip(STREETS, pairwise((0, *OPEN_CARDS.values())), strict=True)
}


class Step(NamedTuple):
    """One action.

    Attributes:
        street: When.
        seat: Who.
        verb: What it is called at a table.
        added: Chips it put in.
        total: Chips of the seat on this street after it.
        above: For a bet or raise: by how much it exceeds what was there.
        all_in: Whether no chips are left behind.
    """

    street: Street
    seat: int
    verb: Verb
    added: int
    total: int
    above: int
    all_in: bool


class ChipFlow(msgspec.Struct, frozen=True):
    """All chips of a finished hand, by seat.

    Attributes:
        antes: Posted before the blinds.
        blinds: Posted as blinds.
        steps: The actions.
        returned: Not called, so given back.
        collected: Taken from the pot.
    """

    antes: tuple[int, int]
    blinds: tuple[int, int]
    steps: tuple[Step, ...]
    returned: tuple[int, int]
    collected: tuple[int, int]

    @property
    def pot(self) -> int:
        """What there was to win."""
        return sum(self.collected)


def chip_flow(hand: Hand) -> ChipFlow:
    """Follow the chips of a finished hand.

    >>> from molt_bench.poker.notation import hand_from_text
    >>> flow = chip_flow(hand_from_text("1:50/100/0:10000,900:b0:AhKd|7c7d|:r300r900f:-300").hand)
    >>> flow.blinds, flow.returned, flow.collected, flow.steps[1].all_in
    ((50, 100), (0, 600), (0, 600), True)
    """
    rules, button = hand.rules, hand.button
    antes = [min(rules.ante, stack) for stack in hand.starting_stacks]
    left = [stack - ante for stack, ante in zip(hand.starting_stacks, antes, strict=True)]
    blinds = [min(rules.small_blind if seat == button else rules.big_blind, left[seat]) for seat in (0, 1)]
    steps = tuple(_steps(hand))
    paid = [antes[seat] + blinds[seat] + sum([step.added for step in steps if step.seat == seat]) for seat in (0, 1)]
    matched = min(paid)
    share = _share(hand)
    return ChipFlow(
        (antes[0], antes[1]),
        (blinds[0], blinds[1]),
        steps,
        (paid[0] - matched, paid[1] - matched),
        (matched * share, matched * (2 - share)),
    )


def all_in_street(hand: Hand) -> Street | None:
    """Return the street on which a seat was all-in and called, so that nothing was left to decide."""
    return hand.street if hand.folded == NOBODY and 0 in hand.limits else None


def _share(hand: Hand) -> int:
    """Return how many halves of the pot seat 0 takes."""
    if hand.folded != NOBODY:
        return 2 * hand.folded
    first, _ = hand.payoffs
    return 1 + (first > 0) - (first < 0)


def _steps(hand: Hand) -> Iterator[Step]:
    for before, action in hand.steps():
        seat, total, facing = before.actor, action.amount, max(before.bets)
        verb: Verb = ("raise" if facing else "bet") if action.kind == "raiseTo" else action.kind
        all_in = total == before.limits[seat]
        yield Step(before.street, seat, verb, total - before.bets[seat], total, total - facing, all_in)
