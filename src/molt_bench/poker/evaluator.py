"""The hand evaluator: five to seven cards in, strength out, by lookup tables shipped with the package.

Every rank has a key such that the sum of the keys of seven cards identifies their multiset of ranks, so a hand
without a flush takes one table lookup. The same sum counts the suits, four bits each; five or more cards of one
suit set the high bit. `scripts/build_tables.py` builds the tables.

>>> from molt_bench.poker.cards import cards_from_text
>>> category(strength(cards_from_text("AhKhQhJhTh 2c 2d")))
'straight flush'
"""

import os
import sys
from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from molt_bench.errors import RulesError
from molt_bench.kernels import compiled

#: Sums of seven of these, none used more than four times, are all different (the smallest such keys, found greedily).
RANK_KEYS: Final = (0, 1, 5, 22, 98, 453, 2031, 8698, 22854, 83661, 262349, 636345, 1479181)
#: The entry for a sum of keys s is at s + offset[s >> ROW_BITS]: a sparse table whose rows fill each other's gaps.
ROW_BITS: Final = 10
TABLES_PATH: Final = os.path.join(os.path.dirname(__file__), "strength.bin")

#: The number of strengths, and the weakest strength of each category.
STRENGTHS: Final = 7462
CATEGORIES: Final = (
    (1, "high card"),
    (1278, "pair"),
    (4138, "two pair"),
    (4996, "three of a kind"),
    (5854, "straight"),
    (5864, "flush"),
    (7141, "full house"),
    (7297, "four of a kind"),
    (7453, "straight flush"),
)

#: What a card adds to the key of a hand: its rank's key from bit 16 up, and one in its suit's counter below.
CARD_KEYS: Final = tuple((RANK_KEYS[card >> 2] << 16) + (1 << 4 * (card & 3)) for card in range(52))
#: The initial key of a hand: three in each suit's counter, so that five more set its high bit.
KEY_START: Final = 0x3333
FLUSH_BITS: Final = 0x8888

_NAMES: Final = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
]
#: Names of hands that were worked out before, by their strength.
_NAMED: Final[dict[int, str]] = {}


def _load() -> "list[array[int]]":
    """Read the tables: for each, the file has its item type, its size in bytes and its items, little-endian."""
    with open(TABLES_PATH, "rb") as file:
        data = file.read()
    at, tables = 0, []
    while at < len(data):
        end = at + 5 + int.from_bytes(data[at + 1 : at + 5], "little")
        items = array(chr(data[at]), data[at + 5 : end])
        if sys.byteorder == "big":
            items.byteswap()
        # Arrays, not lists: hands look up far apart, and what is small stays in the processor's cache.
        tables.append(items)
        at = end
    if compiled is not None:
        offsets, seven, _, _, flush = tables
        compiled.set_tables(offsets, seven, flush, array("q", CARD_KEYS), KEY_START, FLUSH_BITS, ROW_BITS)
    return tables


SEVEN_OFFSETS, SEVEN, FIVE_OFFSETS, FIVE, FLUSH = _load()


def strength(cards: Sequence[int]) -> int:
    """Return the strength of the best five of five to seven different cards: 1 (worst) to 7,462 (best)."""
    count = len(cards)
    if len({*cards}) != count or min(cards, default=0) < 0 or max(cards, default=0) > 51:
        raise RulesError(f"a strength needs different cards from 0 to 51, not {tuple(cards)}")
    if count == 6:
        return max([strength(five) for five in combinations(cards, 5)])
    if count not in (5, 7):
        raise RulesError(f"{count} cards have no strength: expected 5, 6 or 7")
    key = KEY_START
    for card in cards:
        key += CARD_KEYS[card]
    if key & FLUSH_BITS:
        return flush_strength(key, cards)
    key >>= 16
    if count == 7:
        return SEVEN[key + SEVEN_OFFSETS[key >> ROW_BITS]]
    return FIVE[key + FIVE_OFFSETS[key >> ROW_BITS]]


def flush_strength(key: int, cards: Sequence[int]) -> int:
    """Return the strength of cards whose key shows five or more of one suit.

    They cannot hold a full house or four of a kind, which leave at most four ranks in seven cards.
    """
    suit = ((key & FLUSH_BITS).bit_length() - 1) >> 2
    ranks = 0
    for card in cards:
        if card & 3 == suit:
            ranks |= 1 << (card >> 2)
    return FLUSH[ranks]


def showdown(holes: tuple[tuple[int, int], tuple[int, int]], board: tuple[int, ...]) -> tuple[int, int]:
    """Return the strengths of both seats on a board of five cards."""
    (a, b), (c, d) = holes
    e, f, g, h, i = board
    keys = CARD_KEYS
    shared = KEY_START + keys[e] + keys[f] + keys[g] + keys[h] + keys[i]
    first = shared + keys[a] + keys[b]
    second = shared + keys[c] + keys[d]
    if (first | second) & FLUSH_BITS:
        return strength((a, b, *board)), strength((c, d, *board))
    first >>= 16
    second >>= 16
    return SEVEN[first + SEVEN_OFFSETS[first >> ROW_BITS]], SEVEN[second + SEVEN_OFFSETS[second >> ROW_BITS]]


def category(value: int) -> str:
    """Return the category of a strength, such as `"two pair"`."""
    if not 1 <= value <= STRENGTHS:
        raise RulesError(f"{value} is no strength: expected 1 to {STRENGTHS}")
    return next(name for weakest, name in reversed(CATEGORIES) if value >= weakest)


def hand_name(cards: Sequence[int]) -> str:
    """Name two hole cards, or the best hand in five to seven cards, as players say it.

    >>> from molt_bench.poker.cards import cards_from_text
    >>> [hand_name(cards_from_text(text)) for text in ("AhKd", "6h6d", "AhKd 2c3d4s5h9c", "6h6d KcKs2h7d7s")]
    ['ace high', 'a pair of sixes', 'a straight to the five', 'two pair, kings and sevens']
    """
    if len(cards) < 5:
        return _name(cards)
    value = strength(cards)
    if value not in _NAMED:
        _NAMED[value] = _name(max(combinations(cards, 5), key=strength))
    return _NAMED[value]


def _name(best: Sequence[int]) -> str:
    """Name two hole cards, or five cards."""
    counts = Counter(card >> 2 for card in best)
    one = [_NAMES[rank] for rank in sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)]
    many = [f"{name}{'es' if name == 'six' else 's'}" for name in one]
    if len(best) < 5:
        return f"a pair of {many[0]}" if len(one) == 1 else f"{one[0]} high"
    top = "five" if one[:2] == ["ace", "five"] else one[0]  # in a wheel the ace is low
    return {
        "high card": f"{one[0]} high",
        "pair": f"a pair of {many[0]}",
        "two pair": f"two pair, {many[0]} and {many[1]}",
        "three of a kind": f"three {many[0]}",
        "straight": f"a straight to the {top}",
        "flush": f"a flush to the {one[0]}",
        "full house": f"a full house, {many[0]} over {many[1]}",
        "four of a kind": f"four {many[0]}",
        "straight flush": f"a straight flush to the {top}",
    }[category(strength(best))]
