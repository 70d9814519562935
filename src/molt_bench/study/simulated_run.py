"""A simulated run: how many matches it takes until its own rule stops it, with margins drawn instead of played.

A run that continues a pilot begins with the pilot's margins.

Ladder, matchmaker and stop rule are those of a real run; only the games are missing. A seed pair's margin is drawn from
a Normal distribution around what the first truly wins from the second. Matches become longer as the run does, so that
long runs take little more time than short ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from math import ceil
from typing import Any, Final

import msgspec
import numpy as np

from molt_bench.bench.ladder import Ladder
from molt_bench.bench.next_round import next_pairs
from molt_bench.bench.result import PlayedMatch
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.spending import Spending
from molt_bench.bench.stop_rules import first_reason, rule_of, rules_of
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.rating.verdicts import VerdictKind
from molt_bench.records import MatchResult
from molt_bench.specs import Pair

#: A match adds one seed pair to so many that have been played, if that is more than its own.
_GROWTH: Final = 40
#: How many times longer than expected a run may be before it is given up, as a run that ends there.
_MOST: Final = 10


class World(msgspec.Struct, frozen=True):
    """What is true of a line-up, by pairing.

    Attributes:
        margins: What the first wins from the second, in thousandths of a big blind per hand.
        deviations: Standard deviation of a seed pair, in the same unit.
        skills: What each participant wins from the field.
        played: What the first won in seed pairs that have been played: simulated runs go on from there.
    """

    margins: Mapping[Pair, float]
    deviations: Mapping[Pair, float]
    skills: tuple[float, ...] = ()
    played: Mapping[Pair, tuple[float, ...]] = {}

    def leads(self) -> list[float]:
        """Return the leads of neighbours."""
        return [above - below for above, below in pairwise(sorted(self.skills, reverse=True))]


class SimulatedRun(msgspec.Struct, frozen=True):
    """How a run ended: the seed pairs of all pairings, and the verdicts on neighbours, best first."""

    seed_pairs: int
    verdicts: tuple[VerdictKind, ...]


class _DrawnLadder(Ladder):
    """The ladder of a run whose margins are drawn."""

    def __init__(self, config: BenchmarkConfig, world: World, dice: Any) -> None:
        super().__init__(config)
        self._world, self._dice = world, dice
        self.seed_pairs = 0
        for pair, margins in world.played.items():
            self._enter_drawn(pair, margins)
            self.meetings[pair] = ceil(len(margins) / config.seeds.per_match)
        self._look_anew()

    def draw(self, pair: Pair) -> None:
        """Add a match of two, or several as one."""
        per_match = self.config.seeds.per_match
        times = max(1, self.seed_pairs // (_GROWTH * per_match))
        drawn = self._dice.normal(self._world.margins[pair], self._world.deviations[pair], times * per_match)
        self._enter_drawn(pair, tuple(drawn.tolist()))
        self.meetings[pair] += times
        nothing: Any = None  # the schedule knows who played, and nothing else
        self.matches.append(PlayedMatch(0, 0, 0, pair, MatchResult(()), nothing))
        self._look_anew()

    def _enter_drawn(self, pair: Pair, margins: tuple[float, ...]) -> None:
        self.margins.add(pair, margins)
        self.seed_pairs += len(margins)


def simulated_run(config: BenchmarkConfig, world: World, *, expected: float, seed: int) -> SimulatedRun:
    """Simulate a run until every two neighbours are ordered or tied.

    `expected` is about how many seed pairs of each pairing it will take.
    """
    rule = rule_of(config.stop).model_copy(update={"method": "margin"})
    seeds = config.seeds.model_copy(update={"file": None, "master_seed": 0})
    endless = {"stop": StopConfig(adjacent_confidence=rule, budget=None), "seeds": seeds}
    ladder = _DrawnLadder(config.model_copy(update=endless), world, np.random.RandomState(seed))
    rules, blocks, spending = rules_of(ladder.config.stop), SeedBlocks(seeds, ladder.meetings), Spending({})
    least, at_once = max(seeds.per_match, config.scheduler.min_seed_pairs), config.matches_per_round()
    most = ladder.seed_pairs + _MOST * len(ladder.meetings) * max(expected, least)
    while ladder.seed_pairs < most and first_reason(rules, ladder.progress(spending, seconds=0.0)) is None:
        for pair in next_pairs(ladder.config, ladder, blocks, spending, at_once):
            ladder.draw(pair)
        ladder.end_round()
    return SimulatedRun(ladder.seed_pairs, tuple(each.kind for each in ladder.verdicts()))
