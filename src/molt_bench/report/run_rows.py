"""The rows of a run, made of its result: each quantity once, rounded once, for every screen and file.

Win rates come from the margin model: the mean over all opponents of the field, each with the same weight, however often
they were met. Their intervals take the seed pair as the unit, and are everywhere those that decide. If part of the
field has not been met, the win rate is the mean over the others, without an interval. In a gauntlet, the reference is
the whole field. Winnings are in big blinds per 100 hands, to one decimal: an interval is rarely narrower than that.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property
from itertools import combinations, pairwise
from math import inf, sqrt
from typing import Final

import msgspec
from msgspec import UNSET

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.participant_failures import Failures, failures_of, left_the_run
from molt_bench.bench.result import RunResult
from molt_bench.bench.stop_rules import judge_of, rule_of
from molt_bench.errors import ConfigError
from molt_bench.rating.cycles import Cycle, significant_cycles
from molt_bench.rating.model import MarginModel
from molt_bench.rating.openskill import normal_cdf
from molt_bench.rating.ranks import open_runs, rank_ranges
from molt_bench.rating.verdicts import Result, Verdict
from molt_bench.records import BB100_DECIMALS, MatchResult, Rating, bb_per_100
from molt_bench.report.names import names_of, reply_forms_of
from molt_bench.report.row_types import AgentRow, CostRow, Interval, LeadRow, MatchRow, PairRow, interval
from molt_bench.specs import Pair
from molt_bench.suggestions import one_of

#: Decimals of how sure a verdict is.
_SURE: Final = 4


class Rows:
    """All rows of a run, and what they are made of; each is made when it is first asked for.

    Attributes:
        rule: The rule that the order is judged by.
        by_margins: Whether margins decide, not ratings.
        judge: Decides what is ordered, tied or open.
        estimator: The estimator of the results.
        reference: The one that all others played alone, in a gauntlet.
        tie_bb_per_100: Up to which lead two count as equally good.
    """

    def __init__(self, result: RunResult) -> None:
        self.result = result
        self.rule = rule_of(result.config.stop)
        self.by_margins = self.rule.method == "margin"
        self.judge = judge_of(result.config)
        self.estimator = result.config.rating.estimator
        self.reference = result.config.reference
        self.tie_bb_per_100 = bb_per_100(self.rule.tie_margin_mbb)

    # Who plays.

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What everyone is called, by id."""
        return names_of(self.result.config)

    def checked(self, field: str, name: str) -> str:
        """Return the id of a participant; raises ConfigError, for a setting, if there is none."""
        if name not in self.names:
            raise ConfigError(field, name, one_of(self.names, name))
        return name

    @cached_property
    def reply_forms(self) -> Mapping[str, str]:
        """How each language model was asked."""
        return reply_forms_of(self.result)

    @property
    def mixes_reply_forms(self) -> bool:
        """Whether models that were asked in different ways are in this rating."""
        return len({*self.reply_forms.values()}) > 1

    @cached_property
    def left(self) -> frozenset[str]:
        """Those who forfeited so many games that the run went on without them: they are outside the field."""
        return left_the_run(self._failures)

    @cached_property
    def unranked(self) -> dict[str, Failures]:
        """Those who hardly ever answered, or left the run: they have no rank, and are compared with no one."""
        return {name: found for name, found in self._failures.items() if found.helpless or name in self.left}

    @cached_property
    def _failures(self) -> dict[str, Failures]:
        return failures_of(self.result.matches)

    @cached_property
    def _matches_of(self) -> dict[str, list[MatchResult]]:
        found: dict[str, list[MatchResult]] = defaultdict(list)
        for match in self.result.matches:
            for name in match.participants:
                found[name].append(match)
        return found

    # What each wins from each.

    @cached_property
    def model(self) -> MarginModel:
        """What each wins from each, by the config's estimator."""
        return self._filled(self.estimator)

    @cached_property
    def raw(self) -> MarginModel:
        """The same in chips."""
        return self.model if self.estimator == "raw" else self._filled("raw")

    def _filled(self, estimator: str) -> MarginModel:
        model = margin_model(self.result.config, left=self.left)
        for match in self.result.matches:
            model.add(match.participants, match.margins[estimator])
        return model

    @cached_property
    def results(self) -> Mapping[str, Result]:
        """What each wins from the field; from those of it that were met, without an interval, if not from all."""
        return self.judge.results(self.model)

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
        """Everyone's rating, by id."""
        return {rating.id: rating for rating in self.result.leaderboard}

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The one order of the run, best first: by result, or by mu if margins do not decide.

        Those who have not played come after the others, and the unranked last. Until all have met, the order is that of
        the results so far.
        """
        if not self.by_margins:
            return tuple(sorted(self.ratings, key=lambda name: name in self.unranked))
        means = {name: self.results[name].mean for name in self.model.participants}
        order = list(self.model.ranking())
        if any(self.model.unmet(name) for name in order):
            order.sort(key=lambda name: -means[name])
        return tuple(sorted(order, key=lambda name: (name in self.unranked, means[name] == -inf)))

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The same without the unranked."""
        return tuple(name for name in self.order if name not in self.unranked)

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict on each pair of neighbours in the order; none if margins do not decide."""
        return self.judge.neighbours(self.model, self.ranked) if self.by_margins and self.result.matches else ()

    @cached_property
    def sure_of_next(self) -> Mapping[str, float]:
        """How sure the verdict on each and the next one in the order is, by the name of the upper one."""
        if self.by_margins:
            return {each.above: each.sure for each in self.verdicts}
        return {above: self.better(above, below) for above, below in pairwise(self.ranked)}

    def better(self, above: str, below: str) -> float:
        """Return how sure it is by their ratings that the first of two is better than the second."""
        one, two = self.ratings[above], self.ratings[below]
        return normal_cdf((one.mu - two.mu) / sqrt(one.sigma**2 + two.sigma**2))

    @property
    def claimed_from(self) -> float:
        """How sure a verdict on two neighbours has to be to be claimed."""
        return 1 - self.judge.share(len(self.ranked) - 1) if self.by_margins else self.rule.threshold

    @property
    def is_open(self) -> bool:
        """Whether the order of any two neighbours is open."""
        if self.by_margins and self.result.matches:
            return any(each.kind == "open" for each in self.verdicts)
        return any(sure < self.rule.threshold for sure in self.sure_of_next.values()) or not self.result.matches

    @cached_property
    def rank_ranges(self) -> Mapping[str, tuple[int, int]]:
        """Everyone's rank, as it is printed everywhere: the ranks that the claimed orders leave possible."""
        return rank_ranges(self.ranked, self.told_apart)

    @cached_property
    def open_runs(self) -> list[tuple[int, int]]:
        """The longest runs of neighbours that are not told apart, by their first and last place in the order."""
        played = [name for name in self.ranked if self.ratings[name].matches]
        place = self.order.index
        return [(place(played[one]), place(played[two])) for one, two in open_runs(played, self.told_apart)]

    @cached_property
    def told_apart(self) -> list[Pair]:
        """The pairs of which the first is claimed to be above the second."""
        if not self.result.matches:
            return []
        if not self.by_margins:
            return [pair for pair in combinations(self.ranked, 2) if self.better(*pair) >= self.rule.threshold]
        ordered = [(each.above, each.below) for each in self.verdicts if each.kind == "ordered"]
        return [*ordered, *self.judge.told_apart(self.model, self.ranked)]

    @cached_property
    def cycles(self) -> list[Cycle]:
        """The cycles that are certain enough to report, without those that involve an unranked participant."""
        found = significant_cycles(self.model, self.judge)
        return [cycle for cycle in found if self.unranked.keys().isdisjoint(cycle.members)]

    # The rows.

    @cached_property
    def agents(self) -> tuple[AgentRow, ...]:
        """Everyone, in the order of the run."""
        raw = self.judge.results(self.raw)
        return tuple(self._agent(name, raw[name]) for name in self.order)

    @cached_property
    def by_id(self) -> dict[str, AgentRow]:
        """The same by id."""
        return {row.id: row for row in self.agents}

    def _agent(self, name: str, chips: Result) -> AgentRow:
        result, rating, model = self.result, self.ratings[name], self.result.config.models().get(name)
        own = self._matches_of.get(name, [])
        faults = [fault for match in own for fault in match.faults if fault.player == match.participants.index(name)]
        won, half = interval(self.results[name])
        raw, raw_half = interval(chips)
        met, field = len(self.model.met(name)), len(self.model.field_of(name))
        sure = self.sure_of_next.get(name)
        form = result.reply_forms.get(name, UNSET)
        return AgentRow(
            name=self.names[name],
            **msgspec.structs.asdict(rating),
            bb_per_100=won,
            bb_per_100_half_width=half,
            raw_bb_per_100=raw,
            raw_bb_per_100_half_width=raw_half,
            rank_range=self.rank_ranges.get(name) if rating.matches else None,
            better_than_next=None if sure is None else round(sure, _SURE),
            hands=sum(match.hands for match in own),
            faults=dict(Counter(fault.kind for fault in faults)),
            forced_folds=sum(fault.forced_fold for fault in faults),
            met=UNSET if met == field else (met, field),
            ranked=False if name in self.unranked else UNSET,
            anchor=True if name in self.model.anchors and name not in self.left else UNSET,
            reply=form,
            track=UNSET if form is UNSET or model is None else model.track,
            asked=UNSET if model is None else model.stated(),
            usage=self.costs[name].plain() if name in self.costs else UNSET,
            sandbox=result.boxes.get(name, UNSET),
        )

    @cached_property
    def leads(self) -> tuple[LeadRow, ...]:
        """The lead of each over the next one in the order; none if margins do not decide."""
        return tuple(self.lead(each) for each in self.verdicts)

    def lead(self, verdict: Verdict) -> LeadRow:
        """Return the row of a lead."""
        parts = self.parts_of_lead(verdict.above, verdict.below) if verdict.known else {}
        most = max(parts, key=lambda name: parts[name], default=None)
        lead, half = interval(Result(verdict.lead, verdict.half_width)) if verdict.known else (None, None)
        return LeadRow(
            above=verdict.above,
            below=verdict.below,
            bb_per_100=lead,
            bb_per_100_half_width=half,
            sure=round(verdict.sure, _SURE) if verdict.known else None,
            verdict=verdict.kind,
            tie_bb_per_100=self.tie_bb_per_100,
            mostly_from=most,
            mostly_bb_per_100=None if most is None else bb_per_100(parts[most]),
        )

    @cached_property
    def pairs(self) -> Mapping[Pair, PairRow]:
        """Every two who have met, the one who is ahead first."""
        raw = {frozenset((each.above, each.below)): each for each in self.judge.head_to_head(self.raw)}
        return {
            (each.above, each.below): self._pair(each, raw[frozenset((each.above, each.below))])
            for each in self.judge.head_to_head(self.model)
        }

    def _pair(self, verdict: Verdict, raw: Verdict) -> PairRow:
        pair = verdict.above, verdict.below
        won, half = interval(Result(verdict.lead, verdict.half_width))
        sign = 1 if raw.above == verdict.above else -1
        chips, chips_half = interval(Result(sign * raw.lead, raw.half_width))
        wide, left = (model.own_variance(*pair) for model in (self.raw, self.model))
        return PairRow(
            a=pair[0],
            b=pair[1],
            seed_pairs=self.model.count(*pair),
            bb_per_100=won or 0.0,
            bb_per_100_half_width=half,
            raw_bb_per_100=chips or 0.0,
            raw_bb_per_100_half_width=chips_half,
            sure=round(verdict.sure, _SURE),
            verdict=verdict.kind,
            variance_left=round(left / wide, 3) if wide and left is not None else None,
        )

    def between(self, name: str, other: str) -> Interval:
        """Return what one wins from another in their own games alone; nothing if they have not met."""
        if (row := self.pairs.get((name, other))) is not None:
            return row.bb_per_100, row.bb_per_100_half_width
        row = self.pairs.get((other, name))
        return (None, None) if row is None else (0.0 - row.bb_per_100, row.bb_per_100_half_width)

    @cached_property
    def matches(self) -> tuple[MatchRow, ...]:
        """All matches, in order."""
        big_blind = self.result.config.game.big_blind
        return tuple(
            MatchRow(
                played=match,
                bb_per_100=round(100 * match.score_a / big_blind / match.nominal_hands, BB100_DECIMALS) + 0.0,
            )
            for match in self.result.matches
        )

    @cached_property
    def costs(self) -> Mapping[str, CostRow]:
        """What each language model used, by id, in the order of the run."""
        rows = {}
        for usage in sorted(self.result.usage, key=lambda usage: self.order.index(usage.id)):
            hands = sum(game.dealt for match in self._matches_of.get(usage.id, ()) for game in match.games)
            usd, decisions = usage.cost_usd, usage.decisions
            rows[usage.id] = CostRow(
                usage,
                usd / hands if usd is not None and hands else None,
                100 * usd / decisions if usd is not None and decisions else None,
            )
        return rows
