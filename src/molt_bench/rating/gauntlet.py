"""The margin model of a gauntlet: one participant, the yardstick, is the whole field of everybody else.

Results are margins against the yardstick, leads are differences of them, and the yardstick itself stands at 0.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Final, Unpack

from molt_bench.rating.pairwise_model import MarginModel, ModelOptions
from molt_bench.rating.student import Estimate
from molt_bench.specs import Pair

#: The yardstick neither wins nor loses, by definition.
_BY_DEFINITION: Final = Estimate(0.0, 0.0, inf)


class GauntletModel(MarginModel):
    """A margin model in which everybody plays the yardstick alone; anchors change nothing."""

    def __init__(self, participants: Sequence[str], yardstick: str, **options: Unpack[ModelOptions]) -> None:
        super().__init__(participants, **options)
        self.yardstick: str = yardstick

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Every pair with the yardstick, whether they have played or not."""
        return tuple(pair for pair in self._pairs if self.yardstick in pair)

    def result(self, name: str) -> Estimate:
        """Return what a participant wins from the yardstick."""
        return _BY_DEFINITION if name == self.yardstick else super().result(name)

    def field_of(self, name: str) -> tuple[str, ...]:
        """Return the yardstick alone, and nobody for the yardstick."""
        return () if name == self.yardstick else (self.yardstick,)

    def _rows(self) -> None:
        return None

    def _weights(self, wanted: Mapping[str, float], *, in_own_field: bool = True) -> dict[Pair, float]:
        return super()._weights(wanted, in_own_field=False)
