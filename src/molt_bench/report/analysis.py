"""The analysis of a result: everything that reports say about it, worked out once and shared by all of them.

Win rates come from the margin model: the mean over all opponents of the field, each with the same weight, however often
they were met. Their intervals take the seed pair as the unit. If part of the field has not been met, the win rate is
the mean over the others, without an interval. In a gauntlet, the reference is the whole field.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import pairwise, zip_longest
from math import inf, isfinite, sqrt
from typing import Any, Final

import msgspec

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.result import AgentUsage, Failures, PlayedMatch, RunResult, failures_of
from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.sections import AdjacentConfidence
from molt_bench.rating.book import MarginBook
from molt_bench.rating.cycles import Cycle, significant_cycles
from molt_bench.rating.margin import MarginModel
from molt_bench.rating.openskill import normal_cdf
from molt_bench.rating.payoffs import PayoffMatrix, payoff_matrix
from molt_bench.rating.ranks import rank_intervals
from molt_bench.rating.verdicts import Verdict
from molt_bench.records import ESTIMATORS, GameRecord, Rating

#: 10 mbb (thousandths of a big blind) per hand are one big blind per 100 hands.
MBB_PER_BB100: Final = 10.0


class ParticipantNumbers(msgspec.Struct, frozen=True):
    """The figures of one participant.

    Attributes:
        bb_per_100: Big blinds won per 100 hands from the field, or from those of it that were met; None before that.
        half_width: Half the width of its 95% interval; infinite if an opponent has not been met.
        ranks: The ranks it may have, with the run's confidence; None if margins do not decide.
        better_than_next: How sure it is that it is better than the next one; None for the last.
        hands: Hands that count.
        faults: Faults by kind.
        forced_folds: Hands folded after a last fault.
        met: How many of its field it has met, and of how many; None if its result is complete.
        ranked: Whether it has a rank; not if it hardly ever answered, so that it did not really play.
        reference: Whether it is the reference of a gauntlet, which stands at 0 by definition.
        from_reference: Big blinds won per 100 hands from the one that all are measured against, with half the width of
            the 95% interval, from their own games alone; None for that one, where there is none, and before they met.
    """

    rating: Rating
    name: str
    bb_per_100: float | None
    half_width: float
    ranks: tuple[int, int] | None
    better_than_next: float | None
    hands: int
    faults: dict[str, int]
    forced_folds: int
    met: tuple[int, int] | None = None
    ranked: bool = True
    reference: bool = False
    from_reference: tuple[float, float] | None = None


class Analysis:
    """What a result shows; each property is computed when it is first read."""

    def __init__(self, result: RunResult) -> None:
        self.result = result
        self.rule = result.config.stop.adjacent_confidence or AdjacentConfidence()
        self.by_margins = self.rule.method == "margin"
        self.judge = judge_of(result.config)

    @cached_property
    def names(self) -> dict[str, str]:
        """The display names of all participants, by id."""
        return {each.id: each.display_name or each.id for each in self.result.config.participants}

    @property
    def reference(self) -> str | None:
        """The one that everybody played alone, in a gauntlet."""
        return self.result.config.scheduler.reference

    @cached_property
    def measured_against(self) -> str | None:
        """The one that everybody is measured against: the reference of a gauntlet, or a `blueprint` that plays."""
        return self.result.config.measured_against()

    @cached_property
    def model(self) -> MarginModel:
        """Who wins how much from whom, by the config's estimator."""
        return _margin_model(self.result, self.result.config.rating.estimator)

    @cached_property
    def models(self) -> Mapping[str, MarginModel]:
        """The same by each estimator."""
        return {name: _margin_model(self.result, name) for name in ESTIMATORS}

    @cached_property
    def unranked(self) -> dict[str, Failures]:
        """Those who hardly ever answered: they have no rank, and nobody is compared with them."""
        return {name: found for name, found in failures_of(self.result.matches).items() if found.helpless}

    @cached_property
    def neighbours(self) -> tuple[Verdict, ...]:
        """The verdict on each pair of neighbours in the ranking by margins."""
        return self.judge.neighbours(self.model, self.unranked)

    @cached_property
    def board_verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each pair of neighbours on the leaderboard; none if margins do not decide."""
        if not self.by_margins:
            return ()
        ranked = [rating.id for rating in self.result.leaderboard if rating.id not in self.unranked]
        return self.judge.verdicts(self.model, pairwise(ranked))

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """The cycles that are certain enough to report."""
        return significant_cycles(self.model, self.judge.test, error=self.judge.error)

    @cached_property
    def ranked_cycles(self) -> list[Cycle]:
        """The same without those that involve an unranked participant."""
        return [cycle for cycle in self.cycles if self.unranked.keys().isdisjoint(cycle.members)]

    @cached_property
    def payoffs(self) -> PayoffMatrix:
        """What everybody wins from everybody."""
        return payoff_matrix(self.model, self.judge.test)

    @cached_property
    def rows(self) -> tuple[ParticipantNumbers, ...]:
        """Everybody's figures in the order of the leaderboard; the unranked come last."""
        ranks = (
            rank_intervals(self.model, self.judge.test, error=self.judge.error, apart=self.unranked)
            if self.by_margins
            else {}
        )
        ranked = [rating for rating in self.result.leaderboard if rating.id not in self.unranked]
        last = [rating for rating in self.result.leaderboard if rating.id in self.unranked]
        below = zip_longest([*ranked, *last], ranked[1:])
        return tuple(self._row(rating, next_, ranks) for rating, next_ in below)

    def _row(self, rating: Rating, below: Rating | None, ranks: Mapping[str, tuple[int, int]]) -> ParticipantNumbers:
        won = self.model.so_far(rating.id)
        known = won is not None and isfinite(won.scale)
        own = [match for match in self.result.matches if rating.id in match.participants]
        faults = [
            fault
            for match in own
            for fault in match.result.faults
            if fault.player == match.participants.index(rating.id)
        ]
        return ParticipantNumbers(
            rating=rating,
            name=self.names[rating.id],
            bb_per_100=None if won is None else won.mean / MBB_PER_BB100,
            half_width=inf if won is None else won.half_width() / MBB_PER_BB100,
            ranks=ranks.get(rating.id),
            better_than_next=None if below is None else self._better(rating, below),
            hands=sum(match.result.hands for match in own),
            faults=dict(Counter(fault.kind for fault in faults)),
            forced_folds=sum(fault.forced_fold for fault in faults),
            met=None if known else (len(self.model.met(rating.id)), len(self.model.field_of(rating.id))),
            ranked=rating.id not in self.unranked,
            reference=rating.id == self.reference,
            from_reference=self._from_reference(rating.id),
        )

    def _from_reference(self, name: str) -> tuple[float, float] | None:
        other = self.measured_against
        if other is None or other == name or not self.model.count(name, other):
            return None
        won = self.model.margin(name, other)
        return won.mean / MBB_PER_BB100, won.half_width() / MBB_PER_BB100

    def _better(self, above: Rating, below: Rating) -> float:
        if self.by_margins:
            return self.judge.sure(self.model.lead(above.id, below.id))
        return normal_cdf((above.mu - below.mu) / sqrt(above.sigma**2 + below.sigma**2))


def _games(matches: Iterable[PlayedMatch]) -> list[GameRecord]:
    return [game for match in matches for pair in match.result.seed_results for game in pair.games]


def totals(result: RunResult) -> dict[str, int]:
    """Return how much was played."""
    games = _games(result.matches)
    return {
        "matches": len(result.matches),
        "games": len(games),
        "hands": sum(game.dealt for game in games),
        "actions": sum(game.actions for game in games),
    }


def guardrails(result: RunResult) -> dict[str, Any]:
    """Return the checks that every trustworthy run passes."""
    games = _games(result.matches)
    failed = sum(any(fault.forced_fold for fault in game.faults) for game in games)
    sigmas = [
        after.sigma < before.sigma
        for match in result.matches
        for before, after in zip(match.change.before, match.change.after, strict=True)
    ]
    return {
        "errorRate": failed / len(games) if games else 0.0,
        "chipsConserved": all(sum(game.net) == 0 for game in games),
        "sigmaDecreased": sum(sigmas) / len(sigmas) if sigmas else 1.0,
    }


def efficiency(result: RunResult) -> dict[str, Any]:
    """Return how many games were played, and how many a round robin of the same depth would have taken."""
    met = Counter(match.participants for match in result.matches)
    count = len(result.config.participants)
    per_match = 2 * result.config.seeds.per_match
    full = count * (count - 1) // 2 * max(met.values(), default=0) * per_match
    games = len(result.matches) * per_match
    return {"games": games, "roundRobinGames": full, "ratio": games / full if full else None}


def _margin_model(result: RunResult, estimator: str) -> MarginModel:
    model = margin_model(result.config)
    book = MarginBook(model, estimator)
    for match in result.matches:
        book.add(match.participants, match.margins, [pair.seed for pair in match.result.seed_results])
    return model


class CostNumbers(msgspec.Struct, frozen=True):
    """What one language model used, in figures that can be compared; None if no price is known."""

    usage: AgentUsage
    usd_per_hand: float | None
    usd_per_100_decisions: float | None


def cost_numbers(result: RunResult) -> list[CostNumbers]:
    """Return the figures of all language models, in the order of the leaderboard."""
    order = {rating.id: at for at, rating in enumerate(result.leaderboard)}
    rows = []
    for usage in sorted(result.usage, key=lambda usage: order[usage.id]):
        hands = sum(game.dealt for game in _games([m for m in result.matches if usage.id in m.participants]))
        usd = usage.cost_usd
        rows.append(
            CostNumbers(
                usage,
                usd / hands if usd is not None and hands else None,
                100 * usd / usage.decisions if usd is not None and usage.decisions else None,
            )
        )
    return rows


def dollars(amount: float | None) -> str:
    """Format an amount with as many digits as needed; without a price it is not free.

    >>> dollars(12.345), dollars(0.00123), dollars(0.0), dollars(None)
    ('$12.35', '$0.0012', '$0', 'unpriced')
    """
    if amount is None:
        return "unpriced"
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.2g}"
