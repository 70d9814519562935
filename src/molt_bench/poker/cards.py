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
_fresh_deck: Final = list(range(52)).copy
_NINE_NUMBERS: Final = Struct("<9I").unpack_from


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


def deal(entropy: bytes) -> Deal:
    """Draw the cards of a hand with 36 or more random bytes; the same bytes give the same cards.

    Each card is drawn from those left with 32 bits: none is likelier than another by more than one part in 80 million.
    """
    a, b, c, d, e, f, g, h, i = _NINE_NUMBERS(entropy)
    # Fisher-Yates, written out since it runs for every hand: take a card, and move the last one left to its place.
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
    """The decks of one game: what is dealt in hand k is a function of the seed and k, of nothing else.

    >>> Shoe("s1").deal(7) == Shoe("s1").deal(7) != Shoe("s2").deal(7)
    True
    """

    __slots__ = ("_prefix",)

    def __init__(self, seed: Seed) -> None:
        self._prefix = label_bytes("deck") + label_bytes(seed)

    def entropy(self, hand_number: int) -> bytes:
        """Return the 64 random bytes of a hand: 36 for its cards, 28 for whoever needs dice.

        From BLAKE2b, which gives them in half the time of SHA-512.
        """
        return blake2b(self._prefix + hand_number.to_bytes(8, "big")).digest()

    def deal(self, hand_number: int) -> Deal:
        """Return the cards of a hand."""
        return deal(blake2b(self._prefix + hand_number.to_bytes(8, "big")).digest())
