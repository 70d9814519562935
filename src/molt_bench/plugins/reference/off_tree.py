"""What the blueprint does where its tree has ended and the real hand goes on.

That is rare: all sizes that a raise could be taken for were all-in. Then a simple rule is played by the rank of the
hand among all that could be held on the board: the best twentieth raises by the pot; to call takes a rank above the
middle, and further above it the more the call costs; everything else checks or folds.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from molt_bench.plugins.reference.buckets import buckets, collides
from molt_bench.plugins.reference.table import DepthTable
from molt_bench.plugins.reference.tree import CALL as CALL_COLUMN
from molt_bench.poker.actions import CALL, CHECK, FOLD, Action
from molt_bench.poker.arrays import Floats
from molt_bench.poker.cards import Board
from molt_bench.poker.observation import Observation, raise_by_pot

#: The rank from which a hand raises.
RAISING: Final = 0.95
#: The street by the number of open cards.
_STREETS: Final = {0: 0, 3: 1, 4: 2, 5: 3}


@lru_cache(maxsize=1024)
def hand_ranks(at: DepthTable, board: Board) -> Floats:
    """Return for each hole the share of all holes that are worse on this board; equally good ones count half.

    A hole is as good as what it is worth to the button, at the first decision of the street if there was no raise.
    """
    node = 0
    while at.tree.street[node] < _STREETS[len(board)]:
        node = int(at.tree.children[node, CALL_COLUMN])
    worth = at.values(node, 0)[buckets(board)]
    others = np.sort(worth[~collides(board)])
    below = np.searchsorted(others, worth, side="left") + np.searchsorted(others, worth, side="right")
    ranks: Floats = below / (2 * len(others))
    return ranks


def rule_actions(observation: Observation, ranks: Floats) -> tuple[tuple[Action, ...], Floats]:
    """Return what may be done, and for each hole the probability of each: one of them is certain."""
    costs = observation.to_call / observation.pot
    actions = (FOLD, CALL) if observation.to_call else (CHECK,)
    chosen = (ranks >= (1 + costs) / 2).astype(np.int64) if observation.to_call else np.zeros(len(ranks), np.int64)
    if observation.max_raise_to:
        actions = (*actions, raise_by_pot(observation, 100))
        chosen[ranks >= RAISING] = len(actions) - 1
    return actions, np.eye(len(actions))[chosen]
