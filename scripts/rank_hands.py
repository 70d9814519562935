"""Rank the 169 starting hands by exact equity against a random hand: `python scripts/rank_hands.py`, a minute.

Prints the line that `molt_bench.poker.starting_hands` holds.
"""

from itertools import combinations
from statistics import fmean

from molt_bench.poker.cards import RANKS
from molt_bench.poker.equity import equity


def against_random(hole: tuple[int, int]) -> float:
    """Return the mean equity against the 1,225 hands the other seat can have."""
    return fmean(equity(hole, other) for other in combinations([card for card in range(52) if card not in hole], 2))


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
