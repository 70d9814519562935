"""The coefficients of the luck adjustment: fitted once on bots, then frozen.

Any fixed coefficients leave every expectation unchanged. These were chosen before the runs that use them, so nobody can
pick them by outcome. `scripts/fit_luck.py` fitted them; any change is a new version, with another hash in every run.
"""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from types import MappingProxyType
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
        0.978, 0.861, 0.758, 0.744,
        # Checks and calls: before and after the flop, each first to act and after an action.
        0.194, 0.564, -1.057, -0.031, -0.346, -0.028,
        1.079, -0.395, -0.044, -0.676, 0.576, -0.39,
        0.777, 0.351, -0.48, 0.018, 0.375, -0.024,
        0.796, 0.248, -0.645, -0.076, 0.779, -0.505,
        # Raises: before and after the flop, each up to a pot and a half, above, and all-in.
        0.118, 0.274, -0.835, -0.613, 0.798, 0.447, 0.285, 0.041, -0.5,
        0.185, 0.455, -1.93, -0.03, 0.282, -0.071, 1.233, -0.246, 0.039,
        -0.06, 0.022, -0.347, 0.144, 0.51, 0.952, -0.218, -0.058, -0.314,
        -0.055, 0.595, -0.859, -0.794, 0.748, -0.675, 0.433, 0.25, -0.026,
        -0.424, 1.601, -1.051, 0.402, 0.769, -0.747, 0.382, 0.014, -0.061,
        -0.021, 0.203, -0.385, -0.406, 0.777, -0.378, 0.138, 0.128, -0.267,
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
        0.98, 0.824, 0.761, 0.67,
        # Checks and calls: before and after the flop, each first to act and after an action.
        0.924, -0.357, -0.173, -0.109, 0.099, -0.437,
        1.04, -0.294, -0.401, -0.723, 0.451, -0.164,
        0.699, 0.353, -0.693, 0.192, 0.217, 0.282,
        0.673, 0.328, -0.808, -0.001, 0.666, -0.575,
        # Raises: before and after the flop, each up to a pot and a half, above, and all-in.
        0.056, 0.219, -0.827, -0.654, 0.411, 0.475, 0.15, 0.049, -0.093,
        0.299, 0.317, -1.893, -0.209, 0.3, -0.047, 1.094, -0.239, 0.026,
        -0.062, 0.128, -0.641, 0.339, 0.545, 0.847, -0.171, -0.052, -0.404,
        -0.1, 0.926, -0.712, -1.878, 0.625, -0.504, 0.417, 0.225, 0.073,
        -0.576, 2.2, -1.458, 0.078, 0.743, -0.624, 0.308, 0.053, -0.077,
        -0.021, 0.225, -0.459, -0.189, 0.71, -0.168, 0.123, 0.092, -0.244,
    ),
)

# fmt: on
#: All sets, in the order of `molt_bench.luck.estimators.Estimates`.
FROZEN: Final = (LADDER, SOLID)


def _against(*chance: tuple[float, ...]) -> Coefficients:
    return Coefficients(depths=(1.0, 4.0, 10.0, 30.0), chance=tuple(row * 2 for row in chance), actions=SOLID.actions)


#: For hands against a built-in bot, averaged over its cards: then the luck of one's own hole cards does not cancel out
#: over the two games of a seed, and what a card is worth depends on how far the bot goes with any hand. Fitted to six
#: players that bet by strength, 20 and 100 big blinds deep, 500 to 800 hands of each in both seatings.
AGAINST: Final[Mapping[str, Coefficients]] = MappingProxyType(
    {
        "random": _against(
            (0.32, 1.3, 3.25, 6.5, 27),
            (0.53, 1.75, 4.45, 2.03, 4.55),
            (0.2, 0.87, 3.54, 2.01, 2.43),
            (0.64, 2.01, 4.87, 1.8, 1.54),
        ),
        "tight": _against(
            (0.03, 0.12, 0.29, 0.58, 0.6),
            (0.2, 0.48, 1.06, 1.1, 1.05),
            (0.2, 1.3, 1.1, 1.17, 1.09),
            (0.21, 1.74, 1.11, 1.12, 1.11),
        ),
        "callstation": _against(
            (0.25, 0.98, 2.45, 4.91, 4.19),
            (2, 5.06, 3.47, 11, 3.11),
            (1.65, 4.03, 2.61, 3.82, 2.16),
            (1.7, 2.59, 1.7, 2.34, 1.49),
        ),
        "maniac": _against(
            (0.98, 3.92, 9.8, 20, 74),
            (1.54, 4.81, 8.3, 17, 9.76),
            (1.52, 3.85, 6.02, 8.25, 2.29),
            (1.47, 2.63, 4.03, 4.42, 1.36),
        ),
        "tag": _against(
            (0.27, 1.08, 2.69, 5.38, 5.49),
            (1.79, 3.19, 4.17, 8.59, 8.55),
            (1.17, 2.65, 4.99, 2.53, 2.94),
            (1.26, 2.02, 1.87, 1.65, 1.45),
        ),
        "shover": _against((1.11, 4.44, 11, 22, 78), (2,) * 5, (1.5,) * 5, (1.2,) * 5),
    }
)


@cache
def coefficients_hash(sets: tuple[Coefficients, ...] = FROZEN) -> str:
    """Return the SHA-256 of sets of coefficients as sorted JSON, together with those against built-in bots."""
    return sha256(msgspec.json.encode((sets, dict(AGAINST)), order="sorted")).hexdigest()
