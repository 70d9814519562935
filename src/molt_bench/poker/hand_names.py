"""Names of hands, as players say them."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Final

from molt_bench.poker.cards import rank_of
from molt_bench.poker.evaluator import category, strength

_ONE: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
_ACE, _FIVE, _SIX = 12, 3, 4


def hand_name(cards: Sequence[int]) -> str:
    """Name two hole cards, or the best hand in five to seven cards.

    >>> from molt_bench.poker.cards import cards_from_text
    >>> [hand_name(cards_from_text(text)) for text in ("AhKd", "6h6d", "AhKd 2c3d4s5h9c", "6h6d KcKs2h7d7s")]
    ['ace high', 'a pair of sixes', 'a straight to the five', 'two pair, kings and sevens']
    """
    best = max(combinations(cards, 5), key=strength) if len(cards) >= 5 else tuple(cards)
    ranks = [rank for rank, _ in sorted(_by_rank(best), key=lambda each: (each[1], each[0]), reverse=True)]
    if len(best) < 5:
        return f"a pair of {_many(ranks[0])}" if len(ranks) == 1 else f"{_ONE[ranks[0]]} high"
    top = _FIVE if ranks[:2] == [_ACE, _FIVE] else ranks[0]  # in a wheel the ace is low
    kind = category(strength(best))
    return {
        "high card": f"{_ONE[ranks[0]]} high",
        "pair": f"a pair of {_many(ranks[0])}",
        "two pair": f"two pair, {_many(ranks[0])} and {_many(ranks[1])}",
        "three of a kind": f"three {_many(ranks[0])}",
        "straight": f"a straight to the {_ONE[top]}",
        "flush": f"a flush to the {_ONE[ranks[0]]}",
        "full house": f"a full house, {_many(ranks[0])} over {_many(ranks[1])}",
        "four of a kind": f"four {_many(ranks[0])}",
        "straight flush": f"a straight flush to the {_ONE[top]}",
    }[kind]


def _by_rank(cards: Sequence[int]) -> list[tuple[int, int]]:
    return [*Counter(rank_of(card) for card in cards).items()]


def _many(rank: int) -> str:
    return f"{_ONE[rank]}{'es' if rank == _SIX else 's'}"
