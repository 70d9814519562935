"""The luck of the cards in one hand: what the board still to come was worth, and how each card moved the equities."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from molt_bench.luck.equities import street_equities
from molt_bench.poker.actions import Action
from molt_bench.poker.hand import Hand

#: What is dealt, in this order.
DEALT: Final = ("holes", "flop", "turn", "river")
#: Board cards that are open when the last decision fell on a street.
_OPEN_CARDS: Final = {"preflop": 0, "flop": 3, "turn": 4, "river": 5}


class ChanceTerm(NamedTuple):
    """One deal of cards before the last decision.

    Attributes:
        dealt: 0 for the holes, then 1 to 3 for flop, turn and river.
        pot: Chips in the middle before it; before the holes, those that blinds and antes are going to be.
        behind: Chips behind that both seats have before it.
        change: By how much it moved seat 0's equity.
    """

    dealt: int
    pot: int
    behind: int
    change: float


class HandLuck(msgspec.Struct, frozen=True, gc=False):
    """What the cards did in one hand, for seat 0 and in chips.

    Attributes:
        raw: Net chips.
        all_in: The same with the run-out replaced by its mean once nothing was left to decide.
        terms: The cards that were dealt before that.
        equities: Seat 0's equity before the flop, and on every street that was opened.
    """

    raw: int
    all_in: float
    terms: tuple[ChanceTerm, ...]
    equities: tuple[float, ...]


def hand_luck(hand: Hand) -> HandLuck:
    """Look at a finished hand in hindsight, both seats' cards open."""
    decided_on = _OPEN_CARDS[hand.street]
    equities = street_equities(hand.holes, hand.board[:decided_on])
    raw = hand.payoffs[0]
    all_in = float(raw)
    if hand.folded < 0 and decided_on < 5:
        all_in = (2 * equities[-1] - 1) * chips_at_stake(hand)
    return HandLuck(raw, all_in, tuple(_terms(hand, equities)), equities)


def chips_at_stake(hand: Hand) -> int:
    """Return the chips each seat wins or loses at the showdown of a finished hand; uncalled ones are not among them.

    A seat too short for the ante plays for what it has, hence the smaller of the two.
    """
    return min(hand.starting_stacks[0] - hand.limits[0], hand.starting_stacks[1] - hand.limits[1])


def replayed(hand: Hand) -> Iterator[tuple[Hand, Action]]:
    """Play a finished hand again: yield it before every decision, each time with the action that followed."""
    again = Hand(hand.rules, (hand.holes, hand.runout), hand.starting_stacks, button=hand.button)
    for done in hand.log:
        action = Action(done.kind, done.amount)
        yield again, action
        again.apply(action)


def _terms(hand: Hand, equities: tuple[float, ...]) -> Iterator[ChanceTerm]:
    rules, shorter = hand.rules, min(hand.starting_stacks)
    blinds = min(rules.small_blind + rules.big_blind + 2 * rules.ante, 2 * shorter)
    yield ChanceTerm(0, blinds, shorter, equities[0] - 0.5)
    dealt = 0
    for before, _ in replayed(hand):
        if before.board and len(before.board) - 2 > dealt:
            # The first decision on a new street: what lies in the middle was there before the card.
            dealt = len(before.board) - 2
            yield ChanceTerm(dealt, before.pot, min(before.limits), equities[dealt] - equities[dealt - 1])
