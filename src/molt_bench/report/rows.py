"""The rows of a run: each quantity once, rounded once, for terminals, JSON, pages, CSV and data frames alike.

Winnings are in big blinds per 100 hands, to one decimal: an interval is rarely narrower than that. What is written
after ± is everywhere the interval that decides.
"""

from collections import Counter
from functools import cached_property
from math import isfinite
from typing import Final

import msgspec
from msgspec import UNSET

from molt_bench.bench.result import RunResult
from molt_bench.errors import ConfigError
from molt_bench.luck.estimators import margins_of as margins_of
from molt_bench.rating.estimate import Estimate
from molt_bench.rating.verdicts import Result, Verdict
from molt_bench.records import BB100_DECIMALS, MatchResult, bb_per_100
from molt_bench.report.analysis import Analysis
from molt_bench.report.dealt_hands import DealtHand as DealtHand
from molt_bench.report.dealt_hands import hands_of as hands_of
from molt_bench.report.hand_rows import hand_rows as hand_rows
from molt_bench.report.number_text import signed as signed
from molt_bench.report.shapes import AgentRow as AgentRow
from molt_bench.report.shapes import CostRow, Interval, LeadRow, MatchRow, PairRow
from molt_bench.report.totals import played_games
from molt_bench.specs import Pair
from molt_bench.suggestions import one_of

#: Decimals of how sure a verdict is.
_SURE: Final = 4


class Rows:
    """All rows of a run, each made when it is first asked for."""

    def __init__(self, result: RunResult) -> None:
        #: What they are made of, and why.
        self.found = found = Analysis(result)
        #: Up to which lead two count as equally good.
        self.tie_bb_per_100 = bb_per_100(found.rule.tie_margin_mbb)

    @cached_property
    def agents(self) -> tuple[AgentRow, ...]:
        """Everybody, in the order of the run."""
        return tuple(self._agent(name) for name in self.found.order)

    @cached_property
    def by_id(self) -> dict[str, AgentRow]:
        """The same by id."""
        return {row.id: row for row in self.agents}

    def checked(self, field: str, name: str) -> str:
        """Return the id of a participant; raises ConfigError, for a setting, if there is none."""
        if name not in self.found.names:
            raise ConfigError(field, name, one_of(self.found.names, name))
        return name

    @cached_property
    def _matches_of(self) -> dict[str, list[MatchResult]]:
        found: dict[str, list[MatchResult]] = {}
        for match in self.found.result.matches:
            for name in match.participants:
                found.setdefault(name, []).append(match)
        return found

    def _agent(self, name: str) -> AgentRow:
        found, result, rating = self.found, self.found.result, self.found.ratings[name]
        own = self._matches_of.get(name, [])
        faults = [fault for match in own for fault in match.faults if fault.player == match.participants.index(name)]
        won, half = interval(found.results[name])
        raw, raw_half = interval(found.raw_results[name])
        met, field = len(found.model.met(name)), len(found.model.field_of(name))
        sure = found.sure_of_next.get(name)
        form = result.reply_forms.get(name, UNSET)
        return AgentRow(
            name=found.names[name],
            **msgspec.structs.asdict(rating),
            bb_per_100=won,
            bb_per_100_half_width=half,
            raw_bb_per_100=raw,
            raw_bb_per_100_half_width=raw_half,
            rank_range=found.rank_ranges.get(name) if rating.matches else None,
            better_than_next=None if sure is None else round(sure, _SURE),
            hands=sum(match.hands for match in own),
            faults=dict(Counter(fault.kind for fault in faults)),
            forced_folds=sum(fault.forced_fold for fault in faults),
            met=UNSET if met == field else (met, field),
            ranked=False if name in found.unranked else UNSET,
            anchor=True if name in found.model.anchors and name not in found.left else UNSET,
            reply=form,
            track=UNSET if form is UNSET else result.config.models()[name].track,
            asked=found.asked.get(name, UNSET),
            usage=UNSET if name not in self._cost_of else self._cost_of[name].plain(),
            sandbox=result.boxes.get(name, UNSET),
        )

    @cached_property
    def leads(self) -> tuple[LeadRow, ...]:
        """The lead of each over the next one in the order by results."""
        return tuple(self.lead(each) for each in self.found.neighbours)

    @cached_property
    def leads_of(self) -> dict[str, LeadRow]:
        """The same by who leads."""
        return {row.above: row for row in self.leads}

    def lead(self, verdict: Verdict) -> LeadRow:
        """Return the row of a lead."""
        parts = self.found.parts_of_lead(verdict.above, verdict.below) if verdict.known else {}
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
    def pairs(self) -> tuple[PairRow, ...]:
        """Every two who have met."""
        found, chips = self.found, self.found.judge.head_to_head(self.found.raw)
        raw = {frozenset((each.above, each.below)): each for each in chips}
        return tuple(self._pair(each, raw[frozenset((each.above, each.below))]) for each in found.head_to_head)

    def _pair(self, verdict: Verdict, raw: Verdict) -> PairRow:
        pair = verdict.above, verdict.below
        won, half = interval(Result(verdict.lead, verdict.half_width))
        sign = 1 if raw.above == verdict.above else -1
        chips, chips_half = interval(Result(sign * raw.lead, raw.half_width))
        wide, left = (model.own_variance(*pair) for model in (self.found.raw, self.found.model))
        return PairRow(
            a=pair[0],
            b=pair[1],
            seed_pairs=self.found.model.count(*pair),
            bb_per_100=won or 0.0,
            bb_per_100_half_width=half,
            raw_bb_per_100=chips or 0.0,
            raw_bb_per_100_half_width=chips_half,
            sure=round(verdict.sure, _SURE),
            verdict=verdict.kind,
            variance_left=round(left / wide, 3) if wide and left is not None else None,
        )

    @cached_property
    def _by_pair(self) -> dict[Pair, PairRow]:
        return {(row.a, row.b): row for row in self.pairs}

    def between(self, name: str, other: str) -> Interval:
        """Return what one wins from another in their own games alone; nothing if they have not met."""
        if (row := self._by_pair.get((name, other))) is not None:
            return row.bb_per_100, row.bb_per_100_half_width
        row = self._by_pair.get((other, name))
        return (None, None) if row is None else (0.0 - row.bb_per_100, row.bb_per_100_half_width)

    @cached_property
    def matches(self) -> tuple[MatchRow, ...]:
        """All matches, in order."""
        big_blind = self.found.result.config.game.big_blind
        return tuple(
            MatchRow(
                played=match,
                bb_per_100=round(100 * match.score_a / big_blind / match.nominal_hands, BB100_DECIMALS) + 0.0,
            )
            for match in self.found.result.matches
        )

    @cached_property
    def costs(self) -> tuple[CostRow, ...]:
        """What each language model used, in the order of the leaderboard."""
        result, rows = self.found.result, []
        for usage in sorted(result.usage, key=lambda usage: self.found.order.index(usage.id)):
            games = played_games(self._matches_of.get(usage.id, []))
            hands, usd = sum(game.dealt for game in games), usage.cost_usd
            rows.append(
                CostRow(
                    usage,
                    usd / hands if usd is not None and hands else None,
                    100 * usd / usage.decisions if usd is not None and usage.decisions else None,
                )
            )
        return tuple(rows)

    @cached_property
    def _cost_of(self) -> dict[str, CostRow]:
        return {row.usage.id: row for row in self.costs}


def interval(known: Result | None) -> Interval:
    """Return a result as it is shown, and half the width of its interval; None where nothing is known."""
    if known is None or not isfinite(known.mean):
        return None, None
    return bb_per_100(known.mean), bb_per_100(known.half_width) if isfinite(known.half_width) else None


def half_width_95(error: float, units: int) -> float:
    """Return half the width of the 95% interval of a mean over so many units, given its standard error."""
    return Estimate(0.0, error, units - 1).half_width(0.95)
