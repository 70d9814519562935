"""The ranking of a result: the one order of the run, who is tied or not ranked, and how sure that is."""

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations, pairwise
from math import inf, isfinite, sqrt

from molt_bench.bench.participant_failures import Failures
from molt_bench.bench.result import RunResult
from molt_bench.bench.stop_rules import judge_of, rule_of
from molt_bench.rating.cycles import Cycle, significant_cycles
from molt_bench.rating.openskill import normal_cdf
from molt_bench.rating.payoffs import PayoffMatrix, payoff_matrix
from molt_bench.rating.ranks import agreed, intervals_of, open_runs, rank_ranges, sure_leads
from molt_bench.rating.verdicts import Verdict
from molt_bench.records import Rating
from molt_bench.report.win_rates import WinRates
from molt_bench.specs import Pair


class Ranking(WinRates):
    """Who is ranked where, by the stop rule of the run; each property is computed when it is first read.

    Attributes:
        rule: The rule that the order is judged by.
        by_margins: Whether margins decide, not ratings.
        judge: Decides what is ordered, tied or not resolved.
    """

    def __init__(self, result: RunResult) -> None:
        super().__init__(result)
        self.rule = rule_of(result.config.stop)
        self.by_margins = self.rule.method == "margin"
        self.judge = judge_of(result.config)

    @cached_property
    def unranked(self) -> dict[str, Failures]:
        """Those who hardly ever answered, or left the run: they have no rank, and nobody is compared with them."""
        return {name: found for name, found in self.failures.items() if found.helpless or name in self.left}

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
        return self.judge.verdicts(self.model, pairwise(ranked))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The same for the leaderboard; none if margins do not decide."""
        return self.neighbours if self.by_margins and self.result.matches else ()

    def shrunk_lead(self, verdict: Verdict) -> float | None:
        """Return the lead of a claimed order without what is due to stopping for it; None if no order is claimed."""
        return self.judge.shrunk(verdict.lead) if verdict.kind == "ordered" else None

    @cached_property
    def rank_intervals(self) -> Mapping[str, tuple[int, int]]:
        """The ranks that each may have, with the run's confidence; none if margins do not decide."""
        return intervals_of(self._sure_leads) if self.by_margins else {}

    @cached_property
    def _sure_leads(self) -> dict[str, dict[str, bool]]:
        """Whom everybody surely leads or trails; it takes seconds for hundreds of participants."""
        judge = self.judge
        return sure_leads(self.model, judge.test, error=judge.error, apart=self.unranked, familywise=judge.familywise)

    @cached_property
    def rank_ranges(self) -> Mapping[str, tuple[int, int]]:
        """Everybody's rank, as it is printed everywhere: the ranks that the claimed orders leave possible."""
        return rank_ranges(self._ranked, self._told_apart)

    @cached_property
    def open_runs(self) -> list[tuple[int, int]]:
        """The longest runs of neighbours of whom no two are told apart, by their first and last place in the order."""
        played = [name for name in self._ranked if self.ratings[name].matches]
        place = self.order.index
        return [(place(played[one]), place(played[two])) for one, two in open_runs(played, self._told_apart)]

    @cached_property
    def _ranked(self) -> list[str]:
        return [name for name in self.order if name not in self.unranked]

    @cached_property
    def _told_apart(self) -> list[Pair]:
        """The pairs of which the first is claimed to be above the second."""
        if not self.result.matches:
            return []
        if not self.by_margins:
            pairs, least = combinations(self._ranked, 2), self.rule.threshold
            return [(one, two) for one, two in pairs if self.better(self.ratings[one], self.ratings[two]) >= least]
        ordered = [(each.above, each.below) for each in self.verdicts if each.kind == "ordered"]
        return [*ordered, *agreed(self._sure_leads)]

    @cached_property
    def ranks(self) -> dict[str, int]:
        """One number for everybody who has a rank: those tied with the one above, or with the same result, share it."""
        tied = {each.below for each in self.verdicts if each.kind == "tied"}
        played = [name for name in self._ranked if self.ratings[name].matches]
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
            return self.ratings[above].mu == self.ratings[name].mu
        same = self.model.so_far(above) == self.model.so_far(name)
        apart = self.rank_intervals[first][1] < self.rank_intervals[name][0]  # a chain of ties may be a long one
        return (tied or same) and not apart

    @cached_property
    def ratings(self) -> dict[str, Rating]:
        """Everybody's rating, by id."""
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

    def better(self, above: Rating, below: Rating) -> float:
        """Return how sure it is that the first of two neighbours is better than the second."""
        if self.by_margins:
            return self.judge.sure(self.model.lead(above.id, below.id))
        return normal_cdf((above.mu - below.mu) / sqrt(above.sigma**2 + below.sigma**2))
