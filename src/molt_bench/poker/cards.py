"""Cards: a card is an int from 0 (2c) to 51 (As), rank * 4 + suit; suits are in the order of `SUITS`.

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
#: The cards of one hand: hole cards of seat 0 and seat 1, whoever has the button, so that swapping seats swaps the
#: players' hands and nothing else; then the board.
Deal: TypeAlias = tuple[tuple[Hole, Hole], Board]

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
CARD_TEXT: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)

_CARD_OF_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXT)}
_fresh_deck: Final = list(range(52)).copy
_NINE_NUMBERS: Final = Struct("<9I").unpack_from


def rank_of(card: int) -> int:
    """Return the rank: 0 for a deuce to 12 for an ace."""
    return card >> 2


def cards_to_text(cards: Iterable[int]) -> str:
    """Write cards without spaces, such as `"AhKd"`."""
    return "".join([CARD_TEXT[card] for card in cards])


def cards_from_text(text: str) -> tuple[int, ...]:
    """Read cards such as `"AhKd"`, with or without spaces; no card may appear twice.

    >>> cards_from_text("2c 2d As")
    (0, 1, 51)
    >>> cards_from_text("Ax")
    Traceback (most recent call last):
    molt_bench.errors.RulesError: 'Ax' in 'Ax' is not a card: expected a rank of 23456789TJQKA, then a suit of cdhs
    """
    packed = "".join(text.split())
    pieces = [packed[at : at + 2] for at in range(0, len(packed), 2)]
    for piece in pieces:
        if piece not in _CARD_OF_TEXT:
            raise RulesError(f"{piece!r} in {text!r} is not a card: expected a rank of {RANKS}, then a suit of {SUITS}")
    if len(set(pieces)) != len(pieces):
        raise RulesError(f"{text!r} has a card twice")
    return tuple([_CARD_OF_TEXT[piece] for piece in pieces])


def deal_from_text(text: str) -> Deal:
    """Read the hole cards of seats 0 and 1 and up to five board cards, such as `"AhAd KsKc 2c7d9h"`.

    >>> deal_from_text("AhAd KsKc 2c")
    (((50, 49), (47, 44)), (0,))
    """
    cards = cards_from_text(text)
    if not 4 <= len(cards) <= 9:
        raise RulesError(f"{text!r} has {len(cards)} cards: expected two for each seat and up to five for the board")
    a, b, c, d, *board = cards
    return ((a, b), (c, d)), tuple(board)


def deal(entropy: bytes) -> Deal:
    """Deal a hand from 36 or more random bytes; the same bytes give the same cards.

    Each card is drawn with 32 bits from those left, so no card is likelier than another by over one part in 80 million.
    """
    a, b, c, d, e, f, g, h, i = _NINE_NUMBERS(entropy)
    # Fisher-Yates, unrolled since it runs for every hand: take a card, and move the last one left into its place.
    deck = _fresh_deck()
    a %= 52
    first = deck[a]
    deck[a] = 51
    b %= 51
    second = deck[b]
    deck[b] = deck[50]
    c %= 50
    third = deck[c]
    deck[c] = deck[49]
    d %= 49
    fourth = deck[d]
    deck[d] = deck[48]
    e %= 48
    fifth = deck[e]
    deck[e] = deck[47]
    f %= 47
    sixth = deck[f]
    deck[f] = deck[46]
    g %= 46
    seventh = deck[g]
    deck[g] = deck[45]
    h %= 45
    eighth = deck[h]
    deck[h] = deck[44]
    return ((first, second), (third, fourth)), (fifth, sixth, seventh, eighth, deck[i % 44])


class Shoe:
    """The decks of one game: the cards of hand k depend on the seed and on k, and on nothing else.

    >>> Shoe("s1").deal(7) == Shoe("s1").deal(7) != Shoe("s2").deal(7)
    True
    """

    __slots__ = ("_prefix",)

    def __init__(self, seed: Seed) -> None:
        self._prefix = label_bytes("deck") + label_bytes(seed)

    def entropy(self, hand_number: int) -> bytes:
        """Return the 64 random bytes of a hand: 36 for its cards, 28 for dice.

        BLAKE2b takes half the time of SHA-512.
        """
        return blake2b(self._prefix + hand_number.to_bytes(8, "big")).digest()

    def deal(self, hand_number: int) -> Deal:
        """Return the cards of a hand."""
        return deal(blake2b(self._prefix + hand_number.to_bytes(8, "big")).digest())
