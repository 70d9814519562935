"""Cards: a card is an int from 0 (2c) to 51 (As), rank * 4 + suit; suits are in the order of `SUITS`.

>>> cards_from_text("AhKd"), cards_to_text((50, 45))
((50, 45), 'AhKd')
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

from molt_bench.errors import RulesError

Hole: TypeAlias = tuple[int, int]
Board: TypeAlias = tuple[int, ...]
#: The cards of one hand: hole cards of seat 0 and seat 1, wherever the button is, so that swapping seats swaps the
#: players' hands and nothing else; then the board.
Deal: TypeAlias = tuple[tuple[Hole, Hole], Board]

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
CARD_TEXT: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)

_CARD_OF_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXT)}


def rank_of(card: int) -> int:
    """Return the rank: 0 for a deuce to 12 for an ace."""
    return card >> 2


def cards_to_text(cards: Iterable[int]) -> str:
    """Write cards without spaces, such as `"AhKd"`."""
    return "".join([CARD_TEXT[card] for card in cards])


def cards_from_text(text: str) -> tuple[int, ...]:
    """Read cards such as `"AhKd"`, with or without spaces; no card may appear twice.

    Examples:
        >>> cards_from_text("2c 2d As")
        (0, 1, 51)
        >>> cards_from_text("Ax")
        Traceback (most recent call last):
        molt_bench.errors.RulesError: 'Ax' in 'Ax' is not a card: expected a rank of 23456789TJQKA, then a suit of cdhs
    """
    packed = "".join(text.split())
    pieces = [packed[at : at + 2] for at in range(0, len(packed), 2)]
    try:
        cards = tuple([_CARD_OF_TEXT[piece] for piece in pieces])
    except KeyError as error:
        piece = error.args[0]
        expected = f"expected a rank of {RANKS}, then a suit of {SUITS}"
        raise RulesError(f"{piece!r} in {text!r} is not a card: {expected}") from None
    if len(set(cards)) != len(cards):
        raise RulesError(f"{text!r} has a card twice")
    return cards


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
