"""A line-up as it may truly be: worlds for simulated runs, drawn from what a pilot knows, or from a prior.

What participants win from the field is Normal around 0. How far that spreads is unknown: where hands vary more, players
are further apart, and a pilot shows a spread beyond its own noise. Given that and the pilot's margins, what everybody
wins has a posterior, and every simulated run draws its own truth from it: the spread first, then who wins how much.
Leads that were seen in a few games look larger than they are, and the least of several smaller; both are allowed for.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import Any, Final

import numpy as np

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.poker.arrays import Floats
from molt_bench.study.pilot import Pilot, prior_deviation
from molt_bench.study.simulated_run import World

#: What participants win from the field, as a standard deviation in tie margins of the default, where hands vary as the
#: prior says. Over 23 ladders it was .1 to 10, in proportion to how much their hands vary, and within a factor of 2.
_SPREAD: Final = 2.5
#: How many participants of a pilot that counts as.
_SPREAD_WEIGHT: Final = 2.0
#: How much hands vary without a pilot, over what the prior says, as a logarithm: its mean and standard deviation over
#: the same ladders.
_LESS: Final = -0.25
_UNKNOWN: Final = 0.6
#: How much pairings differ without a pilot: standard deviation of the logarithm of theirs.
_UNLIKE: Final = 0.25
#: Seed pairs of its own that the variance of the others counts as, for a pairing of a pilot.
_OTHERS_WEIGHT: Final = 2.0
_LEAST_SD: Final = 1.0


class LineUp:
    """The participants of a config, as far as they are known.

    Attributes:
        known: Whether the pilot had all of its pairings.
        played: What the first of each pairing won in each seed pair of the pilot, if a run can continue it.
    """

    def __init__(self, config: BenchmarkConfig, pilot: Pilot | None) -> None:
        self._ids = [participant.id for participant in config.participants]
        self._pairs = config.pairings()
        self._hands = 2 * config.game.hands_per_game
        self.known = pilot is not None and all(frozenset(pair) in pilot.margins for pair in self._pairs)
        goes_on = pilot is not None and self.known and pilot.begins(config)
        self.played = {pair: pilot.samples[pair] for pair in self._pairs} if pilot is not None and goes_on else {}
        self._pilot = pilot
        self._usual_sd = prior_deviation(config)
        self._sd = self._usual_sd if pilot is None else pilot.deviation_among(self._pairs)
        self._tie = config.usual_tie_margin()
        count = len(self._ids)
        self._precision: Floats = np.zeros((count, count))
        self._pull: Floats = np.zeros(count)
        #: The sum of squares of what participants win that the pilot shows beyond its noise, and of how many.
        self._seen, self._free = 0.0, 0
        if self.known:
            self._learn()

    def _learn(self) -> None:
        """Note what the margins of the pilot say about what everybody wins."""
        assert self._pilot is not None
        found = [(pair, *self._pilot.margin(*pair)) for pair in self._pairs]
        lines = np.zeros((len(found), len(self._ids)))
        for line, ((first, second), _, _) in zip(lines, found, strict=True):
            line[self._ids.index(first)], line[self._ids.index(second)] = 1.0, -1.0
        # As in a run, every opponent counts the same, however much was played against it.
        weights = np.linalg.pinv(lines)
        skills = weights @ [margin for _, margin, _ in found]
        unexplained = weights * [self._variance(pair) / played for pair, _, played in found] @ weights.T
        self._precision = np.linalg.pinv(unexplained, rcond=1e-9, hermitian=True)
        self._pull = self._precision @ skills
        self._seen = max(0.0, float(skills @ skills) - float(np.trace(unexplained)))
        self._free = len(self._ids) - 1

    def _variance(self, pair: tuple[str, str]) -> float:
        """Return the variance of a seed pair of a pairing that the pilot had."""
        own, free = self._own_variance(pair)
        return (own * free + _OTHERS_WEIGHT * self._sd**2) / (free + _OTHERS_WEIGHT) / self._hands

    def _own_variance(self, pair: tuple[str, str]) -> tuple[float, int]:
        """Return the variance of a hand of a pairing in the pilot, and its degrees of freedom."""
        return self._pilot.variances.get(frozenset(pair), (0.0, 0)) if self._pilot is not None else (0.0, 0)

    def drawn(self, dice: Any) -> World:
        """Draw one truth."""
        sd = self._sd if self._pilot is not None else self._sd * exp(_LESS + _UNKNOWN * dice.standard_normal())
        skill = dict(zip(self._ids, self._skills(sd, dice).tolist(), strict=True))
        return World(
            {(first, second): skill[first] - skill[second] for first, second in self._pairs},
            {pair: max(_LEAST_SD, self._deviation(pair, sd, dice)) for pair in self._pairs},
            tuple(skill.values()),
            self.played,
        )

    def _skills(self, sd: float, dice: Any) -> Floats:
        """Draw what everybody wins."""
        usual = _SPREAD * self._tie * sd / self._usual_sd
        freedom = _SPREAD_WEIGHT + self._free
        spread = (self._seen + _SPREAD_WEIGHT * usual**2) / dice.chisquare(freedom)
        covariance = np.linalg.inv(self._precision + np.eye(len(self._ids)) / max(spread, _LEAST_SD))
        drawn: Floats = covariance @ self._pull + np.linalg.cholesky(covariance) @ dice.standard_normal(len(self._ids))
        return drawn

    def _deviation(self, pair: tuple[str, str], sd: float, dice: Any) -> float:
        """Draw the standard deviation of a seed pair."""
        if not self.known:
            return exp(_UNLIKE * dice.standard_normal()) * sd / sqrt(self._hands)
        freedom = self._own_variance(pair)[1] + _OTHERS_WEIGHT
        return sqrt(self._variance(pair) * freedom / float(dice.chisquare(freedom)))
