"""Which hands both seats may hold: how likely each is, if both have played the blueprint."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import msgspec
import numpy as np

from molt_bench.agents.blueprint.agent import likelihoods
from molt_bench.agents.blueprint.buckets import collides
from molt_bench.agents.blueprint.state import PublicState
from molt_bench.agents.blueprint.tree import Array
from molt_bench.poker.actions import OPEN_CARDS
from molt_bench.poker.range_equity import HOLES

#: The weight of the likeliest hand of a range, in whole numbers. No hand has less than 1.
_HEAVIEST: Final = 1024


@lru_cache(maxsize=1024)
def tracked_ranges(state: PublicState, *, tiny: bool = True) -> tuple[Array, Array]:
    """Return how likely each hole of each seat is if both have played the blueprint, in whole numbers."""
    likely = [np.ones(HOLES), np.ones(HOLES)]
    for at, done in enumerate(state.log):
        board = state.board[: OPEN_CARDS[done.street]]
        chances = likelihoods(msgspec.structs.replace(state, log=state.log[:at], board=board), done, tiny=tiny)
        likely[done.seat] = likely[done.seat] * chances
    possible = ~collides(state.board)
    first, second = (np.floor(_HEAVIEST * each / max(float((each * possible).max()), 1e-300)) for each in likely)
    return np.maximum(first, 1.0), np.maximum(second, 1.0)
