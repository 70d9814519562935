"""How far a run is: one form of data for the terminal, for a server, and for its page."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.bench.ladder import margin_model
from molt_bench.bench.stop_rules import judge_of
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.rating.verdicts import Result, Verdict
from molt_bench.records import Rating
from molt_bench.report.row_types import interval
from molt_bench.report.run_rows import Rows
from molt_bench.report.verdict import NEVER

#: What a budget limits.
Label: TypeAlias = Literal["matches", "games", "hands", "seconds", "dollars", "tokens"]
#: Least share of a budget that an estimate of the time to go is made from.
_LEAST_SHARE: Final = 0.01


class BudgetRow(msgspec.Struct, frozen=True, rename="camel"):
    """One limit of a run, and how much of it is used."""

    label: Label
    used: float
    limit: float
    share: float


class StandingRow(msgspec.Struct, frozen=True, rename="camel"):
    """One agent so far; without an interval while it has not met all others."""

    id: str
    bb_per_100: float | None
    bb_per_100_half_width: float | None
    mu: float
    sigma: float


class OpenRow(msgspec.Struct, frozen=True, rename="camel"):
    """Two neighbours whose order is open, and the lead of the upper one; None while not all that it needs is played."""

    above: str
    below: str
    bb_per_100: float | None


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """What has been played, taken and spent so far.

    Attributes:
        complete: Matches that are rated.
        matches: Matches, with parts of those under way.
        unpriced: Whether the price of a reply is not known.
    """

    complete: int
    matches: float
    games: int
    hands: int
    seconds: float
    usd: float = 0.0
    tokens: int = 0
    unpriced: bool = False


class Progress(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How far a run is.

    Attributes:
        standings: Everyone, in the order so far.
        open: The neighbours whose order is open; only where margins decide.
        more_hands: About how many more hands would decide all of these; None if that cannot be said.
        budgets: Its limits.
        seconds_left: Seconds until the first of them is used up, if it goes on as it did; None if it is too early.
        spent_first: Which of them that is.
        ends_when_sure: Whether it may end before that.
        usd: Dollars spent on models; None if there is none.
    """

    standings: tuple[StandingRow, ...]
    open: tuple[OpenRow, ...]
    more_hands: float | None
    complete: int
    hands: int
    seconds: float
    budgets: tuple[BudgetRow, ...]
    seconds_left: float | None
    spent_first: Label | None
    ends_when_sure: bool
    usd: float | None
    unpriced: bool

    @property
    def share(self) -> float | None:
        """How much is used of the budget that will be used up first; None without one."""
        return max([each.share for each in self.budgets], default=None)


def progress_of(
    config: BenchmarkConfig,
    pace: Pace,
    ratings: Iterable[Rating],
    result: Callable[[str], Result],
    verdicts: Sequence[Verdict],
) -> Progress:
    """Return how far a run is: everyone's rating in order, with what they win, and the verdicts on neighbours."""
    open_ = [each for each in verdicts if each.kind == "open"]
    known = bool(open_) and all(each.known for each in open_)
    more = (judge_of(config).more_play(open_) - 1) * pace.hands if known else NEVER
    budgets = (*_budgets(config, pace),)
    left = sorted([(seconds, each.label) for each in budgets if (seconds := _time_left(pace, each)) is not None])
    return Progress(
        standings=tuple(StandingRow(each.id, *interval(result(each.id)), each.mu, each.sigma) for each in ratings),
        open=tuple(
            OpenRow(each.above, each.below, interval(Result(each.lead, 0.0))[0] if each.known else None)
            for each in open_
        ),
        more_hands=round(more) if more < NEVER else None,
        complete=pace.complete,
        hands=pace.hands,
        seconds=pace.seconds,
        budgets=budgets,
        seconds_left=left[0][0] if left else None,
        spent_first=left[0][1] if left else None,
        ends_when_sure=config.stop.adjacent_confidence is not None or config.stop.topk_stable is not None,
        usd=pace.usd if config.models() else None,
        unpriced=pace.unpriced,
    )


def _budgets(config: BenchmarkConfig, pace: Pace) -> Iterator[BudgetRow]:
    """Return each limit of a run, and how much of it is used."""
    budget = config.stop.budget
    if budget is None:
        return
    limits: tuple[tuple[Label, float, float, float | None], ...] = (
        ("matches", pace.complete, pace.matches, budget.max_matches),
        ("games", pace.games, pace.games, budget.max_games),
        ("hands", pace.hands, pace.hands, budget.max_hands),
        ("seconds", pace.seconds, pace.seconds, budget.max_seconds),
        ("dollars", pace.usd, pace.usd, budget.max_cost_usd),
        ("tokens", pace.tokens, pace.tokens, budget.max_tokens),
    )
    for label, used, part, limit in limits:
        if limit is not None:
            yield BudgetRow(label, round(used, 9), limit, round(min(1.0, part / limit), 9) if limit else 1.0)


def _time_left(pace: Pace, budget: BudgetRow) -> float | None:
    """Return the seconds until a budget is used up, if it goes on as it did; None if it is too early to say."""
    if budget.label == "seconds":
        return max(0.0, budget.limit - pace.seconds)
    return None if budget.share < _LEAST_SHARE else pace.seconds * (1 - budget.share) / budget.share


def results_after(rows: Rows, counts: Collection[int]) -> list[Mapping[str, Result]]:
    """Return what each had won from the field after some numbers of matches."""
    model = margin_model(rows.result.config, left=rows.left)
    found: list[Mapping[str, Result]] = []
    for count, match in enumerate(rows.result.matches, start=1):
        model.add(match.participants, match.margins[rows.estimator])
        if count in counts:
            found.append(rows.judge.results(model))
    return found
