"""The weights of the luck adjustment: fitted once on bots, then frozen.

Any fixed weights leave every expectation unchanged. These were chosen before the runs that use them, so no one can pick
them by outcome. `research/fit_luck.py` fitted those of cards; those of actions are of an earlier fit, to players that
mix. Any change is a new version, with another hash in every run.
"""

from array import array
from hashlib import sha256
from itertools import chain
from typing import Final, TypeAlias

import msgspec

#: Weights of a deal by stack-to-pot ratio, shallowest first: without a raise on the street before, then with one.
DealWeights: TypeAlias = tuple[float, ...]

#: Number of the fit.
VERSION: Final = 3

#: Stack-to-pot ratios at which a new bucket begins.
DEPTHS: Final = (1.0, 8.0)

#: For hole cards, flop, turn and river: how much of the pot a change of equity is worth.
DEALS: Final[tuple[DealWeights, ...]] = (
    (1.0, 1.0, 1.378, 1.0, 1.0, 1.378),
    (1.0, 1.0, 0.954, 0.726, 1.304, 1.147),
    (1.057, 1.364, 1.023, 1.043, 2.204, 1.78),
    (1.11, 1.394, 0.983, 1.193, 2.07, 1.455),
)

# fmt: off
#: For the values of actions, in the order of `molt_bench.luck.dice`.
ACTIONS: Final = (
    # What is exact, by street.
    0.928, 0.792, 0.653, 0.562,
    # Checks and calls: before and after the flop, each first to act and after an action.
    0.398, -0.05, -0.698, 0.042, -0.137, -0.188,
    0.763, -0.435, -0.627, -0.516, 0.42, -0.057,
    0.591, 0.401, -0.758, 0.122, 0.302, 0.351,
    0.515, 0.334, -0.936, 0.022, 0.844, -0.51,
    # Raises: before and after the flop, each up to a pot and a half, above, and all-in.
    0.071, 0.262, -1.073, -0.084, 0.409, 0.486, 0.246, -0.009, -0.181,
    0.543, -0.221, -1.908, -0.528, 0.187, 0.002, 1.047, -0.236, 0.04,
    -0.018, -0.124, -0.853, -0.125, 0.311, 0.124, 0.209, -0.134, -0.031,
    -0.098, 0.96, -0.727, -2.342, 0.564, -0.555, 0.399, 0.253, 0.049,
    -0.537, 2.1, -1.743, 1.524, 0.672, -0.638, 0.264, 0.072, -0.061,
    -0.031, 0.24, -0.608, -0.24, 0.562, -0.166, 0.11, 0.114, -0.12,
)
# fmt: on


#: All of them, one after another, for the compiled kernel.
AS_BYTES: Final = array("d", [*DEPTHS, *chain(*DEALS), *ACTIONS]).tobytes()


def bucket_of(behind: int, pot: int, *, raised: bool = False) -> int:
    """Return the bucket of a stack-to-pot ratio, 0 for the shallowest without a raise on the street before."""
    shallow, deep = DEPTHS
    return (behind >= shallow * pot) + (behind >= deep * pot) + 3 * raised


def luck_version() -> str:
    """Return the version of the weights, and the SHA-256 of them as JSON."""
    return f"{VERSION}:{sha256(msgspec.json.encode((DEPTHS, DEALS, ACTIONS))).hexdigest()}"
