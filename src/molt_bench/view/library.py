"""The library: the runs of a folder, each read once and then only where it has grown."""

from contextlib import suppress
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, Final

from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.runs.folder import JOURNAL
from molt_bench.view.compressed_body import Body
from molt_bench.view.hand_columns import hand_columns
from molt_bench.view.hand_list_cache import HandListCache
from molt_bench.view.hand_page import hand_page
from molt_bench.view.history import Chapter, chapter_of, history
from molt_bench.view.match_page import match_page, played_hands
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_cache import CachedRun, RunCache, acquired
from molt_bench.view.run_list import RunList, files_state
from molt_bench.view.run_names import names_data
from molt_bench.view.run_page import run_page, run_summary, unreadable_summary
from molt_bench.view.search import search_data, search_task, searched

#: Seconds that the page of a run waits for a match that is being rated, before it shows what was known before.
_PATIENCE_S: Final = 1.0
#: Seconds that the list waits for all runs that are still to be counted.
_LIST_WAIT_S: Final = 1.0
#: Seconds that a line of the list waits for a match of a running run that is being rated.
_LINE_WAIT_S: Final = 0.3
#: Pages of how many other runs are kept, for the time that they cannot be made.
_PAGES_KEPT: Final = 3
#: Hands of the largest run whose list of hands is made before it is asked for.
_MOST_PREPARED: Final = 300_000


class Library:
    """The data of all pages. All methods may be called from any thread, and one slow run never blocks the others.

    Args:
        folder: A folder of runs, or a run.
        wait_s: Seconds that a request waits for what is still to be counted, which goes on after that; None to count
            everything before the answer.

    Attributes:
        asked: Whether a reader has asked for anything.
    """

    def __init__(self, folder: str | Path, *, wait_s: float | None = None) -> None:
        self.asked = Event()
        self.runs = RunList(folder)
        self._wait_s = wait_s
        self._cache = RunCache()
        self._lines: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {}
        self._pages: dict[str, tuple[OpenRun, tuple[int, ...], dict[str, Any]]] = {}
        self._chapters: dict[str, tuple[tuple[int, ...], Chapter]] = {}
        self._hands = HandListCache()

    def open(self, run: str) -> OpenRun:
        """Return a run, read up to its current end."""
        return self._cached(run).run

    def _cached(self, run: str, *, wait_s: float | None = None, count: bool = True) -> CachedRun:
        found = self._cache.run(run, lambda: self._folder(run))
        self._folder(run)  # it may have been removed since
        if count:
            found.catch_up(self._wait_s if wait_s is None or self._wait_s is None else wait_s)
        else:
            found.read()
        return found

    def run_list(self) -> list[dict[str, Any]]:
        """Return a summary of each run, newest first; one that cannot be read says why."""
        found, deadline = [], monotonic() + _LIST_WAIT_S
        for run in self.runs.ids():
            try:
                found.append(self._line(run, wait_s=max(0.0, deadline - monotonic())))
            except MoltBenchError as error:
                found.append(unreadable_summary(run, error))
        return found

    def _folder(self, run: str) -> Path:
        found = self.runs.folder(run)
        if found is None:
            raise ConfigError("run", run, "the name of a run in this folder")
        return found

    def run_page(self, run: str) -> dict[str, Any]:
        """Return the data of the page of a run: complete, or saying that it is being counted."""
        cached = self._cached(run)
        opened = cached.run
        with acquired(cached.counting, 0 if opened.counting else _PATIENCE_S) as free:
            if free:
                return self._new_page(cached)
        known = self._pages.get(run)
        if not opened.counting:
            cached.have_done("page", lambda: self._new_page(cached))
            if known is not None and known[0] is opened:
                return known[2]
        with cached.reading:
            return run_page(opened, counted=False)

    def _new_page(self, cached: CachedRun) -> dict[str, Any]:
        """Make the page of a run while nothing is counted; it is shown until it can be made again.

        If the run is not in progress, it is only made again after a change.
        """
        with cached.counting, cached.reading:
            opened = cached.run
            state = opened.version, *files_state(sorted(opened.folder.iterdir()))
            known = self._pages.get(opened.id)
            if known is not None and known[:2] == (opened, state) and opened.status != "running":
                return known[2]
            page = run_page(opened)
        others = [*self._pages.items()][-_PAGES_KEPT:]
        self._pages = {**dict(others), opened.id: (opened, state, page)}
        return page

    def newer_page(self, run: str, version: str) -> dict[str, Any] | None:
        """Return the page of a run, or None if its version has not changed."""
        page = self.run_page(run)
        return None if str(page["version"]) == version else page

    def names(self, run: str) -> dict[str, Any]:
        """Return who plays in a run, and what it is called."""
        cached = self._cached(run, count=False)
        with cached.reading:
            return names_data(cached.run)

    def has_guests(self, run: str) -> bool:
        """Return whether live agents play in a run, and it has not ended."""
        opened = self._cached(run, count=False).run
        return opened.status != "finished" and any(each.kind.comes for each in opened.config.participants)

    def match_page(self, run: str, match: int) -> dict[str, Any]:
        """Return the seed pairs of a match."""
        cached = self._cached(run, wait_s=0)
        with cached.reading:
            return match_page(cached.run, match)

    def played_hands(self, run: str, match: int) -> dict[str, list[str | None]]:
        """Return the hands of a match as they were played."""
        cached = self._cached(run, count=False)
        with cached.reading:
            return played_hands(cached.run, match)

    def hand_columns(self, run: str) -> dict[str, Any]:
        """Return all hands of a run as columns."""
        cached = self._cached(run, count=False)
        with cached.reading:
            return hand_columns(cached.run)

    def hands_body(self, run: str, *, packed: bool = True) -> Body:
        """Return the same as it is sent, packed for a page or as JSON; it is kept until the run changes."""
        return self._hands.body(self._cached(run, count=False), packed=packed)

    def prepare(self) -> None:
        """Make the pages of the newest run before they are asked for; a reader who asks for anything comes first."""
        with suppress(Exception):  # whoever asks is told
            for run in self.runs.ids()[:1]:
                for make in (self.run_page, self.prepare_hands):
                    if not self.asked.is_set():
                        make(run)

    def prepare_hands(self, run: str) -> None:
        """Make the list of hands of a run before it is asked for, unless the run goes on or is very large."""
        with suppress(Exception):  # as above
            opened = self._cached(run, count=False).run
            hands = sum([game.record.dealt for game in [*opened.games.values()]])
            if opened.status != "running" and hands <= _MOST_PREPARED:
                self.hands_body(run)

    def hand_page(self, run: str, match: int, seed: int, hand: int) -> dict[str, Any]:
        """Return one hand in both seatings."""
        cached = self._cached(run, count=False)
        with cached.reading:
            return hand_page(cached.run, match, seed, hand)

    def search(self, run: str, query: str, *, regex: bool = False, skip: int = 0) -> dict[str, Any]:
        """Return where the models of a run said something; nothing else waits for it."""
        cached = self._cached(run, count=False)
        with cached.reading:
            opened = cached.run
            task = search_task(opened, query, regex=regex, skip=skip)
        found = searched(task)
        with cached.reading:
            return search_data(opened, task, found)

    def history(self) -> dict[str, Any]:
        """Return the results of each agent over all runs, and who got worse; runs that are being counted are named."""
        chapters, counting = list[Chapter](), list[str]()
        for run in reversed(self.runs.ids()):
            with suppress(MoltBenchError):  # the list of runs says which cannot be read, and why
                found = self._chapter(run)
                if found is None:
                    counting.append(run)
                else:
                    chapters.append(found)
        return {**history(chapters), "counting": counting}

    def _line(self, run: str, *, wait_s: float) -> dict[str, Any]:
        state, known = self._state(run), self._lines.get(run)
        if known is not None and known[0] == state and known[1]["status"] == "finished" and not known[1]["counting"]:
            return known[1]
        cached = self._cached(run, wait_s=wait_s)
        with acquired(cached.counting, 0 if cached.run.counting else _LINE_WAIT_S) as free:
            if free:
                return self._new_line(cached, state)
        if not cached.run.counting:
            cached.have_done("line", lambda: self._new_line(cached, state))
            if known is not None and not known[1]["counting"]:
                return known[1]
        with cached.reading:
            return run_summary(cached.run, counted=False)

    def _new_line(self, cached: CachedRun, state: tuple[int, ...]) -> dict[str, Any]:
        """Make the line of a run while nothing is counted; it is shown until it can be made again."""
        with cached.counting, cached.reading:
            line = run_summary(cached.run)
        self._lines[cached.run.id] = state, line
        return line

    def _chapter(self, run: str) -> Chapter | None:
        """Return the results of a run; None while they are being counted."""
        state, known = self._state(run), self._chapters.get(run)
        if known is not None and known[0] == state:
            return known[1]
        cached = self._cached(run)
        if cached.run.counting:
            return None
        with cached.counting, cached.reading:
            chapter = chapter_of(cached.run)
        self._chapters[run] = state, chapter
        return chapter

    def _state(self, run: str) -> tuple[int, ...]:
        folder = self.runs.folder(run)
        return files_state((folder / JOURNAL,) if folder is not None else ())
