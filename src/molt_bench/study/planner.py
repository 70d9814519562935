"""Planning: what a run will take, before any money is spent.

What the whole run takes is in `whole_run`.

A single gap is computed by the run's own rule: when will it call two neighbours ordered, or tied, if one wins this much
more from the field than the other? The answer is the number of seed pairs at which a lead of exactly that size gets
there. A real lead fluctuates around it, so single runs need half or twice as many. Assumed: every pairing plays equally
often, seed pairs vary as in the pilot or the prior, and model replies stay as long as they are.

The other way round, a budget buys a number of seed pairs, and with it the smallest gap that gets there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from math import ceil, erf, exp, fsum, pi, sqrt
from typing import Final, Literal, NamedTuple, TypeAlias, TypedDict

import msgspec
import numpy as np

from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.bench.ladder import margin_model
from molt_bench.bench.stop_rules import judge_of, rule_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError
from molt_bench.rating.boundary import WIDE
from molt_bench.rating.estimate import Estimate
from molt_bench.rating.margins import PRIOR_HANDS, Known, widened
from molt_bench.study.line_up import LineUp
from molt_bench.study.pilot import ModelGuess, Pilot, guess_of, prior_deviation
from molt_bench.study.waiting import sweep_s

#: Gaps that a plan shows if none is requested, in thousandths of a big blind per hand; 0 is a tie.
GAPS: Final = (2000.0, 1000.0, 500.0, 250.0, 100.0, 0.0)

#: Hands per second of scripted bots, including the removal of luck.
BOT_HANDS_PER_SECOND: Final = 1000.0

#: The least lead by which the length of a simulated run is guessed if there are no ties.
_LEAST_LEAD: Final = 25.0
#: Seed pairs of a pairing, at most.
_MOST: Final = 10**9
_LEAST_SD: Final = 1.0


class Assumptions(msgspec.Struct, frozen=True):
    """What a plan assumes.

    Attributes:
        confidence: Required confidence in the order of neighbours.
        familywise: Whether it is that of all neighbours together, or of each two.
        tie_margin: Margin that counts as a tie, in thousandths of a big blind per hand.
        deviation: Standard deviation of a seed pair, in thousandths of a big blind per hand.
        hands: Hands of a seed pair that count.
        pilot_seed_pairs: Seed pairs of the pilot that it is based on; 0 for the prior.
    """

    confidence: float
    familywise: bool
    tie_margin: float
    estimator: str
    deviation: float
    hands: int
    pilot_seed_pairs: int
    pairings: int
    models: tuple[ModelGuess, ...]


#: What the run will conclude: that the higher one is better, that the two are tied, either of all neighbours, or only
#: an interval.
Outcome: TypeAlias = Literal["ordered", "tied", "decided", "interval"]


class Need(msgspec.Struct, frozen=True):
    """What one goal takes in total, and the seed pairs per pairing, in whole matches.

    Attributes:
        target: The gap, or half of the interval, in thousandths of a big blind per hand; None for the whole line-up.
        hands: Hands, at most.
        calls: Calls to language models.
        tokens: Their tokens, input and output.
        usd: Dollars, where prices are known; None if there is no price at all.
        unpriced: The models without a price.
        hours: Hours, with the games of a round at once.
        hours_one_by_one: Hours, with one game after another.
        beyond: The budget limit that ends the run before that, if there is one.
    """

    target: float | None
    outcome: Outcome
    seed_pairs: int
    matches: int
    games: int
    hands: int
    calls: int
    tokens: int
    usd: float | None
    unpriced: tuple[str, ...]
    hours: float
    hours_one_by_one: float
    beyond: str | None


class PlannerOptions(TypedDict, total=False):
    """The options of `Planner` that a user may give."""

    pilot: Pilot | None
    confidence: float | None
    latency_s: float | None


class _Shape(NamedTuple):
    """How a lead or a result varies relative to a pairing's margin: factors of variance, freedom, squared skewness."""

    variance: float
    freedom: float
    skewness: float = 0.0


class Planner:
    """Computes what a config will take.

    Attributes:
        config: What is planned.
        line_up: Makes the participants as the pilot or the prior knows them.
        assumed: What the plan assumes.

    Args:
        pilot: What an earlier run taught; without it, priors are used.
        confidence: Required confidence; None for that of the config.
        latency_s: Seconds per reply; None for the pilot's median, or the prior.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        *,
        pilot: Pilot | None = None,
        confidence: float | None = None,
        latency_s: float | None = None,
    ) -> None:
        self.config = config
        self.line_up = partial(LineUp, config, pilot)
        rule = rule_of(config.stop)
        ids = [participant.id for participant in config.participants]
        hands = 2 * config.game.hands_per_game
        estimator = config.rating.estimator
        per_hand = prior_deviation(config) if pilot is None else pilot.deviation_among(config.pairings())
        prices = PriceList(config.llm.prices)
        self.assumed = Assumptions(
            confidence=rule.threshold if confidence is None else confidence,
            familywise=rule.familywise,
            tie_margin=rule.tie_margin_mbb,
            estimator=estimator,
            deviation=max(per_hand, _LEAST_SD) / sqrt(hands),
            hands=hands,
            pilot_seed_pairs=pilot.seed_pairs if pilot is not None else 0,
            pairings=len(config.pairings()),
            models=tuple(
                guess_of(
                    name,
                    settings,
                    pilot,
                    prices,
                    latency_s,
                    hands=config.game.hands_per_game + config.game.warmup_hands,
                )
                for name, settings in config.models().items()
            ),
        )
        judge = judge_of(config)
        self._boundary = judge.boundary
        self._error = (1 - self.assumed.confidence) / (max(1, len(ids) - 1) if judge.familywise else 1)
        self._lead, self._result = self._shapes(ids)

    def expected(self, lead: float) -> int:
        """Return about how many seed pairs decide this lead; for one near 0 or the tie margin, as if it was not."""
        tie = self.assumed.tie_margin
        if not tie:
            return self._decided(max(lead, _LEAST_LEAD))[1]
        return self._decided(lead if lead >= tie else tie / 2 if lead > tie / 2 else 0.0)[1]

    def to_separate(self, gap: float) -> Need:
        """Return what it takes until the run decides between two neighbours that are this far apart."""
        outcome, count = self._decided(gap)
        return self._need(gap, outcome, count)

    def _decided(self, gap: float) -> tuple[Outcome, int]:
        """Return what the rule concludes first about two neighbours this far apart, and after how many seed pairs."""
        tie = self.assumed.tie_margin

        def ordered(count: int) -> bool:
            return self.gap_after(count) <= gap

        def tied(count: int) -> bool:
            error = self._known(self._lead, count).error[0]
            z = gap / error
            # Of a lead that is normally distributed, its mean distance from 0.
            distance = error * sqrt(2 / pi) * exp(-z * z / 2) + gap * erf(z / sqrt(2))
            return bool(distance + self.gap_after(count) < WIDE * tie)

        counts: dict[Outcome, int] = {}
        if gap > 0:
            counts["ordered"] = _first(ordered)
        if gap < WIDE * tie:
            counts["tied"] = _first(tied)
        outcome = min(counts, key=lambda outcome: counts[outcome])
        return outcome, counts[outcome]

    def gap_after(self, count: float) -> float:
        """Return the smallest lead that is an order after this many seed pairs of every pairing."""
        return float(self._boundary.half_widths(self._known(self._lead, count), self._error)[0])

    def for_matches(self, matches: int) -> Need:
        """Return what this many matches take, and the smallest gap between neighbours that they can show.

        If two that close would sooner be called tied, it is the smallest gap that is not.
        """
        per_match, tie = self.config.seeds.per_match, self.assumed.tie_margin
        matches = min(matches, _MOST * self.assumed.pairings // per_match)
        gap = self.gap_after(matches * per_match / self.assumed.pairings)
        if gap < tie and self._decided(max(gap, tie / 100))[0] == "tied":
            low, high = max(gap, tie / 100), tie
            while high - low > 1e-4 * high:
                middle = (low + high) / 2
                low, high = (middle, high) if self._decided(middle)[0] == "tied" else (low, middle)
            gap = high
        return self.taking(gap, "ordered", matches)

    @property
    def opening(self) -> int:
        """Matches until every pairing has played the least number of seed pairs."""
        return ceil(self.config.scheduler.min_seed_pairs / self.config.seeds.per_match) * self.assumed.pairings

    def to_interval(self, half_width: float) -> Need:
        """Return what it takes until every result is known within an interval, checked once."""
        level = self.assumed.confidence

        def enough(count: int) -> bool:
            known = self._known(self._result, count)
            return Estimate(0.0, float(known.error[0]), float(known.free[0])).half_width(level) <= half_width

        count = _first(enough)
        return self._need(half_width, "interval", count)

    def _shapes(self, ids: Sequence[str]) -> tuple[_Shape, _Shape]:
        """Return how a lead and a result vary relative to a pairing's margin.

        Only anchors and a yardstick make a difference, so one pair of each kind is checked, and the worst one counts.
        """
        field = dict(zip(ids, margin_model(self.config).sums.field.tolist(), strict=True))
        sums = {power: fsum([share**power for share in field.values()]) for power in (2, 3, 4)}

        def of_lead(one: float, two: float) -> _Shape:
            ends = {power: 2 * (one**power + two**power) - (one + two) ** power for power in sums}
            return _shape({power: 2 * total - ends[power] for power, total in sums.items()})

        def of_result(own: float) -> _Shape:
            return _shape({power: (total - own**power) / (1 - own) ** power for power, total in sums.items()})

        shares = sorted({*field.values()})
        pairs = [(one, two) for one, two in combinations([*shares, *shares], 2) if self._has_both(field, one, two)]
        leads = [of_lead(*pair) for pair in pairs]
        results = [of_result(share) for share in shares if share < 1]
        return max(leads, key=lambda each: each.variance), max(results, key=lambda each: each.variance)

    @staticmethod
    def _has_both(field: dict[str, float], one: float, two: float) -> bool:
        """Return whether there are two participants with these shares of the field."""
        count = Counter(field.values())
        return count[one] > 1 if one == two else True

    def _known(self, shape: _Shape, count: float) -> Known:
        """Return what will be known after this many seed pairs of every pairing, if none of them is skewed."""
        unit = self.assumed.deviation * sqrt(shape.variance)
        meetings = 1 if self.config.scheduler.reference is not None else len(self.config.participants) - 1
        error = unit / sqrt(count) * widened(shape.skewness / count, hands=self.assumed.hands, played=meetings * count)
        free = shape.freedom * (PRIOR_HANDS / self.assumed.hands + count - 1)
        return Known(*(np.array([each]) for each in (0.0, error, free, unit, shape.freedom)))

    def _need(self, target: float | None, outcome: Outcome, count: int) -> Need:
        least = self.config.scheduler.min_seed_pairs if outcome != "interval" else 1
        meetings = ceil(max(count, least) / self.config.seeds.per_match)
        return self.taking(target, outcome, meetings * self.assumed.pairings)

    def taking(self, target: float | None, outcome: Outcome, matches: int) -> Need:
        """Return what this many matches take, spread evenly over the pairings."""
        config, assumed = self.config, self.assumed
        per_match, game = config.seeds.per_match, config.game
        meetings = matches / assumed.pairings
        games = 2 * per_match * matches
        hands = games * (game.hands_per_game + game.warmup_hands)
        share = Counter(name for pair in config.pairings() for name in pair)
        calls = {
            model.id: hands * share[model.id] / assumed.pairings * model.calls_per_hand for model in assumed.models
        }
        priced = [model for model in assumed.models if model.usd_per_call is not None]
        usd = fsum(calls[model.id] * (model.usd_per_call or 0.0) for model in priced)
        tokens = fsum(calls[model.id] * (model.input_tokens + model.output_tokens) for model in assumed.models)
        bots = hands / BOT_HANDS_PER_SECOND
        one_by_one = fsum(calls[model.id] * model.latency_s for model in assumed.models)
        need = Need(
            target=target,
            outcome=outcome,
            seed_pairs=matches * per_match // assumed.pairings,
            matches=matches,
            games=games,
            hands=hands,
            calls=round(fsum(calls.values())),
            tokens=round(tokens),
            usd=usd if priced or not assumed.models else None,
            unpriced=tuple(model.id for model in assumed.models if model.usd_per_call is None),
            hours=(meetings * sweep_s(config, assumed.models) + bots) / 3600,
            hours_one_by_one=(one_by_one + bots) / 3600,
            beyond=None,
        )
        return msgspec.structs.replace(need, beyond=self._beyond(need))

    def _beyond(self, need: Need) -> str | None:
        """Return the budget limit that this would exceed."""
        limits = self.config.stop.budget
        if limits is None:
            return None
        for limit, value, name in (
            (limits.max_matches, need.matches, "maxMatches"),
            (limits.max_games, need.games, "maxGames"),
            (limits.max_hands, need.hands, "maxHands"),
            (limits.max_seconds, need.hours * 3600, "maxSeconds"),
            (limits.max_cost_usd, need.usd or 0.0, "maxCostUsd"),
            (limits.max_tokens, need.tokens, "maxTokens"),
        ):
            if limit is not None and value > limit:
                return f"{name}: {limit:,.10g}" if isinstance(limit, float) else f"{name}: {limit:,}"
        return None


def _shape(sums: dict[int, float]) -> _Shape:
    """Return how a sum varies, given the sums of the powers of its weights."""
    return _Shape(sums[2], sums[2] ** 2 / sums[4], sums[3] ** 2 / sums[2] ** 3)


def _first(enough: Callable[[int], bool]) -> int:
    """Return the smallest number that is enough, given that every larger one is, too."""
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST:
            raise ConfigError("--gap", None, "a gap or an interval that a billion seed pairs can show")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
