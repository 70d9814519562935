"""The progress of a run in a notebook: one line below the cell, replaced as the run goes on."""

import sys
from html import escape
from typing import Any, Final

from molt_bench.arena.status import Observer, RunStatus
from molt_bench.config.sections import BenchmarkConfig

_REDRAW_S: Final = 0.2


def notebook_observer(config: BenchmarkConfig) -> Observer | None:
    """Return an observer that shows progress and warnings below the cell that is run; None outside of notebooks."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is None:
        return None
    limit = config.stop.budget.max_matches if config.stop.budget is not None else None
    return Observer(on_status=_Line(limit), on_warning=lambda text: print(f"warning: {text}", file=sys.stderr))


class _Line:
    """The line; redrawn a few times per second and after every match, since updates may come by the thousand."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._shown: Any = None
        self._drawn = float("-inf")

    def __call__(self, status: RunStatus) -> None:
        if status.finished is None and status.seconds - self._drawn < _REDRAW_S:
            return
        from IPython.display import HTML, display  # noqa: PLC0415 - only there in notebooks

        self._drawn = status.seconds
        line = HTML(progress_line(status, self._limit))
        if self._shown is None:
            self._shown = display(line, display_id=True)
        else:
            self._shown.update(line)


def progress_line(status: RunStatus, limit: int | None) -> str:
    """Say as HTML how far a run is, what it plays and who leads."""
    done = len(status.ladder.matches)
    bar = f'<progress value="{done}" max="{limit}"></progress> ' if limit is not None else ""
    said = [f"{done:,}{f' of at most {limit:,}' if limit is not None else ''} matches", f"{status.hands:,} hands"]
    if status.finished is None:
        now = " v ".join(map(escape, status.participants))
        said.append(f"playing {now}, game {status.games:,} of {status.games_in_round:,}")
    if status.spending is not None:
        cost = "" if status.spending.unpriced else f", ${status.spending.usd:,.2f}"
        said.append(f"{status.spending.tokens:,} tokens{cost}")
    if done:
        said.append(f"order so far: {', '.join(map(escape, status.ladder.ranking()))}")
    return f"{bar}{'; '.join([*said, f'{status.seconds:,.0f} s'])}"
