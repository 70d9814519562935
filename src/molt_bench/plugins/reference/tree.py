"""The abstract betting tree of one stack depth: few bet sizes, no cards.

Chips are hundredths of a big blind. Player 0 has the button and posts the small blind, player 1 the big blind. Every
decision is a node, numbered so that a node comes before those below it. A node has one column for each kind of action:
column 0 folds, 1 checks or calls, the last goes all-in, and those between raise by a share of the pot, small to large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

BIG_BLIND: Final = 100
FOLD, CALL, FIRST_RAISE = 0, 1, 2
NONE, FOLDED, SHOWDOWN = -1, -2, -3


@dataclass(frozen=True, eq=False)
class Tree:
    """A betting tree as arrays, indexed by node.

    Attributes:
        street: 0 before the flop to 3 on the river.
        actor: The player to act, 0 or 1.
        paid: The chips put in by player 0 and player 1 so far, shape (nodes, 2).
        children: What follows each action, shape (nodes, columns): a node (at once the first of the next street if
            the street ends), `FOLDED`, `SHOWDOWN`, or `NONE` if the action is not offered.
        closing: Calls that end a street or lead to showdown are numbered from 0 up; -1 for other nodes.
    """

    street: Array
    actor: Array
    paid: Array
    children: Array
    closing: Array

    @property
    def nodes(self) -> int:
        """The number of decisions."""
        return len(self.street)

    @property
    def points(self) -> int:
        """The number of points that have values: the nodes, then the closing calls."""
        return self.nodes + int(self.closing.max()) + 1

    def closing_point(self, node: int) -> int:
        """Return the point right after the call of a node that ends its street, before the next card; -1 if none."""
        number = int(self.closing[node])
        return self.nodes + number if number >= 0 else -1

    def offered(self, node: int) -> list[int]:
        """Return the columns of the actions that a node offers."""
        return [column for column, child in enumerate(self.children[node].tolist()) if child != NONE]

    def raise_to(self, node: int, column: int) -> int:
        """Return how many chips the actor has put in, in the whole hand, after a raise."""
        return int(self.paid[self.children[node, column], self.actor[node]])


def tree_from_bytes(content: bytes) -> Tree:
    """Read the arrays, little-endian 32-bit integers, as `research/blueprint/tree_builder.py` wrote them."""
    numbers = np.frombuffer(content, "<i4")
    nodes, columns = numbers[:2].tolist()
    street, actor, closing, rest = np.split(numbers[2:], [nodes, 2 * nodes, 3 * nodes])
    paid, children = rest[: 2 * nodes].reshape(nodes, 2), rest[2 * nodes :].reshape(nodes, columns)
    return Tree(street, actor, paid, children, closing)
