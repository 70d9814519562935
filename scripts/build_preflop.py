"""Build the table of equities before the flop: `python scripts/build_preflop.py`, two or three minutes.

Writes `src/molt_bench/poker/preflop.bin`: for every two hands twice the run-outs that the first wins and once those
that are split, of 1,712,304, in three bytes, little-endian. Hands are named by their ranks, (high, low), and these by
`high * (high + 1) / 2 + low`, 0 to 90. The hand with the higher number comes first. So the place of two hands is
`15 * (first * (first + 1) / 2 + second) + pattern`, where `pattern` is the number of the way in which their four cards
share suits, in the order of `SUIT_PATTERNS`. A place where a card would stand twice holds 0.
"""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

from molt_bench.poker.equity import PREFLOP_PATH, PREFLOP_WHOLE, SUIT_PATTERNS, showdowns

Cards = tuple[int, ...]

SUIT_ORDERS = list(permutations(range(4)))


def canonical(first: Cards, second: Cards) -> tuple[Cards, Cards]:
    """Return the one matchup that stands for all that differ only in the names of the suits."""
    named = [
        tuple(tuple(sorted(card & ~3 | order[card & 3] for card in hole)) for hole in (first, second))
        for order in SUIT_ORDERS
    ]
    one, two = min(named)
    return one, two


def places() -> Iterator[Cards]:
    """Yield the four cards of every place of the table, in its order."""
    pairs = [(high, low) for high in range(13) for low in range(high + 1)]
    for at, ranks in enumerate(pairs):
        for other_ranks in pairs[: at + 1]:
            for suits in SUIT_PATTERNS:
                yield tuple(4 * rank + suit for rank, suit in zip((*ranks, *other_ranks), suits, strict=True))


def score(cards: Cards, known: dict[tuple[Cards, Cards], int]) -> int:
    """Return what belongs to a place; `known` is what was counted so far."""
    if len({*cards}) < 4:
        return 0
    first, second = canonical(cards[:2], cards[2:])
    if (first, second) not in known:
        counts = showdowns(first, second)
        known[first, second] = 2 * counts.wins + counts.ties
        # The same two hands, seen from the other side, need no count of their own.
        known[canonical(second, first)] = PREFLOP_WHOLE - known[first, second]
    return known[first, second]


def build() -> bytes:
    """Return the file's content."""
    known: dict[tuple[Cards, Cards], int] = {}
    return b"".join(score(cards, known).to_bytes(3, "little") for cards in places())


if __name__ == "__main__":
    Path(PREFLOP_PATH).write_bytes(build())
    print(f"{PREFLOP_PATH}: {Path(PREFLOP_PATH).stat().st_size:,} bytes")
