"""Hands that were just played: what is analysed right after its game need not be rebuilt from its text."""

from typing import Final

import msgspec

from molt_bench.poker.actions import LoggedAction, Street
from molt_bench.poker.cards import Hole
from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation
from molt_bench.poker.rules import HandRules

#: At least so many are remembered, the latest ones, and at most twice as many: 20 games of 100 hands, some 6 MB.
_LEAST: Final = 2048


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


#: By their texts and the `max_actions` of their games: the latest hands, and the ones before.
_NEW: Final[dict[tuple[str, int], PlayedHand]] = {}
_OLD: Final[dict[tuple[str, int], PlayedHand]] = {}


def remember(text: str, longest: int, hand: Hand, number: int, seen: list[Observation]) -> None:
    """Remember a finished hand.

    Args:
        text: The hand as a line of text, from which the same could be rebuilt.
        longest: The game's `max_actions`, which decides what is legal late in a hand.
        hand: The hand.
        number: Its number in the game.
        seen: What the seat to act saw before each action.
    """
    if len(_NEW) >= _LEAST:
        _OLD.clear()
        _OLD.update(_NEW)
        _NEW.clear()
    betting = hand.betting
    _NEW[text, longest] = PlayedHand(
        number,
        betting.start.rules,
        hand.holes,
        hand.board,
        betting.street,
        betting.start.stacks,
        hand.payoffs,
        betting.folded,
        betting.at_stake,
        betting.log,
        tuple(seen),
    )


def recall(text: str, longest: int) -> PlayedHand | None:
    """Return the hand of a line of text, if it was played in this process a short while ago."""
    return _NEW.get((text, longest)) or _OLD.get((text, longest))


def forget_played() -> None:
    """Forget all hands, for tests and benchmarks."""
    _OLD.clear()
    _NEW.clear()
