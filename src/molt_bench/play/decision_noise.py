"""The noise of decisions: the random bits that come with each observation, for agents that mix their actions.

Where every agent is trusted, what the cards of a hand leave over is the noise of its first decisions, and costs
nothing. Otherwise a game has a seed for it.
"""

from collections.abc import Callable
from hashlib import blake2b
from struct import Struct
from typing import Final

from msgspec import UNSET

from molt_bench.seeds import derive_last, label_bytes
from molt_bench.specs import GameSpec

#: The most decisions of a hand whose noise comes at once.
AT_ONCE: Final = 16
_unpack: Final = Struct(f"<{AT_ONCE}I").unpack


def own_noise_of(spec: GameSpec) -> Callable[[int], tuple[int, ...]] | None:
    """Return a function for the noise of a hand's first decisions; None if the noise comes with the cards.

    An agent could know this code and try seeds until one gives the noise it sees. With a seed of its own, that noise
    leads neither to the seed of the decks nor to that of the run.
    """
    if spec.noise_seed is UNSET:
        return None
    prefix = label_bytes("noise") + label_bytes(spec.noise_seed)
    return lambda number: _unpack(blake2b(prefix + number.to_bytes(8, "big")).digest())


def late_noise_of(spec: GameSpec) -> Callable[[int, int], int]:
    """Return a function from hand and decision to the noise of a decision after the first ones of its hand."""
    derive = derive_last(spec.seed if spec.noise_seed is UNSET else spec.noise_seed, "noise")
    return lambda number, decision: derive(number, decision) & 0xFFFFFFFF
