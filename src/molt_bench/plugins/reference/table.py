"""The table of the blueprint: card buckets, betting trees, strategies and values, read from `blueprint.bin`.

The file starts with eight letters, the length of a text, and the text: JSON with the training config, what was
measured, and the place of every section. Sections are compressed one by one, and only those needed are read.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, Final

import numpy as np

from molt_bench.errors import MoltBenchError
from molt_bench.plugins.reference.tree import CALL, NONE, Array, Tree, tree_from_bytes

PATH: Final = os.path.join(os.path.dirname(__file__), "blueprint.bin")
MAGIC: Final = b"molt-bp1"
#: The SHA-256 of the shipped file.
SHA256: Final = "2601e73033f4101c1f5b2221ed865fecf445a8e6a8b39d9e0908852b8b6229f0"
#: The weights of a node's actions add up to this, so that of the call is not stored.
LEVELS: Final = 15
STREETS: Final = 4
#: Values are stored in 1 / VALUE_UNIT of the pot.
VALUE_UNIT: Final = 1 << 20


class DepthTable:
    """What the table holds for one stack depth.

    Attributes:
        depth: In big blinds.
        tree: The betting tree.
        buckets: The number of card buckets of each street.
    """

    def __init__(self, table: Table, depth: int) -> None:
        self.depth = depth
        self.tree: Tree = tree_from_bytes(table.section(f"{depth}/tree"))
        self.buckets: tuple[int, ...] = tuple(table.about["buckets"])
        self._table = table
        self._offered = self.tree.children != NONE
        sizes = (self._offered.sum(axis=1) - 1) * np.array(self.buckets)[self.tree.street]
        closing = self.tree.street[self.tree.closing >= 0]
        self._street_of = np.concatenate([self.tree.street, closing])
        self._starts, self._rows = np.zeros(len(sizes), np.int64), np.zeros(len(self._street_of), np.int64)
        for street in range(STREETS):
            here = self.tree.street == street
            self._starts[here] = sizes[here].cumsum() - sizes[here]
            points = self._street_of == street
            self._rows[points] = np.arange(points.sum())
        self._not_call = np.arange(self.tree.children.shape[1]) != CALL
        self._loaded: dict[str, Array] = {}

    def strategy(self, node: int) -> Array:
        """Return the weight of each action for each bucket, shape (buckets, columns); chances are shares of the sum.

        After a call that ended a street, there is nothing to do but to call a raise that is as good as none.
        """
        if node >= self.tree.nodes:
            called = np.zeros((self.buckets[self._street_of[node]], len(self._not_call)), np.uint8)
            called[:, CALL] = LEVELS
            return called
        street = int(self.tree.street[node])
        stored = np.flatnonzero(self._offered[node] & self._not_call)
        start, size = int(self._starts[node]), self.buckets[street]
        found = np.zeros((size, len(self._not_call)), np.uint8)
        numbers = self._section(f"strategy{street}", _halves)[start : start + len(stored) * size]
        found[:, stored] = numbers.reshape(len(stored), size).T
        found[:, CALL] = LEVELS - found.sum(axis=1)
        return found

    def values(self, point: int, player: int) -> Array:
        """Return what a player wins net in the whole hand on average with each bucket, in big blinds.

        A point is a node, or what `Tree.closing_point` returns: right after a call that ends a street.
        """
        street, row = int(self._street_of[point]), int(self._rows[point])
        shapes = self._section(f"shapes{street}", _whole).reshape(-1, self.buckets[street])
        weights = self._section(f"values{street}", _whole).reshape(len(shapes), -1, 2)
        # Whole numbers below 2**53, so these floats are exact but for the last division.
        whole = weights[:, row, player].astype(float) @ shapes.astype(float)
        found: Array = whole * self.pot(point) / (100 * VALUE_UNIT)
        return found

    def pot(self, point: int) -> int:
        """Return the chips in the pot at a point, in hundredths of a big blind."""
        if point < self.tree.nodes:
            return int(self.tree.paid[point].sum())
        return 2 * int(self.tree.paid[self.closer(point)].max())

    def closer(self, point: int) -> int:
        """Return the node whose call ends a street at a point."""
        return int(self._closers[point - self.tree.nodes])

    @cached_property
    def _closers(self) -> Array:
        """The nodes of the closing calls."""
        return np.flatnonzero(self.tree.closing >= 0)[self.tree.closing[self.tree.closing >= 0].argsort()]

    def _section(self, name: str, read: Callable[[bytes], Array]) -> Array:
        if name not in self._loaded:
            self._loaded[name] = read(self._table.section(f"{self.depth}/{name}"))
        return self._loaded[name]


def _halves(content: bytes) -> Array:
    """Read two numbers below 16 from each byte."""
    both = np.frombuffer(content, np.uint8)
    return np.stack([both & 15, both >> 4], axis=1).ravel()


def _whole(content: bytes) -> Array:
    """Read 16-bit numbers, all low bytes first, then all high bytes."""
    return np.ascontiguousarray(np.frombuffer(content, np.uint8).reshape(2, -1).T).view("<i2").ravel()


class Table:
    """A table's file.

    Attributes:
        about: The training config, what was measured, and the number of buckets of each street.
        depths: The stack depths it has, in big blinds, ascending.
    """

    def __init__(self, content: bytes) -> None:
        if content[: len(MAGIC)] != MAGIC:
            raise MoltBenchError(f"blueprint table starts with {content[:8]!r}: expected {MAGIC!r}")
        start = len(MAGIC) + 4
        end = start + int.from_bytes(content[len(MAGIC) : start], "little")
        self.about: dict[str, Any] = json.loads(content[start:end])
        self.depths: tuple[int, ...] = tuple(self.about["depths"])
        self._content, self._start = content, end
        self._depths: dict[int, DepthTable] = {}

    def section(self, name: str) -> bytes:
        """Return a section, decompressed."""
        at, size = self.about["sections"][name]
        packed = memoryview(self._content)[self._start + at : self._start + at + size]
        return zlib.decompress(packed)

    def at(self, depth: int) -> DepthTable:
        """Return the part for one of `depths`."""
        if depth not in self._depths:
            self._depths[depth] = DepthTable(self, depth)
        return self._depths[depth]

    def cards(self) -> dict[str, Any]:
        """Return the fields of `buckets.CardBuckets`."""
        flops = np.frombuffer(self.section("flops"), np.uint8).reshape(-1, 3)
        sizes = np.frombuffer(self.section("flop_sizes"), "<i2")
        counts = self.about["buckets"]
        return {
            "flops": {tuple(flop): at for at, flop in enumerate(flops.tolist())},
            "flop_starts": np.concatenate([[0], sizes.astype(np.int64).cumsum()]),
            "flop_rows": np.frombuffer(self.section("flop_rows"), np.uint8),
            "turn_centres": np.frombuffer(self.section("turn_centres"), "<i2").reshape(counts[2], -1).astype(np.int64),
            "river_centres": np.frombuffer(self.section("river_centres"), "<i2")
            .reshape(counts[3], -1)
            .astype(np.int64),
        }


@cache
def load() -> Table:
    """Read the table of the package; its parts are decompressed when they are needed."""
    with open(PATH, "rb") as file:
        content = file.read()
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256:
        raise MoltBenchError(f"{PATH} is damaged: its SHA-256 is {found}, expected {SHA256}; install molt-bench again")
    return Table(content)
