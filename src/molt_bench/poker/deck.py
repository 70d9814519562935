"""Decks: the cards of a hand are drawn straight from a hash of the seed and the number of the hand."""

from hashlib import blake2b
from struct import Struct
from typing import Final

from molt_bench.poker.cards import Deal
from molt_bench.seeds import Seed, label_bytes

_LABEL: Final = label_bytes("deck")
_fresh_deck: Final = list(range(52)).copy
_NUMBER: Final = Struct(">Q").pack
_NINE_NUMBERS: Final = Struct("<9I").unpack_from


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

    __slots__ = ("_begun",)

    def __init__(self, seed: Seed) -> None:
        #: BLAKE2b takes half the time of SHAKE-128, and to go on with a copy takes less than to begin anew.
        self._begun = blake2b(_LABEL + label_bytes(seed)).copy

    def entropy(self, hand_number: int) -> bytes:
        """Return the 64 random bytes of a hand, of which its cards take 36."""
        mixed = self._begun()
        mixed.update(_NUMBER(hand_number))
        return mixed.digest()

    def entropies(self, count: int) -> bytes:
        """Return the random bytes of the hands from 0 on, one after another."""
        begun, found = self._begun, []
        for number in range(count):
            mixed = begun()
            mixed.update(_NUMBER(number))
            found.append(mixed.digest())
        return b"".join(found)

    def deal(self, hand_number: int) -> Deal:
        """Return the cards of a hand."""
        return deal(self.entropy(hand_number))
