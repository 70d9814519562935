"""Bots that mix: they say so, and the bench draws; or they draw with dice of their own."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from molt_bench.agents.base import Mix, RaiseRange
from molt_bench.agents.scripted import ScriptedAgent
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Entry
from molt_bench.poker.observation import Observation
from molt_bench.seeds import Seed, derive

#: Actions and ranges with their probabilities.
Chances: TypeAlias = Sequence[tuple[Entry, float]]
#: What the weights of a mix add up to, about.
_WHOLE = 1_000_000
_BITS = 64


class Mixer(ScriptedAgent, ABC):
    """A bot that mixes.

    Args:
        seed: Gives its own dice.
        publish: Whether it says how it mixes, rather than draw with its own dice.
    """

    def __init__(self, *, seed: Seed, publish: bool = False) -> None:
        super().__init__()
        self._seed, self._publish = seed, publish

    @abstractmethod
    def chances(self, observation: Observation) -> Chances:
        """Return what it does, and how often."""

    def act(self, observation: Observation) -> Action | Mix:
        """State its mix, or draw from it."""
        answer = mixed(self.chances(observation))
        if self._publish or isinstance(answer, Action):
            return answer
        bits = derive(self._seed, observation.hand_number, *observation.cards, len(observation.log))
        return answer.drawn(bits % (1 << _BITS), (bits >> _BITS) % (1 << _BITS))


def mixed(chances: Iterable[tuple[Entry, float]]) -> Action | Mix:
    """Return a mix by these chances: what is named twice is added up, and what is certain is an action."""
    found: dict[Entry, float] = {}
    for entry, chance in chances:
        found[entry] = found.get(entry, 0.0) + chance
    ranges = [entry for entry in found if isinstance(entry, RaiseRange)]
    for whole in ranges:
        chance = found.pop(whole)
        for part in _parts(whole, [entry.amount for entry in found if isinstance(entry, Action)]):
            size = (part.high - part.low + 1) / (whole.high - whole.low + 1)
            entry = Action("raiseTo", part.low) if part.low == part.high else part
            found[entry] = found.get(entry, 0.0) + chance * size
    weighed = [(entry, round(chance * _WHOLE)) for entry, chance in found.items()]
    entries = [(entry, weight) for entry, weight in weighed if weight]
    (first, _), *more = entries
    return first if isinstance(first, Action) and not more else Mix(entries)


def _parts(whole: RaiseRange, amounts: Iterable[int]) -> list[RaiseRange]:
    """Return the parts of a range between single amounts in it, and these amounts."""
    inside = sorted({amount for amount in amounts if whole.low <= amount <= whole.high})
    edges = [whole.low - 1, *inside, whole.high + 1]
    between = [RaiseRange(low + 1, high - 1) for low, high in pairwise(edges) if high - low > 1]
    return [*between, *[RaiseRange(amount, amount) for amount in inside]]
