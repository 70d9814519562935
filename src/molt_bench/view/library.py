"""The library: the runs of a folder, each read once and then only where it has grown; and the paths of its data."""

import re
from collections import OrderedDict
from collections.abc import Callable
from math import inf
from pathlib import Path
from threading import RLock
from typing import Any, Final

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.runs.lines import Replaced
from molt_bench.view.grades import grades_version
from molt_bench.view.hand_list import hand_columns, match_page
from molt_bench.view.hand_page import hand_page
from molt_bench.view.history import Chapter, chapter_of, history
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_list import RunList, started
from molt_bench.view.run_page import run_page, run_summary

#: How many runs are kept open with all their hands.
_KEPT_OPEN: Final = 4
#: Seconds of pending counting that one request may do.
_WORK_S: Final = 0.5


class Library:
    """The data of all pages. All methods may be called from any thread.

    Args:
        folder: A folder of runs, or a run.
        work_s: Seconds of pending counting that one request may do; None for all of it.
    """

    def __init__(self, folder: str | Path, *, work_s: float | None = _WORK_S) -> None:
        self.runs = RunList(folder)
        self._work_s = work_s
        self._lock = RLock()
        self._open: OrderedDict[str, OpenRun] = OrderedDict()
        self._lines: dict[str, tuple[int, dict[str, Any]]] = {}
        self._chapters: dict[str, tuple[int, Chapter]] = {}
        self._hands: dict[str, tuple[OpenRun, int, dict[str, Any]]] = {}
        self._seen: dict[str, tuple[int, ...]] = {}

    def open(self, run: str, *, work_s: float | None = None, styles: bool = True) -> OpenRun:
        """Return a run, read up to its current end; `work_s` overrides the default of the library."""
        folder = self.runs.folder(run)
        if folder is None:
            raise ConfigError("run", run, "the name of a run in this folder")
        seconds = self._work_s if work_s is None else work_s
        with self._lock:
            found = self._open.pop(run, None) or OpenRun(folder)
            try:
                found.catch_up(within_s=seconds, styles=styles)
            except Replaced:
                found = OpenRun(folder)
                found.catch_up(within_s=seconds, styles=styles)
            self._open[run] = found
            while len(self._open) > _KEPT_OPEN:
                self._open.popitem(last=False)
            return found

    def run_list(self) -> list[dict[str, Any]]:
        """Return a summary of each run, newest first; one that cannot be read says why."""
        found = []
        with self._lock:
            for run in self.runs.ids():
                try:
                    found.append(self._line(run))
                except MoltBenchError as error:
                    found.append(_unreadable(run, error))
        return found

    def run_page(self, run: str) -> dict[str, Any]:
        """Return the data of the page of a run."""
        with self._lock:
            return run_page(self.open(run))

    def newer_page(self, run: str, version: str) -> dict[str, Any] | None:
        """Return the page of a run, or None if its version has not changed."""
        with self._lock:
            opened = self.open(run)
            return None if str(opened.version) == version else run_page(opened)

    def match_page(self, run: str, match: int) -> dict[str, Any]:
        """Return the seed pairs of a match."""
        with self._lock:
            return match_page(self.open(run, styles=False), match)

    def hand_columns(self, run: str) -> dict[str, Any]:
        """Return all hands of a run as columns."""
        with self._lock:
            opened = self.open(run, styles=False)
            known = self._hands.get(run)
            state = len(opened.games) + grades_version(opened.folder)
            if known is None or known[0] is not opened or known[1] != state:
                known = opened, state, hand_columns(opened)
                self._hands = {run: known}
            return known[2]

    def hand_page(self, run: str, match: int, seed: int, hand: int) -> dict[str, Any]:
        """Return one hand in both seatings."""
        with self._lock:
            return hand_page(self.open(run, styles=False), match, seed, hand)

    def history(self) -> dict[str, Any]:
        """Return the results of each agent over all runs, and who got worse."""
        with self._lock:
            chapters = []
            for run in reversed(self.runs.ids()):
                try:
                    chapters.append(self._chapter(run))
                except MoltBenchError:
                    continue
            return history(chapters)

    def _line(self, run: str) -> dict[str, Any]:
        known = self._lines.get(run)
        if known is not None and self._unchanged(run) and known[1]["status"] == "finished" and known[1]["complete"]:
            return known[1]
        opened = self.open(run, styles=False)
        if known is None or known[0] != opened.version:
            known = self._lines[run] = opened.version, run_summary(opened)
        self._seen[run] = self._state(run)
        return known[1]

    def _chapter(self, run: str) -> Chapter:
        known = self._chapters.get(run)
        if known is not None and self._unchanged(run):
            return known[1]
        opened = self.open(run, work_s=inf, styles=False)
        if known is None or known[0] != opened.version:
            known = self._chapters[run] = opened.version, chapter_of(opened)
        self._seen[run] = self._state(run)
        return known[1]

    def _unchanged(self, run: str) -> bool:
        return self._seen.get(run) == self._state(run)

    def _state(self, run: str) -> tuple[int, ...]:
        folder = self.runs.folder(run)
        try:
            found = (folder / "journal.jsonl").stat() if folder is not None else None
        except OSError:
            found = None
        return () if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


def _unreadable(run: str, error: MoltBenchError) -> dict[str, Any]:
    """Return the summary of a run that cannot be read."""
    return {
        "id": run,
        "started": started(run),
        "status": "interrupted",
        "stopReason": f"cannot be read: {error}",
        **dict.fromkeys(("matches", "games", "hands", "faults"), 0),
        "usd": None,
        "participants": [],
        "leaders": [],
        "version": "",
        "configHash": "",
        "complete": True,
        "error": str(error),
    }


_NUMBER: Final = r"(0|[1-9][0-9]{0,8})"
_RUN: Final = r"api/runs/([^/]+)"
#: The paths of the data; a run is named first, the numbers follow.
_ROUTES: Final[dict[str, Callable[..., Any]]] = {
    r"api/runs\.json": Library.run_list,
    r"api/history\.json": Library.history,
    rf"{_RUN}\.json": Library.run_page,
    rf"{_RUN}/hands\.json": Library.hand_columns,
    rf"{_RUN}/match/{_NUMBER}\.json": Library.match_page,
    rf"{_RUN}/hand/{_NUMBER}/{_NUMBER}/{_NUMBER}\.json": Library.hand_page,
}


def answer(library: Library, path: str) -> Any | None:
    """Return the data of a path without a leading slash, decoded once; None if there is no such path."""
    for pattern, make in _ROUTES.items():
        found = re.fullmatch(pattern, path)
        if found:
            return make(library, *found.groups()[:1], *map(int, found.groups()[1:]))
    return None


def run_of(path: str) -> str | None:
    """Return the run if a path is the page of a run."""
    found = re.fullmatch(rf"{_RUN}\.json", path)
    return found[1] if found else None
