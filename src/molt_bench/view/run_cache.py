"""The runs that are kept open, each read by one thread at a time and counted by another: no run waits for another."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import BoundedSemaphore, Event, Lock, RLock, Thread
from time import monotonic, sleep
from typing import Final

from molt_bench.runs.line_file import Replaced
from molt_bench.view.open_run import OpenRun

#: How many runs are kept open with all their hands.
_KEPT_OPEN: Final = 4
#: Seconds of counting after which whoever waits for what is counted can have it, and how long the pause for that is.
_SHARE_AFTER_S: Final = 0.05
_PAUSE_S: Final = 0.002
#: How many runs are counted at once.
_COUNTED_AT_ONCE: Final = BoundedSemaphore(4)


class CachedRun:
    """One open run.

    `reading` protects what is read from its folder, and is never held for long. `counting` protects what is counted: to
    rate a match of 100,000 hands may take minutes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.run = OpenRun(folder)
        self.reading = RLock()
        self.counting = RLock()
        self._counter: Thread | None = None
        self._idle = Event()
        self._problem: Exception | None = None
        self._wishes: dict[str, Callable[[], object]] = {}

    @property
    def busy(self) -> bool:
        """Whether a thread is counting."""
        return self._counter is not None and self._counter.is_alive()

    def read(self) -> None:
        """Read what is new, and count nothing: enough for the hands of a run."""
        with self.reading:
            if self._problem is not None:
                raise self._problem
            try:
                self.run.read()
            except Replaced:
                self.run, self._counter = OpenRun(self.folder), None
                self.run.read()

    def catch_up(self, wait_s: float | None) -> None:
        """Read what is new and count it: before returning, or in a thread that is waited for this long."""
        with self.reading:
            self.read()
            self._start_counting(wait_s)
        if wait_s is not None and self.busy:
            self._idle.wait(wait_s)

    def _start_counting(self, wait_s: float | None) -> None:
        if wait_s is None:
            self.run.catch_up()
        elif self.run.pending is not None and not self.busy:
            self._idle.clear()
            self._counter = Thread(target=self._count, args=(self.run,), daemon=True)
            self._counter.start()

    def _count(self, run: OpenRun) -> None:
        more, paused = True, monotonic()
        with _COUNTED_AT_ONCE:
            try:
                while more and run is self.run:
                    with self.counting:
                        more = run.count_next()
                        self._do_wishes()
                    if monotonic() - paused > _SHARE_AFTER_S:
                        sleep(_PAUSE_S)
                        paused = monotonic()
            except Exception as error:  # told to whoever asks next
                self._problem = error
            finally:
                self._idle.set()

    def have_done(self, what: str, act: Callable[[], object]) -> None:
        """Have the thread that counts do something as soon as the match is rated that it is at.

        Waiting for a moment in which nothing is counted may take for ever on a busy machine.
        """
        self._wishes[what] = act

    def _do_wishes(self) -> None:
        wishes, self._wishes = self._wishes, {}
        for act in wishes.values():
            with suppress(Exception):  # whoever asks again is told
                act()


class RunCache:
    """The runs that were opened last; those that are being counted stay."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: OrderedDict[str, CachedRun] = OrderedDict()
        self._opening: dict[str, Lock] = {}

    def run(self, name: str, folder: Callable[[], Path]) -> CachedRun:
        """Return an open run; one that is being opened is waited for, and only that one."""
        with self._lock:
            opening = self._opening.setdefault(name, Lock())
        with opening:
            with self._lock:
                found = self._open.pop(name, None)
            found = found or CachedRun(folder())
            with self._lock:
                self._open[name] = found
                idle = [key for key, each in self._open.items() if not each.busy and key != name]
                for key in idle[: max(0, len(self._open) - _KEPT_OPEN)]:
                    del self._open[key]
            return found


@contextmanager
def acquired(lock: RLock, timeout_s: float) -> Iterator[bool]:
    """Hold a lock if it is free within this time; yields whether it is."""
    held = lock.acquire(timeout=timeout_s)
    try:
        yield held
    finally:
        if held:
            lock.release()
