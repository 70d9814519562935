"""Rank the 169 starting hands by exact equity against a random hand: `python scripts/rank_hands.py`, some minutes.

Prints the line that `molt_bench.poker.starting_hands` holds.
"""

from functools import cache
from itertools import combinations, permutations

from molt_bench.poker.cards import RANKS
from molt_bench.poker.equity import equity

SUIT_ORDERS = list(permutations(range(4)))


def canonical(first: tuple[int, int], second: tuple[int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the one matchup that stands for all that differ only in the names of the suits."""
    return min(
        (
            tuple(sorted(c & ~3 | order[c & 3] for c in first)),
            tuple(sorted(c & ~3 | order[c & 3] for c in second)),
        )
        for order in SUIT_ORDERS
    )


@cache
def cached_equity(first: tuple[int, ...], second: tuple[int, ...]) -> float:
    """Return the equity of a canonical matchup."""
    return equity(first, second)


def against_random(hole: tuple[int, int]) -> float:
    """Return the mean equity against the 1,225 hands the other seat can have."""
    others = list(combinations([card for card in range(52) if card not in hole], 2))
    return sum(cached_equity(*canonical(hole, other)) for other in others) / len(others)


def ranked_hands() -> list[tuple[float, str]]:
    """Return (equity, name) of all 169 starting hands, best first."""
    found = []
    for high in range(13):
        for low in range(high + 1):
            for second_suit in (1, 0) if high > low else (1,):
                name = RANKS[high] + RANKS[low] + ("" if high == low else "os"[second_suit == 0])
                found.append((against_random((4 * high, 4 * low + second_suit)), name))
    return sorted(found, reverse=True)


if __name__ == "__main__":
    hands = ranked_hands()
    print(" ".join(name for _, name in hands))
    print(f"best {hands[0][0]:.6f}, worst {hands[-1][0]:.6f}")
