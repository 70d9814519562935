"""The coefficients of the luck adjustment: fitted once on bots, then frozen.

Any fixed coefficients leave every expectation unchanged. These were chosen before the runs that use them, so nobody can
pick them by outcome. `scripts/fit_luck.py` fitted them, and `scripts/fit_ranges.py` those against built-in bots; any
change is a new version, with another hash in every run.
"""

from array import array
from collections.abc import Mapping
from functools import cache, lru_cache
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
        actions: Weights of the features of an action's value, in the order of `luck.dice.draws.action_features`.
    """

    depths: tuple[float, ...]
    chance: tuple[tuple[float, ...], ...]
    actions: tuple[float, ...]

    def bucket(self, behind: int, pot: int, *, raised: bool = False) -> int:
        """Return the bucket of a stack-to-pot ratio, 0 for the shallowest without a raise on the street before."""
        return sum([behind >= depth * pot for depth in self.depths]) + raised * (len(self.depths) + 1)


@lru_cache(maxsize=32)  # of frozen sets, which are hashed once a game
def packed_chance(coefficients: Coefficients) -> tuple[bytes, bytes]:
    """Return the depths, and the weights of all deals by bucket, as doubles for the compiled kernel."""
    weights = [weight for deal in coefficients.chance for weight in deal]
    return array("d", coefficients.depths).tobytes(), array("d", weights).tobytes()


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


def _against(*chance: tuple[float, ...]) -> Coefficients:
    return Coefficients(depths=(1.0, 4.0, 10.0, 30.0), chance=tuple(row * 2 for row in chance), actions=SOLID.actions)


#: For hands against a built-in bot, averaged over its cards: then the luck of one's own hole cards does not cancel out
#: over the two games of a seed, and what a card is worth depends on how far the bot goes with any hand: nothing for one
#: that always folds. `scripts/fit_ranges.py` fitted them; for `tight`, an earlier fit does better.
AGAINST: Final[Mapping[str, Coefficients]] = MappingProxyType(
    {
        "random": _against(
            (1.04, 1.65, 2.57, 6.03, 13.2),
            (0.393, 1.37, 4.58, 9.43, 28.7),
            (0.741, 1.27, 3.35, 6.54, 17.3),
            (0.94, 1.67, 1.63, 5.29, 0),
        ),
        "tight": _against(
            (0.03, 0.12, 0.29, 0.58, 0.6),
            (0.2, 0.48, 1.06, 1.1, 1.05),
            (0.2, 1.3, 1.1, 1.17, 1.09),
            (0.21, 1.74, 1.11, 1.12, 1.11),
        ),
        "callstation": _against(
            (1.36, 3.89, 6.91, 9.82, 11.9),
            (1.43, 2.8, 5.22, 4.1, 4.61),
            (1.35, 2.61, 4.02, 2.54, 3.15),
            (1.3, 1.97, 2.01, 1.56, 1.91),
        ),
        "maniac": _against(
            (1.36, 4.85, 9.83, 16.3, 47.8),
            (1.4, 3.62, 8.03, 19.8, 49.7),
            (1.41, 3.98, 7.65, 15.6, 30.9),
            (1.4, 2.69, 5.33, 8.05, 5.72),
        ),
        "tag": _against(
            (1.33, 3.67, 5.24, 5.85, 11.8),
            (1.35, 2.51, 4.64, 8.17, 18.2),
            (1.36, 2.44, 3.81, 5.22, 4),
            (1.28, 1.94, 3.38, 4.92, 8.14),
        ),
        "shover": _against(
            (1.36, 5.16, 11.3, 19.8, 68.7),
            (1.06, 2.67, 2.67, 3.46, 3.46),
            (1.39, 2.39, 2.39, 4.26, 4.26),
            (1.35, 2.19, 2.19, 3.46, 3.46),
        ),
        "folder": _against(*[(0.0,) * 5] * 4),
    }
)


@cache
def coefficients_hash(sets: tuple[Coefficients, ...] = FROZEN) -> str:
    """Return the SHA-256 of sets of coefficients as sorted JSON, together with those against built-in bots."""
    return sha256(msgspec.json.encode((sets, dict(AGAINST)), order="sorted")).hexdigest()
