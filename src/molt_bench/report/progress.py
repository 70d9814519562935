"""How far a run is: one form of data for the terminal, for a server, and for its page."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal, Protocol, TypeAlias

import msgspec

from molt_bench.bench.ladder import Ladder, margin_model
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.rating.verdicts import Result
from molt_bench.report.row_types import interval
from molt_bench.report.run_rows import Rows

#: What a budget limits.
Label: TypeAlias = Literal["matches", "games", "hands", "seconds", "dollars", "tokens"]
#: Least share of a budget that an estimate of the time to go is made from.
_LEAST_SHARE: Final = 0.01
#: More hands than are ever played.
_NEVER: Final = 1e12


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


class Pace(msgspec.Struct, frozen=True):
    """What has been played and taken so far; `matches` counts parts of matches too, `complete` those that are rated."""

    complete: int
    matches: float
    games: int
    hands: int
    seconds: float


class Spent(Protocol):
    """What models have cost so far."""

    @property
    def usd(self) -> float:
        """Dollars that are known."""

    @property
    def tokens(self) -> int:
        """Tokens."""

    @property
    def unpriced(self) -> bool:
        """Whether the price of a reply is not known."""


class Course(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the rated matches have shown.

    Attributes:
        standings: Everybody, in the order so far.
        open: The neighbours whose order is open; only where margins decide.
        more_hands: About how many more hands would decide all of these; None if that cannot be said.
    """

    standings: tuple[StandingRow, ...] = ()
    open: tuple[OpenRow, ...] = ()
    more_hands: float | None = None


class Progress(Course, frozen=True, kw_only=True, rename="camel"):
    """How far a run is.

    Attributes:
        budgets: Its limits.
        seconds_left: Seconds until the first of them is used up, if it goes on as it did; None if it is too early.
        spent_first: Which of them that is.
        ends_when_sure: Whether it may end before that.
        usd: Dollars spent on models; None if there is none.
        unpriced: Whether the price of a reply is not known.
    """

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


def course_of(ladder: Ladder) -> Course:
    """Return what the matches so far have shown; none may be rated meanwhile."""
    verdicts = [each for each in ladder.verdicts() if each.kind == "open"] if ladder.by_margins else []
    known = all(each.known for each in verdicts)
    hands = (ladder.judge.more_play(verdicts) - 1) * ladder.hands if verdicts and known else _NEVER
    ratings = [ladder.ratings[name] for name in ladder.ranking()]
    return Course(
        standings=tuple(
            StandingRow(each.id, *interval(ladder.result(each.id)), each.mu, each.sigma) for each in ratings
        ),
        open=tuple(
            OpenRow(each.above, each.below, interval(Result(each.lead, each.half_width))[0] if each.known else None)
            for each in verdicts
        ),
        more_hands=round(hands) if hands < _NEVER else None,
    )


def progress_of(course: Course, config: BenchmarkConfig, spending: Spent | None, pace: Pace) -> Progress:
    """Return how far a run is."""
    budgets = (*_budgets(config, spending, pace),)
    left = sorted([(seconds, each.label) for each in budgets if (seconds := _time_left(pace, each)) is not None])
    spent = spending if config.models() else None
    return Progress(
        **msgspec.structs.asdict(course),
        complete=pace.complete,
        hands=pace.hands,
        seconds=pace.seconds,
        budgets=budgets,
        seconds_left=left[0][0] if left else None,
        spent_first=left[0][1] if left else None,
        ends_when_sure=config.stop.adjacent_confidence is not None or config.stop.topk_stable is not None,
        usd=None if spent is None else spent.usd,
        unpriced=spent is not None and spent.unpriced,
    )


def _budgets(config: BenchmarkConfig, spending: Spent | None, pace: Pace) -> Iterator[BudgetRow]:
    """Return each limit of a run, and how much of it is used."""
    budget = config.stop.budget
    if budget is None:
        return
    usd, tokens = (0.0, 0) if spending is None else (spending.usd, spending.tokens)
    limits: tuple[tuple[Label, float, float, float | None], ...] = (
        ("matches", pace.complete, pace.matches, budget.max_matches),
        ("games", pace.games, pace.games, budget.max_games),
        ("hands", pace.hands, pace.hands, budget.max_hands),
        ("seconds", pace.seconds, pace.seconds, budget.max_seconds),
        ("dollars", usd, usd, budget.max_cost_usd),
        ("tokens", tokens, tokens, budget.max_tokens),
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
