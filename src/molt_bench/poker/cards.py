"""Cards: a card is an int from 0 (2c) to 51 (As), rank * 4 + suit.

>>> cards_from_text("AhKd"), cards_to_text((50, 45))
((50, 45), 'AhKd')
"""

from collections.abc import Iterable
from hashlib import blake2b
from struct import Struct
from typing import Final, TypeAlias

from molt_bench.errors import RulesError
from molt_bench.seeds import Seed, label_bytes

Hole: TypeAlias = tuple[int, int]
Board: TypeAlias = tuple[int, ...]
#: The cards of one hand: those of seat 0 and of seat 1, whoever has the button, so that swapping seats swaps the
#: players' hands and nothing else; then flop, turn and river.
Deal: TypeAlias = tuple[tuple[Hole, Hole], Board]

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
CARD_TEXT: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)

_CARD_OF_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXT)}
_DECK: Final = tuple(range(52))
_SIXTEEN_NUMBERS: Final = Struct("<16I").unpack


def rank_of(card: int) -> int:
    """Return 0 for a deuce up to 12 for an ace."""
    return card >> 2


def suit_of(card: int) -> int:
    """Return 0 to 3 for clubs, diamonds, hearts and spades."""
    return card & 3


def cards_to_text(cards: Iterable[int]) -> str:
    """Write cards without blanks between them, as in `"AhKd"`."""
    return "".join([CARD_TEXT[card] for card in cards])


def cards_from_text(text: str) -> tuple[int, ...]:
    """Read cards written as in `"AhKd"`; blanks between them are fine, the same card twice is not.

    >>> cards_from_text("2c 2d As")
    (0, 1, 51)
    >>> cards_from_text("Ax")
    Traceback (most recent call last):
    molt_bench.errors.RulesError: 'Ax' in 'Ax' is no card: a rank of 23456789TJQKA, then a suit of cdhs
    """
    packed = "".join(text.split())
    pieces = [packed[at : at + 2] for at in range(0, len(packed), 2)]
    for piece in pieces:
        if piece not in _CARD_OF_TEXT:
            raise RulesError(f"{piece!r} in {text!r} is no card: a rank of {RANKS}, then a suit of {SUITS}")
    if len(set(pieces)) != len(pieces):
        raise RulesError(f"a card stands twice in {text!r}")
    return tuple([_CARD_OF_TEXT[piece] for piece in pieces])


def deal_from_text(text: str) -> Deal:
    """Read seat 0's cards, seat 1's cards and the board (none to five cards), as in `"AhAd KsKc 2c7d9h"`.

    >>> deal_from_text("AhAd KsKc 2c")
    (((50, 49), (47, 44)), (0,))
    """
    cards = cards_from_text(text)
    if not 4 <= len(cards) <= 9:
        raise RulesError(f"{text!r} has {len(cards)} cards: expected two for each seat and up to five for the board")
    a, b, c, d, *board = cards
    return ((a, b), (c, d)), tuple(board)


def deal(numbers: tuple[int, ...]) -> Deal:
    """Draw the cards of a hand with nine or more 32-bit numbers; the same numbers give the same cards.

    Each card is drawn from those left: none is likelier than another by more than one part in 80 million.
    """
    a, b, c, d, e, f, g, h, i = numbers[:9]
    take = list(_DECK).pop
    return (
        ((take(a % 52), take(b % 51)), (take(c % 50), take(d % 49))),
        (take(e % 48), take(f % 47), take(g % 46), take(h % 45), take(i % 44)),
    )


class Shoe:
    """The decks of one game: what is dealt in hand k is a function of the seed and k, of nothing else.

    >>> Shoe("s1").deal(7) == Shoe("s1").deal(7) != Shoe("s2").deal(7)
    True
    """

    __slots__ = ("_prefix",)

    def __init__(self, seed: Seed) -> None:
        self._prefix = label_bytes("deck") + label_bytes(seed)

    def numbers(self, hand_number: int) -> tuple[int, ...]:
        """Return the 16 random 32-bit numbers of a hand: nine for its cards, seven for whoever needs dice.

        From BLAKE2b, which gives 64 bytes in half the time of SHA-512.
        """
        return _SIXTEEN_NUMBERS(blake2b(self._prefix + hand_number.to_bytes(8, "big")).digest())

    def deal(self, hand_number: int) -> Deal:
        """Return the cards of a hand."""
        return deal(self.numbers(hand_number))
