"""Hands that were just played: what is analysed right after its game need not be rebuilt from its text."""

from collections import OrderedDict
from typing import Final

import msgspec

from molt_bench.poker.actions import LoggedAction, Street
from molt_bench.poker.cards import Hole
from molt_bench.poker.hand import Hand, HandRules
from molt_bench.poker.observation import Observation

#: How many are remembered, the latest ones: 20 games of 100 hands, some 6 MB.
_MOST: Final = 2048


class PlayedHand(msgspec.Struct, frozen=True, gc=False):
    """A finished hand, with the attributes of `Hand` that luck depends on.

    It holds plain values alone, so that Python's garbage collector need not look at thousands of them.

    Attributes:
        number: The number of the hand in its game, from 1.
        seen: What the seat to act saw before each action.
    """

    number: int
    rules: HandRules
    holes: tuple[Hole, Hole]
    board: tuple[int, ...]
    street: Street
    starting_stacks: tuple[int, int]
    payoffs: tuple[int, int]
    folded: int
    at_stake: int
    log: tuple[LoggedAction, ...]
    seen: tuple[Observation, ...]


_PLAYED: Final[OrderedDict[tuple[str, int], PlayedHand]] = OrderedDict()


def remember(text: str, longest: int, hand: Hand, number: int, seen: list[Observation]) -> None:
    """Remember a finished hand.

    Args:
        text: The hand as a line of text, from which the same could be rebuilt.
        longest: The game's `max_actions`, which decides what is legal late in a hand.
        hand: The hand.
        number: Its number in the game.
        seen: What the seat to act saw before each action.
    """
    _PLAYED[text, longest] = PlayedHand(
        number,
        hand.rules,
        hand.holes,
        hand.board,
        hand.street,
        hand.starting_stacks,
        hand.payoffs,
        hand.folded,
        hand.at_stake,
        tuple(hand.log),
        tuple(seen),
    )
    if len(_PLAYED) > _MOST:
        _PLAYED.popitem(last=False)


def recall(text: str, longest: int) -> PlayedHand | None:
    """Return the hand of a line of text, if it was played in this process a short while ago."""
    return _PLAYED.get((text, longest))


def forget_played() -> None:
    """Forget all hands, for tests and benchmarks."""
    _PLAYED.clear()
