"""A line-up as it may truly be: worlds for simulated runs, drawn from what a pilot knows, or from a prior.

What participants win from the field is Normal around 0, as spread as the pilot shows beyond its own noise. Given the
pilot's margins that has a posterior, and every simulated run draws its own truth from it. Leads that were seen in a few
games look larger than they are, which the posterior allows for.
"""

from __future__ import annotations

from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.lazy_import import lazy_import
from molt_bench.study.pilot import Pilot, prior_deviation
from molt_bench.study.simulated_runs import World

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy_import("numpy")

#: What participants are assumed to win from the field, as a standard deviation in tie margins of the default: over
#: eleven ladders it was .8 to 5.6.
_SPREAD: Final = 2.0
#: How many participants of a pilot that counts as.
_SPREAD_WEIGHT: Final = 2.0
#: How much pairings differ without a pilot: standard deviation of the logarithm of theirs.
_UNLIKE: Final = 0.25
#: Seed pairs of its own that the variance of the others counts as, for a pairing of a pilot.
_OTHERS_WEIGHT: Final = 2.0
_LEAST_SD: Final = 1.0


class LineUp:
    """The participants of a config, as far as they are known.

    Attributes:
        known: Whether the pilot had all of its pairings.

    Args:
        variance: Share of the variance that is left, where part of the luck is known to be removed.
    """

    def __init__(self, config: BenchmarkConfig, pilot: Pilot | None, *, variance: float = 1.0) -> None:
        self._ids = [participant.id for participant in config.participants]
        self._pairs = config.pairings()
        self._hands = 2 * config.game.hands_per_game
        self._left = variance
        self.known = pilot is not None and all(frozenset(pair) in pilot.margins for pair in self._pairs)
        self._pilot = pilot
        self._prior_sd = prior_deviation(config) if pilot is None else pilot.deviation_among(self._pairs)
        spread = _SPREAD * config.usual_tie_margin()
        self._mean, self._root = np.zeros(len(self._ids)), spread * np.eye(len(self._ids))
        if self.known:
            self._learn(spread)

    def _learn(self, usual: float) -> None:
        """Compute the posterior of what everybody wins, given the margins of the pilot."""
        assert self._pilot is not None
        count = len(self._ids)
        found = [(pair, *self._pilot.margin(*pair)) for pair in self._pairs]
        noise = fmean(self._variance(pair) / played for pair, _, played in found)
        precision, pull = np.zeros((count, count)), np.zeros(count)
        for (first, second), margin, _ in found:
            line = np.zeros(count)
            line[self._ids.index(first)], line[self._ids.index(second)] = 1.0, -1.0
            precision += np.outer(line, line) / noise
            pull += line * margin / noise
        unexplained = np.linalg.pinv(precision)
        skills = unexplained @ pull
        seen = float(skills @ skills) - float(np.trace(unexplained))
        free = count - 1
        spread = (max(0.0, seen) + _SPREAD_WEIGHT * usual**2) / (free + _SPREAD_WEIGHT)
        covariance = np.linalg.inv(precision + np.eye(count) / spread)
        self._mean, self._root = covariance @ pull, np.linalg.cholesky(covariance)

    def _variance(self, pair: tuple[str, str]) -> float:
        """Return the variance of a seed pair of a pairing that the pilot had."""
        assert self._pilot is not None
        own, free = self._pilot.variances.get(frozenset(pair), (0.0, 0))
        others = self._prior_sd**2
        return (own * free + _OTHERS_WEIGHT * others) / (free + _OTHERS_WEIGHT) / self._hands

    def drawn(self, dice: Any) -> World:
        """Draw one truth."""
        skills = self._mean + self._root @ dice.standard_normal(len(self._ids))
        skill = dict(zip(self._ids, skills.tolist(), strict=True))
        unlike = np.exp(_UNLIKE * dice.standard_normal(len(self._pairs))).tolist()
        scale = sqrt(self._left)
        return World(
            {(first, second): skill[first] - skill[second] for first, second in self._pairs},
            {
                pair: max(
                    _LEAST_SD,
                    scale * (sqrt(self._variance(pair)) if self.known else each * self._prior_sd / sqrt(self._hands)),
                )
                for pair, each in zip(self._pairs, unlike, strict=True)
            },
            tuple(skill.values()),
        )
