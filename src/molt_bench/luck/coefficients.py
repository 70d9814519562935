"""The coefficients of the luck adjustment: fitted once on the scripted ladder, then frozen.

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
        version: Number of the fit.
        depths: Stack-to-pot ratios at which a new bucket begins, ascending.
        chance: For hole cards, flop, turn and river, the weight in each bucket, shallowest first.
        passive: Weight of the equity after a check or call that does not end the betting, before and after the flop.
        raised: Weight of the equity in the chips matched if a raise is called, before and after the flop.
    """

    version: int
    depths: tuple[float, ...]
    chance: tuple[tuple[float, ...], ...]
    passive: tuple[float, float]
    raised: tuple[float, float]

    def bucket(self, behind: int, pot: int) -> int:
        """Return the bucket of a stack-to-pot ratio, 0 for the shallowest."""
        return sum([behind >= depth * pot for depth in self.depths])


#: Fitted to 93 pairings and stacks, 2,000 hands of each in both seatings.
FROZEN: Final = Coefficients(
    version=1,
    depths=(1.0, 8.0),
    chance=((0.96, 1.18, 0.891), (0.493, 0.755, 0.788), (0.529, 1.059, 0.889), (0.835, 1.253, 0.916)),
    passive=(0.356, 0.529),
    raised=(0.556, 0.481),
)


@cache
def coefficients_hash(coefficients: Coefficients = FROZEN) -> str:
    """Return the SHA-256 of the coefficients as sorted JSON."""
    return sha256(msgspec.json.encode(coefficients, order="sorted")).hexdigest()
