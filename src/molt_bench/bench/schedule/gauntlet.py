"""The matchmaker `gauntlet`: everybody plays the yardstick alone."""

from collections.abc import Sequence

from molt_bench.bench.schedule.information_gain import information_gain
from molt_bench.bench.schedule.situation import Situation
from molt_bench.specs import Pair


def gauntlet(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Choose as `information_gain` does; the only pairs are those of the yardstick with everybody else."""
    return information_gain(situation, pairs)


def deciding_pairs(situation: Situation, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs whose margin counts in the lead of undecided neighbours.

    That is at most two for each, so other matches of a round would be played for nothing.
    """
    contrasts = situation.contrasts
    return [pair for pair in pairs if not contrasts or any(each.weights.get(pair) for each in contrasts)]
