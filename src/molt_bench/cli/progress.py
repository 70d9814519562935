"""Progress of a run on standard error: redrawn in place on a terminal, line by line elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live as LiveDisplay
from rich.table import Table
from rich.text import Text

from molt_bench.arena.status import RunStatus
from molt_bench.bench.result import PlayedMatch
from molt_bench.bench.spending import Spending
from molt_bench.cli.consoles import VisibleConsole, visible_prints
from molt_bench.cli.streams import color_system
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.records import Rating
from molt_bench.report.costs import dollars
from molt_bench.report.number_text import duration
from molt_bench.visible_text import on_one_line

_REDRAW_S = 0.2


@contextmanager
def show_progress(config: BenchmarkConfig, *, quiet: bool) -> Iterator[Callable[[RunStatus], None] | None]:
    """Show progress within the context; yields the callback for updates, None if quiet."""
    console = VisibleConsole(stderr=True, patient=True, color_system=color_system())
    if quiet:
        yield None
    elif console.is_terminal:
        display = LiveDisplay(console=console, refresh_per_second=8, transient=True)
        with display, visible_prints():
            yield _Screen(display, config)
    else:
        yield lambda status: _line(status, console)


class _Screen:
    """The screen; redrawn only a few times per second, since updates may come by the thousand."""

    def __init__(self, display: LiveDisplay, config: BenchmarkConfig) -> None:
        self._display = display
        self._config = config
        self._drawn = float("-inf")

    def __call__(self, status: RunStatus) -> None:
        if status.seconds - self._drawn > _REDRAW_S or status.finished is not None or status.awaited:
            self._drawn = status.seconds
            self._display.update(_screen(status, self._config))


def _line(status: RunStatus, console: Console) -> None:
    if status.awaited:
        console.print(_awaited(status), highlight=False, soft_wrap=True)
    if status.finished is not None:
        console.print(_match_line(status, status.finished), highlight=False, soft_wrap=True)


def _match_line(status: RunStatus, match: PlayedMatch) -> str:
    (first, second), outcome = map(on_one_line, match.participants), match.result
    chips = f"by {abs(outcome.score_a):,} chips"
    won = {"A": f"{first} wins {chips}", "B": f"{second} wins {chips}", "draw": "a draw"}[outcome.winner]
    text = f"match {match.number}: {first} v {second}, {won}; {_standing_line(_standing(status))}"
    if status.spending is not None:
        text += f"; {_spent(status.spending)}"
    return text


def _standing(status: RunStatus) -> list[Rating]:
    """Return the ratings in the order that the run's confidence is about."""
    return [status.ladder.ratings[name] for name in status.ladder.ranking()]


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


def _screen(status: RunStatus, config: BenchmarkConfig) -> Group:
    limit = config.stop.budget.max_matches if config.stop.budget else None
    done = len(status.ladder.matches)
    speed = status.hands / status.seconds if status.seconds else 0.0
    of = f" of at most {limit}" if limit else ""
    head = f"match {status.match}{of}, round {status.round}: {' v '.join(map(on_one_line, status.participants))}"
    games = f"game {status.games} of {status.games_in_round} in this round, {speed:,.0f} hands/s"
    games += f", {duration(status.seconds)}"
    if limit and done:
        games += f", at most {duration(status.seconds / done * (limit - done))} left"
    if status.spending is not None:
        games += f"; {_spent(status.spending, config)}"
    table = Table.grid(padding=(0, 2))
    for rating in _standing(status):  # best first; nobody has a rank yet
        table.add_row(
            Text(on_one_line(rating.id)),
            f"{rating.mu:.1f} ± {rating.sigma:.1f}",
            f"{rating.wins}-{rating.losses}",
        )
    return Group(Text(_awaited(status) if status.awaited else head), Text(games), table)


def _standing_line(ratings: list[Rating]) -> str:
    """Return the current leaderboard on one line."""
    return ", ".join(f"{on_one_line(rating.id)} {rating.mu:.1f}±{rating.sigma:.1f}" for rating in ratings)
