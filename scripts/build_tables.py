"""Build the evaluator's tables: `python scripts/build_tables.py`, a few seconds.

Writes `src/molt_bench/poker/strength.bin` with five tables, in this order:

1. and 2. seven cards by the sum of their ranks' keys: row offsets, then strengths (0 where no hand is);
3. and 4. the same for five cards;
5. flushes of five to seven cards by the set of their ranks as 13 bits.

A strength is the place of the hand among the 7,462 classes, 1 for 7-5-4-3-2 up to 7,462 for a royal flush.
"""

import sys
from array import array
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from pathlib import Path

import numpy as np

from molt_bench.poker.evaluator import RANK_KEYS, ROW_BITS, TABLES_PATH

Ranks = tuple[int, ...]

WHEEL = (3, 2, 1, 0, 12)  # 5-4-3-2-A: the ace counts low
STRAIGHTS = [WHEEL, *(tuple(range(top, top - 5, -1)) for top in range(4, 13))]


def rank_multisets(size: int) -> Iterator[Ranks]:
    """Yield every multiset of `size` ranks that a deck of four suits can deal, in ascending order."""
    for ranks in combinations_with_replacement(range(13), size):
        if all(ranks.count(rank) <= 4 for rank in set(ranks)):
            yield ranks


def place(ranks: Ranks, *, flush: bool) -> tuple[int, Ranks]:
    """Return (category, ranks in the order in which they count) of five cards; a larger pair wins."""
    by_count = sorted(set(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)
    shape = tuple(ranks.count(rank) for rank in by_count)
    for straight in STRAIGHTS:
        if set(straight) == set(ranks):
            return (8 if flush else 4, straight[:1])
    if flush:
        return (5, tuple(by_count))
    category = {(1,) * 5: 0, (2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 6, (4, 1): 7}[shape]
    return (category, tuple(by_count))


def five_card_strengths() -> tuple[dict[Ranks, int], dict[Ranks, int]]:
    """Return the strength of every five-card hand, off-suit and suited, by its ascending ranks."""
    offsuit = {ranks: place(ranks, flush=False) for ranks in rank_multisets(5)}
    suited = {ranks: place(ranks, flush=True) for ranks in combinations(range(13), 5)}
    order = sorted({*offsuit.values(), *suited.values()})
    strength = {key: position for position, key in enumerate(order, start=1)}
    assert len(order) == 7462
    return ({r: strength[p] for r, p in offsuit.items()}, {r: strength[p] for r, p in suited.items()})


def seven_card_strength(ranks: Ranks, offsuit: dict[Ranks, int]) -> int:
    """Return the best five of seven ascending ranks, no flush among them."""
    return max(offsuit[five] for five in set(combinations(ranks, 5)) if five in offsuit)


def key_sum(ranks: Ranks) -> int:
    """Return the index of a multiset of ranks in the tables."""
    return sum(RANK_KEYS[rank] for rank in ranks)


def sparse_table(strengths: dict[int, int]) -> tuple[array, array]:
    """Return row offsets and strengths such that `strengths[key]` stands at `key + offsets[key >> ROW_BITS]`.

    Rows are laid over each other where the one's entries fall into the other's gaps, fullest row first.
    """
    rows: dict[int, list[int]] = {}
    for key in strengths:
        rows.setdefault(key >> ROW_BITS, []).append(key)
    offsets = array("i", bytes(4 * (max(rows) + 1)))
    table = np.zeros(1 << 18, np.uint16)
    for row, keys in sorted(rows.items(), key=lambda item: (-len(item[1]), item[0])):
        columns = [key - (row << ROW_BITS) for key in keys]
        width = len(table) - (1 << ROW_BITS)
        clash = np.zeros(width, bool)
        for column in columns:
            clash |= table[column : column + width] != 0
        gap = int(np.argmin(clash))
        offsets[row] = gap - (row << ROW_BITS)
        for key, column in zip(keys, columns, strict=True):
            table[gap + column] = strengths[key]
    return offsets, array("H", table[: np.max(np.nonzero(table)) + 1].tolist())


def flush_table(suited: dict[Ranks, int]) -> array:
    """Return the strengths of flushes by the bits of their ranks."""
    flush = array("H", bytes(2 * 8192))
    for size in (5, 6, 7):
        for ranks in combinations(range(13), size):
            flush[sum(1 << rank for rank in ranks)] = max(suited[best] for best in combinations(ranks, 5))
    return flush


def build() -> bytes:
    """Return the file's content."""
    offsuit, suited = five_card_strengths()
    sevens = {ranks: seven_card_strength(ranks, offsuit) for ranks in rank_multisets(7)}
    tables: list[array] = []
    for strengths in (sevens, offsuit):
        by_key = {key_sum(ranks): strength for ranks, strength in strengths.items()}
        assert len(by_key) == len(strengths), "two hands share a key"
        tables += sparse_table(by_key)
    blob = b""
    for table in (*tables, flush_table(suited)):
        if sys.byteorder == "big":
            table.byteswap()
        content = table.tobytes()
        blob += table.typecode.encode() + len(content).to_bytes(4, "little") + content
    return blob


if __name__ == "__main__":
    Path(TABLES_PATH).write_bytes(build())
    print(f"{TABLES_PATH}: {Path(TABLES_PATH).stat().st_size:,} bytes")
