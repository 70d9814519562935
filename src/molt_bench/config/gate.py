"""The section `gate` of a config: two versions of an agent, and the loss that does not matter."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import Field

from molt_bench.agents.settings_base import MUCH, Name, Section
from molt_bench.specs import Pair
from molt_bench.suggestions import one_of


class GateConfig(Section):
    """Two versions of an agent: the run ends once it is sure whether the new one is worse than the old one.

    Everybody else is an opponent of both, on the same decks, and they play each other.
    """

    new: Annotated[Name, Field(description="Id of the new version.")]
    old: Annotated[Name, Field(description="Id of the old version.")]
    margin_mbb: Annotated[
        float,
        Field(gt=0, le=MUCH, description="Loss that the new version may have, in thousandths of a big blind per hand."),
    ] = 500.0

    def problems(self, ids: Sequence[str]) -> Iterator[tuple[str, object, str]]:
        """Yield what is wrong among participants of these ids: field, value and what would do."""
        for field, name in (("new", self.new), ("old", self.old)):
            if name not in ids:
                yield f"gate.{field}", name, f"the id of a participant: {one_of(ids, name)}"
        if self.new == self.old:
            yield "gate.old", self.old, "another participant than gate.new"

    def plays(self, pair: Pair) -> bool:
        """Return whether two play each other: one of them is a version."""
        return not {self.new, self.old}.isdisjoint(pair)

    def as_new(self, pair: Pair) -> Pair:
        """Return a pairing with the new version in place of the old one: it has the same decks and the same dice."""
        first, second = (self.new if name == self.old else name for name in pair)
        return first, second


def without_order(value: dict[str, Any]) -> dict[str, Any]:
    """Return a config of a gate in which nothing else stops the run, unless it says what does."""
    stop = value.get("stop")
    if stop is not None and not isinstance(stop, dict):
        return value
    said = stop or {}
    implied = {} if {"adjacentConfidence", "adjacent_confidence"} & {*said} else {"adjacentConfidence": None}
    return {**value, "stop": {**said, **implied}}
