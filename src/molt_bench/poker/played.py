"""Hands that were just played: what is analysed right after its game need not be rebuilt from its text."""

from typing import Any, Final, TypeAlias

from molt_bench.poker.hand import Hand
from molt_bench.poker.observation import Observation

#: What the seat to act saw before an action; with its policy, where that was worked out for the action.
Seen: TypeAlias = Observation | tuple[Observation, Any]
#: A finished hand: its number in the game, from 1; the hand; and what was seen before each action.
PlayedHand: TypeAlias = tuple[int, Hand, list[Seen]]

#: So many are remembered, some 15 MB, and none of a game that has more. Whoever has used them should forget them, since
#: what is played next then stays in the processor's cache.
MOST_PLAYED: Final = 8192

#: The hands of games, by their texts and the `max_actions` of the game.
_GAMES: Final[dict[tuple[tuple[str, ...], int], list[PlayedHand]]] = {}


class Notes:
    """What is noted of a game while it is played.

    Attributes:
        hands: The finished hands.
        seen: What was seen in the hand under way.
    """

    __slots__ = ("hands", "seen")

    def __init__(self) -> None:
        self.hands: list[PlayedHand] = []
        self.seen: list[Seen] = []


def remember(texts: tuple[str, ...], longest: int, hands: list[PlayedHand]) -> None:
    """Remember the hands of a finished game.

    Args:
        texts: The hands as lines of text, from which the same could be rebuilt.
        longest: The game's `max_actions`, which decides what is legal late in a hand.
        hands: The hands.
    """
    _GAMES[texts, longest] = hands
    kept = sum(map(len, _GAMES.values()))
    while kept > MOST_PLAYED:
        kept -= len(_GAMES.pop(next(iter(_GAMES))))


def recall(texts: tuple[str, ...], longest: int) -> list[PlayedHand] | None:
    """Return the hands of a game by its texts, if it was played in this process a short while ago."""
    return _GAMES.get((texts, longest))


def forget(texts: tuple[str, ...], longest: int) -> None:
    """Forget the hands of a game."""
    _GAMES.pop((texts, longest), None)


def forget_played() -> None:
    """Forget all hands, for tests and benchmarks."""
    _GAMES.clear()
