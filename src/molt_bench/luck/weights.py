"""The weights of the luck adjustment: fitted once on bots, then frozen.

Any fixed weights leave every expectation unchanged. These were chosen before the runs that use them, so nobody can pick
them by outcome. `scripts/fit_luck.py` fitted them; any change is a new version, with another hash in every run.
"""

from hashlib import sha256
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


def bucket_of(behind: int, pot: int, *, raised: bool = False) -> int:
    """Return the bucket of a stack-to-pot ratio, 0 for the shallowest without a raise on the street before."""
    return sum([behind >= depth * pot for depth in DEPTHS]) + raised * (len(DEPTHS) + 1)


def luck_version() -> str:
    """Return the version of the weights, and the SHA-256 of them as JSON."""
    return f"{VERSION}:{sha256(msgspec.json.encode((DEPTHS, DEALS))).hexdigest()}"
