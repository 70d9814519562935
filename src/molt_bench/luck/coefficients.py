"""The coefficients of the luck adjustment: fitted once on bots, then frozen.

Any fixed coefficients leave every expectation unchanged. These were chosen before the runs that use them, so nobody can
pick them by outcome. `scripts/fit_luck.py` fitted them; any change is a new version, with another hash in every run.
"""

from functools import cache
from hashlib import sha256
from typing import Final

import msgspec


class Coefficients(msgspec.Struct, frozen=True, kw_only=True):
    """Weights for the luck of cards and dice. All are plain ratios, so they hold for any blinds.

    Attributes:
        depths: Stack-to-pot ratios at which a new bucket begins, ascending.
        chance: For hole cards, flop, turn and river, the weight in each bucket, shallowest first: those without a raise
            on the street before, then those with one.
        actions: Weights of the features of an action's value, in the order of `molt_bench.luck.dice.action_features`.
    """

    depths: tuple[float, ...]
    chance: tuple[tuple[float, ...], ...]
    actions: tuple[float, ...]

    def bucket(self, behind: int, pot: int, *, raised: bool = False) -> int:
        """Return the bucket of a stack-to-pot ratio, 0 for the shallowest without a raise on the street before."""
        return sum([behind >= depth * pot for depth in self.depths]) + raised * (len(self.depths) + 1)


#: Number of the fit, all sets together.
VERSION: Final = 2

# fmt: off
#: For players of any kind: cards fitted to the built-in bots, actions also to players who bet by strength.
LADDER: Final = Coefficients(
    depths=(1.0, 8.0),
    chance=(
        (0.96, 1.18, 0.891) * 2,
        (0.493, 0.755, 0.788) * 2,
        (0.529, 1.059, 0.889) * 2,
        (0.835, 1.253, 0.916) * 2,
    ),
    actions=(
        # What is exact, by street.
        0.96, 0.832, 0.705, 0.654,
        # Checks and calls: before and after the flop, each first to act and after an action.
        0.043, 0.286, -1.351, -0.198, -0.181, -0.007,
        0.823, -0.51, -0.331, -0.525, 0.578, -0.286,
        0.684, 0.338, -0.505, -0.008, 0.473, -0.029,
        0.682, 0.21, -0.727, -0.045, 0.867, -0.467,
        # Raises: before and after the flop, each up to a pot and a half, above, and all-in.
        0.144, 0.225, -1.14, -0.324, 0.717, 0.326, 0.358, 0.015, -0.513,
        0.486, -0.042, -2.036, 0.067, 0.147, -0.064, 1.185, -0.241, 0.071,
        -0.024, -0.227, -0.604, -0.114, 0.367, 0.233, 0.115, -0.144, -0.071,
        -0.048, 0.571, -0.872, -1.062, 0.69, -0.755, 0.431, 0.246, -0.016,
        -0.42, 1.595, -1.255, 1.401, 0.732, -0.736, 0.356, 0.016, -0.055,
        -0.032, 0.193, -0.561, -0.107, 0.624, -0.301, 0.129, 0.125, -0.117,
    ),
)

#: For players who bet by the strength of their hands.
SOLID: Final = Coefficients(
    depths=(1.0, 8.0),
    chance=(
        (0.96, 1.18, 0.891, 0.96, 1.18, 0.891),
        (1.034, 3.21, 2.068, 1.079, 2.128, 4.86),
        (1.456, 2.277, 3.477, 1.329, 2.499, 5.04),
        (1.436, 2.091, 3.181, 1.259, 2.288, 3.731),
    ),
    actions=(
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
    ),
)

# fmt: on
#: All sets, in the order of `molt_bench.luck.estimators.Estimates`.
FROZEN: Final = (LADDER, SOLID)


@cache
def coefficients_hash(coefficients: tuple[Coefficients, ...] = FROZEN) -> str:
    """Return the SHA-256 of sets of coefficients as sorted JSON."""
    return sha256(msgspec.json.encode(coefficients, order="sorted")).hexdigest()
