"""Build the betting tree of a stack depth, and write it as `molt_bench.plugins.reference.tree` reads it."""

from dataclasses import dataclass, field
from typing import Final, TypeAlias

import numpy as np

from molt_bench.plugins.reference.tree import BIG_BLIND, CALL, FIRST_RAISE, FOLD, FOLDED, NONE, SHOWDOWN, Tree

#: For each street, for each number of raises made on it so far: sizes in percent of the pot after the call. All-in is
#: always offered; once the sizes run out, it is the only raise.
Menu: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]

SMALL_BLIND: Final = 50
#: A raise that commits this share of the stack, in percent, is not offered: all-in stands for it.
COMMITTED: Final = 67


@dataclass
class _Builder:
    depth: int
    menu: Menu
    columns: int
    street: list[int] = field(default_factory=list)
    actor: list[int] = field(default_factory=list)
    paid: list[tuple[int, int]] = field(default_factory=list)
    children: list[list[int]] = field(default_factory=list)
    closing: list[int] = field(default_factory=list)
    closings: int = 0

    def add(self, street: int, actor: int, paid: tuple[int, int], *, raises: int, step: int, open_: bool) -> int:
        """Add a decision and everything below it.

        Args:
            street: 0 to 3.
            actor: The player to act.
            paid: The chips of both.
            raises: How many raises were made on this street.
            step: The smallest legal raise, in chips.
            open_: Whether a check leaves the other player to act.
        """
        node = len(self.street)
        self.street.append(street)
        self.actor.append(actor)
        self.paid.append(paid)
        self.closing.append(-1)
        row = [NONE] * self.columns
        self.children.append(row)
        own, other = paid[actor], paid[1 - actor]
        if own < other:
            row[FOLD] = FOLDED
        row[CALL] = self._call(node, street, other, open_=open_)
        if other < self.depth:
            for column, to in self._raises(street, other, raises, step):
                after = (to, other) if actor == 0 else (other, to)
                row[column] = self.add(
                    street, 1 - actor, after, raises=raises + 1, step=max(step, to - other), open_=False
                )
        return node

    def _call(self, node: int, street: int, level: int, *, open_: bool) -> int:
        if open_:
            return self.add(street, 1 - self.actor[node], (level, level), raises=0, step=BIG_BLIND, open_=False)
        self.closing[node] = self.closings
        self.closings += 1
        if street == 3 or level >= self.depth:
            return SHOWDOWN
        return self.add(street + 1, 1, (level, level), raises=0, step=BIG_BLIND, open_=True)

    def _raises(self, street: int, level: int, raises: int, step: int) -> list[tuple[int, int]]:
        """Return (column, chips put in after it) of every raise."""
        sizes = self.menu[street][raises] if raises < len(self.menu[street]) else ()
        offered = []
        for column, percent in enumerate(sizes, start=FIRST_RAISE):
            by = 2 * level * percent // 100
            if by >= step and 100 * (level + by) < COMMITTED * self.depth:
                offered.append((column, level + by))
        return [*offered, (self.columns - 1, self.depth)]


def build_tree(depth: int, menu: Menu) -> Tree:
    """Build the tree of a stack depth in big blinds.

    >>> tree = build_tree(5, ((), (), (), ()))
    >>> tree.nodes, tree.children[0].tolist(), tree.children[1].tolist(), tree.children[-1].tolist()
    (16, [-2, 1, 15], [-1, 2, 14], [-2, -3, -1])
    """
    columns = FIRST_RAISE + 1 + max((len(sizes) for street in menu for sizes in street), default=0)
    builder = _Builder(depth * BIG_BLIND, menu, columns)
    builder.add(0, 0, (SMALL_BLIND, BIG_BLIND), raises=0, step=BIG_BLIND, open_=True)
    return Tree(
        np.array(builder.street, np.int32),
        np.array(builder.actor, np.int32),
        np.array(builder.paid, np.int32),
        np.array(builder.children, np.int32),
        np.array(builder.closing, np.int32),
    )


def tree_to_bytes(tree: Tree) -> bytes:
    """Write the arrays, little-endian 32-bit integers: nodes, columns, then street, actor, closing, paid, children."""
    arrays = (tree.street, tree.actor, tree.closing, tree.paid, tree.children)
    head = np.array(tree.children.shape, np.int32)
    return b"".join([array.astype("<i4").tobytes() for array in (head, *arrays)])
