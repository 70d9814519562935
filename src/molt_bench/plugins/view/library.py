"""The runs of a folder: the list and the history from their summaries, and one run after another to look at.

The list and the history read `summary.json` and `leaderboard.json`, and of the journal the first line: they take as
long whatever was played.
"""

import os
from collections import OrderedDict, defaultdict
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, Final

import msgspec

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.plugins.view import rounded
from molt_bench.plugins.view.history import history
from molt_bench.plugins.view.open_run import OpenRun
from molt_bench.plugins.view.pages import started
from molt_bench.plugins.view.results import Results, results_in

_JOURNAL: Final = "journal.jsonl"
#: How many runs are kept open with all their hands.
_KEPT_OPEN: Final = 4


class Library:
    """The runs of a folder. All methods may be called from any thread; none waits for another run than its own."""

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder)
        if not path.is_dir():
            raise ConfigError("DIR", str(folder), "a folder of runs, or the folder of a run")
        self.root = path.resolve()
        self.is_run = _is_run(self.root)
        self._locks: dict[str, Lock] = defaultdict(Lock)
        self._open: OrderedDict[str, OpenRun] = OrderedDict()

    def ids(self) -> list[str]:
        """Return the names of all runs, newest first; what a link leads to outside the folder is none."""
        if self.is_run:
            return [self.root.name]
        try:
            names = [name for name in os.listdir(self.root) if _is_run(self.root / name)]
        except OSError as error:
            raise ConfigError("DIR", str(self.root), f"a folder that can be read ({error.strerror})") from error
        return sorted(names, key=lambda name: (started(name) or "", name), reverse=True)

    def folder(self, run: str) -> Path:
        """Return the folder of a run; raises ConfigError if there is no such run."""
        path = self.root if self.is_run else self.root / run
        if run in (".", "..") or {"/", "\\", "\0"} & {*run} or path.name != run or not _is_run(path):
            raise ConfigError("run", run, "the name of a run in this folder")
        return path

    def lock(self, run: str) -> Lock:
        """Return the lock to hold while pages of a run are made."""
        return self._locks[run]

    def open(self, run: str) -> OpenRun:
        """Return a run as it is now; raises MoltBenchError if it cannot be read. Its lock is to be held."""
        folder, known = self.folder(run), self._open.pop(run, None)
        try:
            found = OpenRun.open(folder) if known is None else known.followed()
        except MoltBenchError:
            if known is None:
                raise
            found = OpenRun.open(folder)  # its journal is another one now, or this says what is wrong with it
        self._open[run] = found
        while len(self._open) > _KEPT_OPEN:
            self._open.popitem(last=False)
        return found

    def runs_page(self) -> list[dict[str, Any]]:
        """Return a line for each run, newest first; one that cannot be read says why."""
        return [_line(self.folder(run)) for run in self.ids()]

    def history_page(self) -> dict[str, Any]:
        """Return the results of each agent, oldest run first, and the change from each run to the next."""
        found = []
        for run in self.ids():
            with suppress(MoltBenchError, msgspec.MsgspecError):  # the list of runs says which cannot be read, and why
                found.append(results_in(self.folder(run)))
        return history(found)


def _is_run(folder: Path) -> bool:
    try:
        folder.name.encode()  # a name that is not valid Unicode can be no part of an address
        journal = folder / _JOURNAL
        return journal.is_file() and journal.resolve() == folder.parent.resolve() / folder.name / _JOURNAL
    except (OSError, ValueError):
        return False


_NOTHING: Final = dict.fromkeys(("headline", "stopReason", "method", "matches", "games", "hands", "faults", "usd"))


def _line(folder: Path) -> dict[str, Any]:
    try:
        return line_of(results_in(folder))
    except (MoltBenchError, msgspec.MsgspecError) as error:
        said = {"status": "unreadable", "stopReason": f"cannot be read: {error}", "error": str(error)}
        empty = {"participants": [], "leaders": [], "version": "", "configHash": ""}
        return {"id": folder.name, "started": started(folder.name), **_NOTHING, **said, **empty}


def line_of(results: Results) -> dict[str, Any]:
    """Return the line of a run in the list."""
    header, summary, board = results.look.header, results.summary, results.leaderboard
    secret = results.secret
    line = {
        "id": results.run,
        "started": started(results.run),
        **_NOTHING,
        "status": results.status,
        "participants": [
            {"id": each.id, "name": each.display_name or each.id}
            for each in (() if secret else results.config.participants)
        ],
        "leaders": [],
        "version": header.version,
        "configHash": header.config_hash,
    }
    if summary is None or board is None or secret:
        return line
    usd = [each.usage.cost_usd for each in board.participants if each.usage is not None]
    rule = results.config.stop.adjacent_confidence or {}
    return {
        **line,
        "headline": summary.headline,
        "stopReason": None if summary.ending is None else summary.stop_reason,
        "method": rule.get("method", "margin"),  # what the order is by
        **msgspec.structs.asdict(summary.totals),
        "faults": sum(sum(kinds.values()) for kinds in summary.errors.values()),
        "usd": rounded(sum(each or 0 for each in usd)) if usd and None not in usd else None,
        "leaders": [
            {
                "id": each.id,
                "name": each.name,
                "bb100": each.bb_per_100,
                "halfWidth": each.bb_per_100_half_width,
                "mu": each.mu,
                "sigma": each.sigma,
                "ranks": each.rank_range,
            }
            for each in (board.participants if summary.totals.matches else ())
        ],
    }
