"""The dice of the bench, with which it draws from the mixes of agents.

A number is labelled by the seed of the decks, the hand, the decision, the seat and its player: so a draw depends on no
draw before it, and two copies of an agent that swap seats do not mirror each other.
"""

from hashlib import blake2b
from struct import Struct
from typing import Final

from msgspec import UNSET

from molt_bench.seeds import label_bytes
from molt_bench.specs import GameSpec

#: Decisions whose numbers come from one hash.
_AT_ONCE: Final = 4
_unpack: Final = Struct("<8Q").unpack
_place: Final = Struct(">QQ").pack


class Dice:
    """The dice of one game."""

    __slots__ = ("_begun", "_latest", "_numbers")

    def __init__(self, spec: GameSpec) -> None:
        named = spec.players if spec.dice_names is UNSET else spec.dice_names
        players = named if spec.seating == "AB" else named[::-1]
        labels = [("mix", spec.decks, seat, ascii(name)) for seat, name in enumerate(players)]
        self._begun = [blake2b(b"".join(map(label_bytes, each))).copy for each in labels]
        #: Of each seat: the hand and the block of decisions that its latest numbers are for, and these.
        self._latest = [(-1, -1), (-1, -1)]
        self._numbers: list[tuple[int, ...]] = [(), ()]

    def throw(self, seat: int, hand: int, decision: int) -> tuple[int, int]:
        """Return two random numbers of 64 bits for the draw of `seat` after so many actions of a hand."""
        place = hand, decision // _AT_ONCE
        if self._latest[seat] != place:
            mixed = self._begun[seat]()
            mixed.update(_place(*place))
            self._latest[seat], self._numbers[seat] = place, _unpack(mixed.digest())
        at = decision % _AT_ONCE * 2
        numbers = self._numbers[seat]
        return numbers[at], numbers[at + 1]
