"""Progress of a run on standard error: drawn in place on a terminal, a line for every match elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from rich.live import Live as LiveDisplay
from rich.text import Text

from molt_bench.arena.status import RunStatus, UnderWay
from molt_bench.bench.spending import Spending
from molt_bench.cli.console import VisibleConsole, visible_prints
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.records import MatchResult
from molt_bench.report.number_text import about, dollars, duration, roughly, signed, with_interval
from molt_bench.report.progress import Pace, Progress, progress_of
from molt_bench.study.findings import signed_bb, unsigned_bb
from molt_bench.visible_text import on_one_line

_REDRAW_S: Final = 0.2
#: Characters of the bar, and open pairs that are named.
_BAR: Final = 24
_OPEN: Final = 3
#: Agents whose results a screen has room for.
_SHOWN: Final = 12
#: Seconds after which the first line tells what language models are doing, and between two such lines.
_FIRST_LINE_S: Final = 20.0
_LINE_S: Final = 60.0


@contextmanager
def show_progress(config: BenchmarkConfig, *, quiet: bool) -> Iterator[Callable[[RunStatus], None] | None]:
    """Show progress within the context; yields the callback for updates, None if quiet."""
    console = VisibleConsole(stderr=True)
    if quiet:
        yield None
    elif console.is_terminal:
        display = LiveDisplay(console=console, refresh_per_second=8, transient=True)
        with display, visible_prints():
            yield _Screen(display, config)
    else:
        yield _Lines(console, config)


class _Screen:
    """Draws how the run is going; only a few times per second, since updates may come by the thousand."""

    def __init__(self, display: LiveDisplay, config: BenchmarkConfig) -> None:
        self._display, self._config = display, config
        self._drawn = float("-inf")

    def __call__(self, status: RunStatus) -> None:
        if status.seconds - self._drawn <= _REDRAW_S and status.finished is None and not status.awaited:
            return
        self._drawn = status.seconds
        found, pair = _progress(status, self._config), " v ".join(map(on_one_line, status.participants))
        speed = status.hands / status.seconds if status.seconds else 0.0
        doing = f"match {status.match}, round {status.round}: {pair}, {speed:,.0f} hands/s"
        first = _awaited(status) if status.awaited else doing
        lines = [first, _bar(found, status.under_way), *_course(status, found, self._config, _SHOWN)]
        self._display.update(Text("\n".join(lines)))


class _Lines:
    """Prints a line for every match, or every round of a gate, and one a minute while language models play."""

    def __init__(self, console: VisibleConsole, config: BenchmarkConfig) -> None:
        self._console, self._config = console, config
        self._told, self._rounds = float("-inf"), 0

    def __call__(self, status: RunStatus) -> None:
        line = self._line(status)
        if line is not None:
            self._console.print(line, highlight=False, soft_wrap=True)

    def _line(self, status: RunStatus) -> str | None:
        ladder, now = status.ladder, status.under_way
        if status.awaited:
            return _awaited(status)
        if ladder.gate is not None and ladder.rounds != self._rounds:
            self._rounds = ladder.rounds
            return _gate(status)
        if ladder.gate is None and status.finished is not None:
            course = _course(status, _progress(status, self._config), self._config)
            return "; ".join([_match(status.finished), *course])
        if now is not None and status.seconds >= max(_FIRST_LINE_S, self._told + _LINE_S):
            self._told = status.seconds
            left = "" if now.left_s is None else f", about {roughly(now.left_s)} left"
            return f"{_models(status, now, self._config)}{left}"
        return None


def _course(status: RunStatus, found: Progress, config: BenchmarkConfig, most: int | None = None) -> list[str]:
    """Say how the run is going: results so far, of so many agents at most, what is open, and what models do."""
    if status.ladder.gate is not None:
        return [_gate(status)]
    shown = found.standings[:most]  # best first; there are no ranks yet
    results = [
        f"{on_one_line(each.id)} {with_interval(signed(each.bb_per_100), each.bb_per_100_half_width)}" for each in shown
    ]
    ratings = [f"{on_one_line(each.id)} {each.mu:.1f}±{each.sigma:.1f}" for each in shown]
    more = [f"{len(found.standings) - len(shown):,} more agents"] if len(shown) < len(found.standings) else []
    models = [] if status.under_way is None else [_models(status, status.under_way, config)]
    return [
        f"bb/100: {', '.join([*results, *more])}",
        f"mu±sigma: {', '.join([*ratings, *more])}",
        *([_open(found)] if found.open else []),
        *models,
    ]


def _match(match: MatchResult) -> str:
    first, second = map(on_one_line, match.participants)
    chips = f"by {abs(match.score_a):,} chips"
    won = {"A": f"{first} wins {chips}", "B": f"{second} wins {chips}", "draw": "a draw"}[match.winner]
    return f"match {match.number}: {first} v {second}, {won}"


def _gate(status: RunStatus) -> str:
    ladder = status.ladder
    assert ladder.gate is not None
    found = ladder.gate.finding(ladder.hands)
    change = f"change {signed_bb(found.change)} ± {unsigned_bb(found.half_width)} bb/100"
    spent = "" if status.spending is None else f"; {_spent(status.spending)}"
    return f"round {ladder.rounds}: {ladder.hands:,} hands, {change}{spent}"


def _models(status: RunStatus, now: UnderWay, config: BenchmarkConfig) -> str:
    """Say what language models are doing, what that has cost, and what the money buys."""
    found = [f"under way: {_counted(now.games, 'game')}, {_counted(now.requests, 'request')}"]
    if now.hands_per_minute is not None:
        found.append(f"{about(now.hands_per_minute)} hands a minute")
    if status.spending is not None:
        found.append(_spent(status.spending, config))
    if now.games_bought is not None:
        found.append(f"which buys about {now.games_bought:,.0f} games")
    return ", ".join(found)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _progress(status: RunStatus, config: BenchmarkConfig) -> Progress:
    """Return how far the run is; its parts of matches are those of the round under way."""
    ladder, games = status.ladder, 0 if status.finished is not None else status.games
    complete, spent = len(ladder.matches), status.spending
    pace = Pace(
        complete=complete,
        matches=complete + games / (2 * config.seeds.per_match),
        games=ladder.games + games,
        hands=status.hands,
        seconds=status.seconds,
        usd=0.0 if spent is None else spent.usd,
        tokens=0 if spent is None else spent.tokens,
        unpriced=spent is not None and spent.unpriced,
    )
    ratings = [ladder.ratings[name] for name in ladder.ranking()]
    return progress_of(config, pace, ratings, ladder.result, ladder.verdicts() if ladder.by_margins else ())


def _open(found: Progress) -> str:
    """Say which orders are open, and what it would take to decide them."""
    pairs = [f"{on_one_line(each.above)} and {on_one_line(each.below)}" for each in found.open[:_OPEN]]
    more = f" and {len(found.open) - _OPEN:,} more" if len(found.open) > _OPEN else ""
    takes = f": about {about(found.more_hands)} more hands" if found.more_hands else ""
    return f"open: {', '.join(pairs)}{more}{takes}"


def _awaited(status: RunStatus) -> str:
    replies = ", ".join(f"{count:,} of {on_one_line(name)}" for name, count in status.awaited.items())
    return (
        f"Waiting up to {duration(status.patience_s)} for replies already paid for ({replies}); press Ctrl-C again to "
        "discard them."
    )


def _spent(spending: Spending, config: BenchmarkConfig | None = None) -> str:
    """Describe what language models have cost so far, and of what budget."""
    budget = config.stop.budget if config is not None else None
    usd = f" of {dollars(budget.max_cost_usd)}" if budget and budget.max_cost_usd else ""
    tokens = f" of {budget.max_tokens:,}" if budget and budget.max_tokens else ""
    cost = f"{dollars(spending.usd)}{usd}" if spending.usd or not spending.unpriced else ""
    unpriced = "unpriced" if not cost else "plus unpriced calls" if spending.unpriced else ""
    return f"{spending.exchanges:,} calls, {spending.tokens:,}{tokens} tokens, {f'{cost} {unpriced}'.strip()}"


def _bar(found: Progress, now: UnderWay | None = None) -> str:
    """Draw how much of the budget is used that ends the run first, with the time so far and the time left."""
    text = duration(found.seconds)
    if found.share is None:
        return text
    full, left = round(_BAR * found.share), ""
    if found.seconds_left is not None:
        left = f", at most about {roughly(found.seconds_left)} left"
    elif now is not None and now.left_s is not None:
        left = f", about {roughly(now.left_s)} left"
    return f"[{'#' * full}{'-' * (_BAR - full)}] {found.share:.0%}, {text}{left}"
