"""The ranking of a result: the one order of the run, who is tied or not ranked, and how sure that is."""

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations, pairwise
from math import inf, sqrt

from molt_bench.bench.participant_failures import Failures
from molt_bench.bench.result import RunResult
from molt_bench.bench.stop_rules import judge_of, rule_of
from molt_bench.rating.cycles import Cycle, significant_cycles
from molt_bench.rating.openskill import normal_cdf
from molt_bench.rating.ranks import open_runs, rank_ranges
from molt_bench.rating.verdicts import Result, Verdict
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
    def results(self) -> Mapping[str, Result]:
        """What everybody wins from the field; from those of it that were met, without an interval, if not from all."""
        return self.judge.results(self.model)

    @cached_property
    def raw_results(self) -> Mapping[str, Result]:
        """The same in chips."""
        return self.judge.results(self.raw)

    @cached_property
    def by_result(self) -> tuple[str, ...]:
        """Everybody by what they win from the field, best first; then those who have not played, then the unranked.

        If all have met, this is the ranking that the verdicts are about. Until then, nothing is known about the rest of
        the field, and it is the order of the results so far.
        """
        means = {name: self.results[name].mean for name in self.model.participants}
        order = list(self.model.ranking())
        if any(self.model.unmet(name) for name in order):
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
        return self.judge.neighbours(self.model, [name for name in self.by_result if name not in self.unranked])

    @cached_property
    def head_to_head(self) -> tuple[Verdict, ...]:
        """The verdict on every two who have met, by their own games alone."""
        return self.judge.head_to_head(self.model)

    @cached_property
    def _by_pair(self) -> dict[Pair, Verdict]:
        return {(each.above, each.below): each for each in self.head_to_head}

    def between(self, name: str, other: str) -> Result | None:
        """Return what one wins from another in their own games alone; None if they have not met."""
        if (found := self._by_pair.get((name, other))) is not None:
            return Result(found.lead, found.half_width)
        turned = self._by_pair.get((other, name))
        return None if turned is None else Result(0.0 - turned.lead, turned.half_width)

    @cached_property
    def against_the_order(self) -> list[tuple[Verdict, Verdict]]:
        """The claimed orders whose lower one wins from the upper one, each with that head-to-head."""
        claimed = [each for each in self.verdicts if each.kind == "ordered"]
        turned = [(each, self._by_pair.get((each.below, each.above))) for each in claimed]
        return [(each, found) for each, found in turned if found is not None and found.kind == "ordered"]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The same for the leaderboard; none if margins do not decide."""
        return self.neighbours if self.by_margins and self.result.matches else ()

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
        return [*ordered, *self.judge.told_apart(self.model, self._ranked)]

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
        same = self.results[above].mean == self.results[name].mean
        apart = self.rank_ranges[first][1] < self.rank_ranges[name][0]  # a chain of ties may be a long one
        return (tied or same) and not apart

    @cached_property
    def ratings(self) -> dict[str, Rating]:
        """Everybody's rating, by id."""
        return {rating.id: rating for rating in self.result.leaderboard}

    @property
    def claimed_from(self) -> float:
        """How sure a verdict on two neighbours has to be to be claimed."""
        return 1 - self.judge.share(len(self.neighbours)) if self.by_margins else self.rule.threshold

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """The cycles that are certain enough to report."""
        return significant_cycles(self.model, self.judge)

    @cached_property
    def ranked_cycles(self) -> list[Cycle]:
        """The same without those that involve an unranked participant."""
        return [cycle for cycle in self.cycles if self.unranked.keys().isdisjoint(cycle.members)]

    @cached_property
    def sure_of_next(self) -> Mapping[str, float]:
        """How sure the verdict on everybody and the next one in the order is, by the name of the upper one."""
        if self.by_margins:
            return {each.above: each.sure for each in self.neighbours}
        ranked = [self.ratings[name] for name in self._ranked]
        return {above.id: self.better(above, below) for above, below in pairwise(ranked)}

    @staticmethod
    def better(above: Rating, below: Rating) -> float:
        """Return how sure it is by their ratings that the first of two is better than the second."""
        return normal_cdf((above.mu - below.mu) / sqrt(above.sigma**2 + below.sigma**2))
