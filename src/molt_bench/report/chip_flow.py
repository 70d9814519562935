"""The flow of chips in a hand: what was posted, what each action put in, what was returned, who took the pot."""

from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from molt_bench.poker.actions import OPEN_CARDS, STREETS, Street
from molt_bench.poker.hand import NOBODY, Hand

Verb: TypeAlias = Literal["fold", "check", "call", "bet", "raise"]

#: The board cards of each street.
BOARD_OF: Final[dict[Street, slice]] = {
    street: slice(*ends) for street, ends in zip(STREETS, pairwise((0, *OPEN_CARDS.values())), strict=True)
}


class ChipMove(NamedTuple):
    """One action and the chips it moved.

    Attributes:
        added: Chips it put in.
        total: Chips the seat has put in on this street, including this action.
        above: For a bet or raise, by how much it exceeds the bet before it.
        all_in: Whether the seat has no chips left.
    """

    street: Street
    seat: int
    verb: Verb
    added: int
    total: int
    above: int
    all_in: bool


class ChipFlow(msgspec.Struct, frozen=True):
    """Where the chips of a finished hand went, by seat; uncalled chips are returned, the pot is collected."""

    antes: tuple[int, int]
    blinds: tuple[int, int]
    steps: tuple[ChipMove, ...]
    returned: tuple[int, int]
    collected: tuple[int, int]


def chip_flow(hand: Hand) -> ChipFlow:
    """Return where the chips of a finished hand went.

    >>> from molt_bench.poker.notation import hand_from_text
    >>> flow = chip_flow(hand_from_text("1:50/100/0:10000,900:b0:AhKd|7c7d|:r300r900f:-300").hand)
    >>> flow.blinds, flow.returned, flow.collected, flow.steps[1].all_in
    ((50, 100), (0, 600), (0, 600), True)
    """
    rules = hand.rules
    first, second = hand.starting_stacks
    antes = min(rules.ante, first), min(rules.ante, second)
    left = first - antes[0], second - antes[1]
    small, big = rules.small_blind, rules.big_blind
    blinds = (min(big, left[0]), min(small, left[1])) if hand.button else (min(small, left[0]), min(big, left[1]))
    steps, behind = _steps(hand, blinds, left)
    paid = first - behind[0], second - behind[1]
    matched, share = min(paid), _share(hand)
    return ChipFlow(
        antes,
        blinds,
        tuple(steps),
        (paid[0] - matched, paid[1] - matched),
        (matched * share, matched * (2 - share)),
    )


def final_pot(hand: Hand) -> int:
    """Return the size of the pot of a finished hand, without chips that were returned."""
    return 2 * min(hand.chips_in(0), hand.chips_in(1))


def all_in_street(hand: Hand) -> Street | None:
    """Return the street on which a seat was all-in and called; None if that did not happen."""
    return hand.street if hand.folded == NOBODY and 0 in hand.limits else None


def _share(hand: Hand) -> int:
    """Return how many halves of the pot seat 0 takes."""
    if hand.folded != NOBODY:
        return 2 * hand.folded
    first, _ = hand.payoffs
    return 1 + (first > 0) - (first < 0)


def _steps(hand: Hand, blinds: tuple[int, int], left: tuple[int, int]) -> tuple[list[ChipMove], tuple[int, int]]:
    """Read the moves off the log; return them, and what both seats have behind after them, without what they won.

    `left` is what they have before the blinds.
    """
    street, bets, steps = STREETS[0], [*blinds], list[ChipMove]()
    limit, other_limit = left
    for done in hand.log:
        if done.street != street:
            # Whoever goes on to another street has matched the bets of this one.
            street, limit, other_limit, bets = done.street, limit - bets[0], other_limit - bets[1], [0, 0]
        seat, total, kind = done.seat, done.amount, done.kind
        facing = max(bets)
        verb: Verb = ("raise" if facing else "bet") if kind == "raiseTo" else kind
        all_in = total == (other_limit if seat else limit)
        steps.append(ChipMove(street, seat, verb, total - bets[seat], total, total - facing, all_in))
        bets[seat] = total
    return steps, (limit - bets[0], other_limit - bets[1])
