"""What a config of a gate says: two versions of an agent, and the loss that does not matter."""

from collections.abc import Iterator
from typing import Final

import msgspec

from molt_bench.agents.settings_base import Problem
from molt_bench.config.stop import StopConfig
from molt_bench.specs import Pair

#: The confidence of a gate; its constants were measured with it.
CONFIDENCE: Final = 0.95


class Versions(msgspec.Struct, frozen=True):
    """Two versions of an agent: the run ends once it is sure whether the new one is worse than the old one.

    Everyone else is an opponent of both, on the same decks, and they play each other.

    Attributes:
        new: Id of the new version.
        old: Id of the old version.
        margin_mbb: Loss that the new version may have, in thousandths of a big blind per hand.
    """

    new: str
    old: str
    margin_mbb: float

    def plays(self, pair: Pair) -> bool:
        """Return whether two play each other: one of them is a version."""
        return not {self.new, self.old}.isdisjoint(pair)

    def as_new(self, pair: Pair) -> Pair:
        """Return a pairing with the new version in place of the old one: it has the same decks and the same dice."""
        first, second = (self.new if name == self.old else name for name in pair)
        return first, second


def gate_problems(stop: StopConfig) -> Iterator[Problem]:
    """Yield what cannot stop a gate."""
    rule, field = stop.adjacent_confidence, "stop.adjacentConfidence"
    if rule is None:
        yield field, None, "a rule, in a gate: its tieMarginMbb is the loss that does not matter"
        return
    if rule.tie_margin_mbb == 0:
        yield f"{field}.tieMarginMbb", 0, "more than 0 in a gate: it is the loss that does not matter"
    if (rule.threshold, rule.method, rule.familywise) != (CONFIDENCE, "margin", False):
        yield field, "another rule", f"tieMarginMbb alone in a gate, which is sure at {CONFIDENCE:.0%}"
    if stop.topk_stable is not None:
        yield "stop.topkStable", "a rule about the order", "none in a gate, which ends when it has its answer"
