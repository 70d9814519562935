"""The coefficients of the luck adjustment: fitted once on the scripted ladder, then frozen.

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


def _against(*chance: tuple[float, ...]) -> Coefficients:
    return Coefficients(
        version=1, depths=(1.0, 4.0, 10.0, 30.0), chance=chance, passive=FROZEN.passive, raised=FROZEN.raised
    )


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
def coefficients_hash(*sets: Coefficients) -> str:
    """Return the SHA-256 of sets of coefficients as sorted JSON; without arguments, of all frozen ones."""
    return sha256(msgspec.json.encode(sets or (FROZEN, dict(AGAINST)), order="sorted")).hexdigest()
