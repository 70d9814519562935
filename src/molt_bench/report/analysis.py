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

from molt_bench.agents.llm.settings import FIRST_HARNESS, LLMSettings
from molt_bench.bench.ladder import margin_model
from molt_bench.bench.result import Failures, PlayedMatch, RunResult, failures_of
from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.sections import AdjacentConfidence
from molt_bench.errors import on_one_line
from molt_bench.rating.book import AUTO, RAW, MarginBook
from molt_bench.rating.cycles import Cycle, significant_cycles
from molt_bench.rating.margin import MarginModel
from molt_bench.rating.openskill import normal_cdf
from molt_bench.rating.payoffs import PayoffMatrix, payoff_matrix
from molt_bench.rating.ranks import rank_intervals
from molt_bench.rating.student import Estimate
from molt_bench.rating.verdicts import Verdict
from molt_bench.records import ESTIMATORS, GameRecord, Rating
from molt_bench.specs import Pair

#: 10 mbb (thousandths of a big blind) per hand are one big blind per 100 hands.
MBB_PER_BB100: Final = 10.0


class ParticipantNumbers(msgspec.Struct, frozen=True):
    """The figures of one participant.

    Attributes:
        bb_per_100: Big blinds won per 100 hands from the field, or from those of it that were met; None before that.
        half_width: Half the width of its 95% interval; infinite if an opponent has not been met.
        rank: Its place, from 1; those who are tied share one. None if it has none: it has not played, or is not ranked.
        ranks: The ranks it may have, with the run's confidence; None if margins do not decide.
        better_than_next: How sure it is that it is better than the next one; None for the last.
        hands: Hands that count.
        faults: Faults by kind.
        forced_folds: Hands folded after a last fault.
        met: How many of its field it has met, and of how many; None if its result is complete.
        ranked: Whether it has a rank; not if it hardly ever answered, so that it did not really play.
        reference: Whether it is the reference of a gauntlet, which stands at 0 by definition.
        raw: Big blinds won per 100 hands in chips, from the same opponents, with half the width of the 95% interval.
        suspect: Whether its chips and its result without luck cannot both be right, so that its chips alone count.
        from_reference: Big blinds won per 100 hands from the one that all are measured against, with half the width of
            the 95% interval, from their own games alone; None for that one, where there is none, and before they met.
    """

    rating: Rating
    name: str
    bb_per_100: float | None
    half_width: float
    rank: int | None
    ranks: tuple[int, int] | None
    better_than_next: float | None
    hands: int
    faults: dict[str, int]
    forced_folds: int
    met: tuple[int, int] | None = None
    ranked: bool = True
    reference: bool = False
    from_reference: tuple[float, float] | None = None
    raw: tuple[float, float] | None = None
    suspect: bool = False


def shown_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return display names by id as they are printed: on one line, none of them empty, and each different.

    >>> shown_names({"a": "same", "b": "same ", "c": " ", "d": "D"})
    {'a': 'same (a)', 'b': 'same (b)', 'c': 'c', 'd': 'D'}
    """
    found = {name: on_one_line(text).strip() or name for name, text in names.items()}
    count = Counter(found.values())
    return {name: text if count[text] == 1 else f"{text} ({name})" for name, text in found.items()}


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

    @cached_property
    def shown(self) -> dict[str, str]:
        """The names as they are printed: on one line, without control characters, and each different."""
        return shown_names(self.names)

    @cached_property
    def harnesses(self) -> dict[str, str]:
        """How each language model was asked: its harness with its version, its track, and whatever else it had."""
        recorded, models = self.result.harnesses, self.result.config.models()
        return {
            name: ", ".join([recorded.get(name, FIRST_HARNESS), each.track, *_more(each)])
            for name, each in models.items()
        }

    @property
    def mixes_harnesses(self) -> bool:
        """Whether models that were asked in different ways are in this rating."""
        return len({*self.harnesses.values()}) > 1

    @property
    def reference(self) -> str | None:
        """The one that everybody played alone, in a gauntlet."""
        return self.result.config.scheduler.reference

    @cached_property
    def measured_against(self) -> str | None:
        """The one that everybody is measured against: the reference of a gauntlet, or a `blueprint` that plays."""
        return self.result.config.measured_against()

    @cached_property
    def _book(self) -> MarginBook:
        return _margin_book(self.result, self.result.config.rating.estimator, self.result.suspicion.suspects)

    @cached_property
    def trusting(self) -> MarginModel:
        """The same as if everybody could be trusted: what would be shown of suspects."""
        if not self.result.suspicion.suspects:
            return self.model
        return _margin_book(self.result, self.result.config.rating.estimator).model

    @cached_property
    def raw(self) -> MarginModel:
        """Who wins how many chips from whom."""
        return _margin_book(self.result, RAW).model

    @property
    def model(self) -> MarginModel:
        """Who wins how much from whom, by the config's estimator."""
        return self._book.model

    @cached_property
    def estimators(self) -> dict[Pair, str]:
        """The estimator that the result of each pairing is by; with `auto`, the one it took."""
        met = dict.fromkeys(match.participants for match in self.result.matches)
        return {pair: self._book.estimator_of(pair) for pair in met}

    @cached_property
    def estimator(self) -> str:
        """The estimator of the results in words, such as "fitted" or "auto: fitted in 5 of 6 pairings, raw in 1"."""
        asked = self.result.config.rating.estimator
        if asked != AUTO and not self.result.suspicion.suspects:
            return asked
        taken = Counter(self.estimators.values()).most_common()
        if len(taken) < 2:
            return f"{asked}: {taken[0][0]}" if taken else asked
        (first, most), *others = taken
        said = f"{asked}: {first} in {most:,} of {len(self.estimators):,} pairings"
        return ", ".join([said, *[f"{name} in {count:,}" for name, count in others]])

    @cached_property
    def models(self) -> Mapping[str, MarginModel]:
        """The same by each estimator."""
        return {name: self.raw if name == RAW else _margin_book(self.result, name).model for name in ESTIMATORS}

    @cached_property
    def unranked(self) -> dict[str, Failures]:
        """Those who hardly ever answered: they have no rank, and nobody is compared with them."""
        return {name: found for name, found in failures_of(self.result.matches).items() if found.helpless}

    @cached_property
    def by_result(self) -> tuple[str, ...]:
        """Everybody by what they win from the field, best first; then those who have not played, then the unranked.

        If all have met, this is the ranking that the verdicts are about. Until then, nothing is known about the rest of
        the field, and it is the order of the results so far.
        """
        so_far = {name: self.model.so_far(name) for name in self.model.participants}
        means = {name: -inf if known is None else known.mean for name, known in so_far.items()}
        order = list(self.model.ranking())
        if any(known is None or not isfinite(known.scale) for known in so_far.values()):
            order.sort(key=lambda name: -means[name])
        return tuple(sorted(order, key=lambda name: (name in self.unranked, means[name] == -inf)))

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The one order of the run, the one that its confidence is about: by result, or by mu if margins do not decide.

        The unranked come last.
        """
        if self.by_margins:
            return self.by_result
        by_mu = [rating.id for rating in self.result.leaderboard]
        return tuple(sorted(by_mu, key=lambda name: name in self.unranked))

    @cached_property
    def neighbours(self) -> tuple[Verdict, ...]:
        """The verdict on each pair of neighbours in the order by results."""
        ranked = [name for name in self.by_result if name not in self.unranked]
        return self.judge.verdicts(self.model, pairwise(ranked), doubted=self.result.suspicion.doubted)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The same for the leaderboard; none if margins do not decide."""
        return self.neighbours if self.by_margins and self.result.matches else ()

    @cached_property
    def _rank_intervals(self) -> Mapping[str, tuple[int, int]]:
        if not self.by_margins:
            return {}
        judge = self.judge
        return rank_intervals(
            self.model, judge.test, error=judge.error, apart=self.unranked, familywise=judge.familywise
        )

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The rank of everybody who has one; those who are tied, or have the same result, share the best of theirs."""
        tied = {each.below for each in self.verdicts if each.kind == "tied"}
        played = [name for name in self.order if name not in self.unranked and self._played(name)]
        found: dict[str, int] = {}
        first: str | None = None
        for at, name in enumerate(played, start=1):
            if first is None or not self._shares(first, played[at - 2], name, tied=name in tied):
                first = name
                found[name] = at
            else:
                found[name] = found[first]
        return found

    def _shares(self, first: str, above: str, name: str, *, tied: bool) -> bool:
        """Return whether one has the rank of those above, of which `first` is the best."""
        if not self.by_margins:
            return self._ratings[above].mu == self._ratings[name].mu
        same = self.model.so_far(above) == self.model.so_far(name)
        apart = self._rank_intervals[first][1] < self._rank_intervals[name][0]  # a chain of ties may be a long one
        return (tied or same) and not apart

    def _played(self, name: str) -> bool:
        return self._ratings[name].matches > 0

    @cached_property
    def _ratings(self) -> dict[str, Rating]:
        return {rating.id: rating for rating in self.result.leaderboard}

    @property
    def claimed_from(self) -> float:
        """How sure an order of two neighbours has to be to be claimed: half of the error is for either order."""
        return 1 - self.judge.error / 2 if self.by_margins else self.rule.threshold

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
        """Everybody's figures in the order of the run."""
        ranked = [name for name in self.order if name not in self.unranked]
        below = zip_longest(self.order, ranked[1:])
        return tuple(self._row(self._ratings[name], next_) for name, next_ in below if name is not None)

    def _row(self, rating: Rating, below: str | None) -> ParticipantNumbers:
        won, doubted = self.model.so_far(rating.id), self.result.suspicion.doubted
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
            rank=self.ranks.get(rating.id),
            # Where chips and results without luck may disagree, nothing is claimed until that is settled.
            ranks=None if rating.id in doubted else self._rank_intervals.get(rating.id),
            better_than_next=None
            if below is None or (self.by_margins and not {rating.id, below}.isdisjoint(doubted))
            else self._better(rating, self._ratings[below]),
            hands=sum(match.result.hands for match in own),
            faults=dict(Counter(fault.kind for fault in faults)),
            forced_folds=sum(fault.forced_fold for fault in faults),
            met=None if known else (len(self.model.met(rating.id)), len(self.model.field_of(rating.id))),
            ranked=rating.id not in self.unranked,
            reference=rating.id == self.reference,
            from_reference=self._from_reference(rating.id),
            raw=in_bb_per_100(self.raw.so_far(rating.id)),
            suspect=rating.id in self.result.suspicion.suspects,
        )

    def _from_reference(self, name: str) -> tuple[float, float] | None:
        other = self.measured_against
        if other is None or other == name or not self.model.count(name, other):
            return None
        return in_bb_per_100(self.model.margin(name, other))

    def _better(self, above: Rating, below: Rating) -> float:
        if self.by_margins:
            return self.judge.sure(self.model.lead(above.id, below.id))
        return normal_cdf((above.mu - below.mu) / sqrt(above.sigma**2 + below.sigma**2))


def in_bb_per_100(known: Estimate | None) -> tuple[float, float] | None:
    """Return a mean in big blinds per 100 hands, and half the width of its 95% interval; None if nothing is known."""
    return None if known is None else (known.mean / MBB_PER_BB100, known.half_width() / MBB_PER_BB100)


def games_in(matches: Iterable[PlayedMatch]) -> list[GameRecord]:
    """Return the games of some matches."""
    return [game for match in matches for pair in match.result.seed_results for game in pair.games]


def totals(result: RunResult) -> dict[str, int]:
    """Return how much was played."""
    games = games_in(result.matches)
    return {
        "matches": len(result.matches),
        "games": len(games),
        "hands": sum(game.dealt for game in games),
        "actions": sum(game.actions for game in games),
    }


def guardrails(result: RunResult) -> dict[str, Any]:
    """Return the checks that every trustworthy run passes."""
    games = games_in(result.matches)
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


def _margin_book(result: RunResult, estimator: str, distrusted: Iterable[str] = ()) -> MarginBook:
    book = MarginBook(margin_model(result.config), estimator, distrusted=distrusted)
    book.add_all(
        (match.participants, match.margins, [pair.seed for pair in match.result.seed_results])
        for match in result.matches
    )
    return book


def _more(settings: LLMSettings) -> list[str]:
    """Return what a model had beside its harness and its track, which makes it another agent."""
    return [
        *([f"memory {settings.memory}"] if settings.memory != "none" else []),
        *(["notes"] if settings.notes else []),
        *([f"{settings.samples} samples"] if settings.samples > 1 else []),
        *([f"tools {' and '.join(settings.tools)}"] if settings.tools else []),
    ]
