"""The analysis of a result: everything that reports say about it, worked out once and shared by all of them.

Win rates come from the margin model: the mean over all opponents of the field, each with the same weight, however often
they were met. Their intervals take the seed pair as the unit. If part of the field has not been met, the win rate is
the mean over the others, without an interval. In a gauntlet, the reference is the whole field.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from functools import cached_property
from itertools import combinations, pairwise
from math import inf, sqrt

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.participant_failures import Failures, failures_of, left_the_run
from molt_bench.bench.result import RunResult
from molt_bench.bench.stop_rules import judge_of, rule_of
from molt_bench.rating.cycles import Cycle, significant_cycles
from molt_bench.rating.model import MarginModel
from molt_bench.rating.openskill import normal_cdf
from molt_bench.rating.ranks import open_runs, rank_ranges
from molt_bench.rating.verdicts import Result, Verdict
from molt_bench.records import Rating
from molt_bench.specs import Pair
from molt_bench.visible_text import on_one_line


def shown_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return display names by id as they are printed: on one line, none of them empty, and each different.

    >>> shown_names({"a": "same", "b": "same ", "c": " ", "d": "D"})
    {'a': 'same (a)', 'b': 'same (b)', 'c': 'c', 'd': 'D'}
    """
    found = {name: on_one_line(text).strip() or name for name, text in names.items()}
    count = Counter(found.values())
    return {name: text if count[text] == 1 else f"{text} ({name})" for name, text in found.items()}


class Analysis:
    """What each wins from each, the ranking, and how sure it is; each is computed when it is first read.

    Attributes:
        rule: The rule that the order is judged by.
        by_margins: Whether margins decide, not ratings.
        judge: Decides what is ordered, tied or open.
    """

    def __init__(self, result: RunResult) -> None:
        self.result = result
        self.rule = rule_of(result.config.stop)
        self.by_margins = self.rule.method == "margin"
        self.judge = judge_of(result.config)

    @cached_property
    def names(self) -> dict[str, str]:
        """The display names of all participants, by id; of a model without a name of its own, its label."""
        models = self.result.config.models()
        found = {}
        for each in self.result.config.participants:
            named = each.id in models and each.id == models[each.id].model.partition(":")[2]
            found[each.id] = each.display_name or (models[each.id].label if named else each.id)
        return found

    @cached_property
    def asked(self) -> dict[str, dict[str, object]]:
        """What decides the replies of every language model besides its prompts, and a short label of that."""
        return {name: settings.stated() for name, settings in self.result.config.models().items()}

    @cached_property
    def shown(self) -> dict[str, str]:
        """The names as they are printed: on one line, without control characters, and each different."""
        return shown_names(self.names)

    @cached_property
    def reply_forms(self) -> dict[str, str]:
        """How each language model was asked: the form of its replies with its version, its track, and its memory."""
        recorded, models = self.result.reply_forms, self.result.config.models()
        return {
            name: ", ".join(
                [
                    recorded.get(name, "?"),
                    each.track,
                    *([f"memory {each.memory}"] if each.memory != "none" else []),
                ]
            )
            for name, each in models.items()
        }

    @property
    def mixes_reply_forms(self) -> bool:
        """Whether models that were asked in different ways are in this rating."""
        return len({*self.reply_forms.values()}) > 1

    @property
    def reference(self) -> str | None:
        """The one that all others played alone, in a gauntlet."""
        return self.result.config.scheduler.reference

    @cached_property
    def failures(self) -> dict[str, Failures]:
        """How often each participant that has played failed."""
        return failures_of(self.result.matches)

    @cached_property
    def left(self) -> frozenset[str]:
        """Those who forfeited so many games that the run went on without them: they are outside the field."""
        return left_the_run(self.failures)

    @cached_property
    def unranked(self) -> dict[str, Failures]:
        """Those who hardly ever answered, or left the run: they have no rank, and are compared with no one."""
        return {name: found for name, found in self.failures.items() if found.helpless or name in self.left}

    # What each wins from each.

    @property
    def estimator(self) -> str:
        """The estimator of the results."""
        return self.result.config.rating.estimator

    @cached_property
    def model(self) -> MarginModel:
        """What each wins from each, by the config's estimator."""
        return self._filled(self.estimator)

    @cached_property
    def raw(self) -> MarginModel:
        """The same in chips."""
        return self.model if self.estimator == "raw" else self._filled("raw")

    def _filled(self, estimator: str) -> MarginModel:
        """Return a model with the margins of all matches."""
        model = margin_model(self.result.config, left=self.left)
        for match in self.result.matches:
            model.add(match.participants, match.margins[estimator])
        return model

    def results_after(self, counts: Collection[int]) -> list[Mapping[str, Result]]:
        """Return what each had won from the field after some numbers of matches."""
        model = margin_model(self.result.config, left=self.left)
        found: list[Mapping[str, Result]] = []
        for count, match in enumerate(self.result.matches, start=1):
            model.add(match.participants, match.margins[self.estimator])
            if count in counts:
                found.append(self.judge.results(model))
        return found

    @cached_property
    def results(self) -> Mapping[str, Result]:
        """What each wins from the field; from those of it that were met, without an interval, if not from all."""
        return self.judge.results(self.model)

    @cached_property
    def raw_results(self) -> Mapping[str, Result]:
        """The same in chips."""
        return self.judge.results(self.raw)

    @cached_property
    def head_to_head(self) -> tuple[Verdict, ...]:
        """The verdict on every two who have met, by their own games alone."""
        return self.judge.head_to_head(self.model)

    @cached_property
    def _by_pair(self) -> dict[Pair, Verdict]:
        return {(each.above, each.below): each for each in self.head_to_head}

    def parts_of_lead(self, name: str, other: str) -> dict[str, float]:
        """Return what the lead of one over another is made of, by opponent, in mbb per hand.

        The part by `other` is from their own games. All add up to the lead once both have met the whole field.
        """
        model = self.model
        share = dict(zip(model.participants, model.sums.field.tolist(), strict=True))
        others = [each for each in model.participants if share[each] and each not in (name, other)]
        found = {each: share[each] * (model.margin(name, each) - model.margin(other, each)) for each in others}
        return {other: (share[name] + share[other]) * model.margin(name, other), **found}

    # The order, and how sure it is.

    @cached_property
    def ratings(self) -> dict[str, Rating]:
        """Everybody's rating, by id."""
        return {rating.id: rating for rating in self.result.leaderboard}

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

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The same for the leaderboard; none if margins do not decide."""
        return self.neighbours if self.by_margins and self.result.matches else ()

    @property
    def is_open(self) -> bool:
        """Whether the order of any two neighbours is open."""
        if self.by_margins:
            return any(each.kind == "open" for each in self.neighbours)
        return any(sure < self.rule.threshold for sure in self.sure_of_next.values())

    @property
    def claimed_from(self) -> float:
        """How sure a verdict on two neighbours has to be to be claimed."""
        return 1 - self.judge.share(len(self.neighbours)) if self.by_margins else self.rule.threshold

    @cached_property
    def against_the_order(self) -> list[tuple[Verdict, Verdict]]:
        """The neighbours, ordered or tied, of which the lower one surely wins from the upper one; with what it wins."""
        claimed = [each for each in self.verdicts if each.kind != "open"]
        turned = [(each, self._by_pair.get((each.below, each.above))) for each in claimed]
        return [(each, found) for each, found in turned if found is not None and found.kind == "ordered"]

    @cached_property
    def rank_ranges(self) -> Mapping[str, tuple[int, int]]:
        """Everybody's rank, as it is printed everywhere: the ranks that the claimed orders leave possible."""
        return rank_ranges(self._ranked, self._told_apart)

    @cached_property
    def open_runs(self) -> list[tuple[int, int]]:
        """The longest runs of neighbours that are not told apart, by their first and last place in the order."""
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
    def sure_of_next(self) -> Mapping[str, float]:
        """How sure the verdict on each and the next one in the order is, by the name of the upper one."""
        if self.by_margins:
            return {each.above: each.sure for each in self.neighbours}
        ranked = [self.ratings[name] for name in self._ranked]
        return {above.id: self.better(above, below) for above, below in pairwise(ranked)}

    @cached_property
    def cycles(self) -> list[Cycle]:
        """The cycles that are certain enough to report, without those that involve an unranked participant."""
        found = significant_cycles(self.model, self.judge)
        return [cycle for cycle in found if self.unranked.keys().isdisjoint(cycle.members)]

    @staticmethod
    def better(above: Rating, below: Rating) -> float:
        """Return how sure it is by their ratings that the first of two is better than the second."""
        return normal_cdf((above.mu - below.mu) / sqrt(above.sigma**2 + below.sigma**2))
