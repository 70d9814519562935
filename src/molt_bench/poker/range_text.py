"""Ranges as text: `77+, A2s+, KTo-KQo, AhKd`, as poker players write them. And `random`: every hand."""

from itertools import product
from typing import Final

from molt_bench.errors import RulesError
from molt_bench.poker.cards import RANKS, Hole, cards_from_text
from molt_bench.visible_text import shown

#: Stands for every hand.
EVERY: Final = "random"
#: Most characters of a range.
MOST_CHARACTERS: Final = 1000
_SUITS: Final = range(4)


def holes_in(text: str) -> frozenset[Hole]:
    """Return the pairs of hole cards of a range, each with its higher card first.

    >>> len(holes_in("random")), len(holes_in("77+")), len(holes_in("AKs, AKo")), len(holes_in("A2s-A5s, AhKd"))
    (1326, 48, 16, 17)

    Raises:
        RulesError: It is no range; the message says which part is wrong.
    """
    if len(text) > MOST_CHARACTERS:
        raise RulesError(f"a range has at most {MOST_CHARACTERS} characters")
    if text.strip().lower() == EVERY:
        return frozenset((high, low) for high in range(52) for low in range(high))
    parts = [part for part in text.replace(",", " ").split() if part]
    if not parts:
        raise RulesError("a range names at least one hand")
    return frozenset().union(*[_holes(part) for part in parts])


def _holes(part: str) -> frozenset[Hole]:
    if len(part) == 4 and "-" not in part and "+" not in part:
        return frozenset([_two_cards(part)])
    first, dash, last = part.partition("-")
    if dash:
        return _between(part, _kind(part, first), _kind(part, last))
    if part.endswith("+"):
        high, low, suited = _kind(part, part[:-1])
        top = (12, 12, suited) if high == low else (high, high - 1, suited)
        return _between(part, (high, low, suited), top)
    return _suited(*_kind(part, part))


def _two_cards(part: str) -> Hole:
    try:
        first, second = cards_from_text(part)
    except RulesError:
        raise _wrong(part) from None
    if first == second:
        raise _wrong(part)
    return max(first, second), min(first, second)


def _kind(part: str, text: str) -> tuple[int, int, str]:
    """Return the ranks of a kind of hand, the higher one first, and `s`, `o`, or "" for both."""
    ranks, suited = text[:2].upper(), text[2:].lower()
    if len(ranks) < 2 or ranks[0] not in RANKS or ranks[1] not in RANKS or suited not in ("", "s", "o"):
        raise _wrong(part)
    high, low = sorted([RANKS.index(ranks[0]), RANKS.index(ranks[1])], reverse=True)
    if high == low and suited:
        raise _wrong(part)
    return high, low, suited


def _between(part: str, first: tuple[int, int, str], last: tuple[int, int, str]) -> frozenset[Hole]:
    """Return all pairs from one to another, or all hands with the same high card from one kicker to another."""
    pairs = first[0] == first[1] and last[0] == last[1]
    if first[2] != last[2] or not (pairs or (first[0] == last[0] and first[0] != first[1] and last[0] != last[1])):
        raise _wrong(part)
    low, top = sorted([first[1], last[1]])
    kinds = [(rank if pairs else first[0], rank, first[2]) for rank in range(low, top + 1)]
    return frozenset().union(*[_suited(*kind) for kind in kinds])


def _suited(high: int, low: int, suited: str) -> frozenset[Hole]:
    """Return all holes of two ranks."""
    found = [(4 * high + one, 4 * low + two) for one, two in product(_SUITS, _SUITS)]
    if high == low:
        return frozenset((one, two) for one, two in found if one > two)
    return frozenset(hole for hole in found if not suited or (hole[0] % 4 == hole[1] % 4) == (suited == "s"))


def _wrong(part: str) -> RulesError:
    return RulesError(f"{shown(part)} is no hand or range; expected such as 77+, A2s+, KTo-KQo, AhKd or random")
