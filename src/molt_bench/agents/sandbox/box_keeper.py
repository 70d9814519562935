"""The keeper of the boxes of this process: a thread that starts them, and looks at what those without a cgroup use.

A box ends with the thread that started it, so that none outlives us, however we end. Other threads come and
go; this one stays.
"""

import os
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Lock, Thread, current_thread
from time import monotonic
from typing import Any, Final, Protocol, TypeVar

from molt_bench.blame import internal_error

#: Seconds between looks at what boxes use; and how much longer than the looks themselves.
_LOOK_S: Final = 0.1
_SHARE: Final = 20
_Found = TypeVar("_Found")


class Watched(Protocol):
    """A box that is looked at."""

    def look(self) -> bool:
        """End it if it uses more than it may; return whether it has to be looked at again."""


class _Keeper(Thread):
    def __init__(self) -> None:
        super().__init__(name="boxes", daemon=True)
        self._work: SimpleQueue[Callable[[], object]] = SimpleQueue()
        self._watched: list[Watched] = []
        self._bug: BaseException | None = None
        self.start()

    def call(self, do: Callable[[], _Found], undo: Callable[[_Found], object]) -> _Found:
        """Call a function in this thread and return what it returns; undo it if nobody waits for that any more."""
        if current_thread() is self:
            return do()
        self.raise_bug()
        found: Future[Any] = Future()

        def work() -> None:
            try:
                found.set_result(do())
            except BaseException as error:  # it is raised again where somebody waits for it
                found.set_exception(error)

        self._work.put(work)
        try:
            return found.result()  # type: ignore[no-any-return]
        except KeyboardInterrupt:
            found.add_done_callback(lambda done: None if done.exception() else undo(done.result()))
            raise

    def soon(self, do: Callable[[], object]) -> None:
        """Call a function in this thread when there is time."""
        self._work.put(do)

    def watch(self, box: Watched) -> None:
        """Look at a box until it has ended."""
        self._work.put(lambda: self._watched.append(box))

    def raise_bug(self) -> None:
        """Raise what went wrong in this thread while nobody waited for it, once."""
        bug, self._bug = self._bug, None
        if bug is not None:
            raise internal_error(bug) from bug

    def run(self) -> None:
        """Do what is asked for, and look at boxes in between; go on whatever happens, since others wait for it."""
        next_look = monotonic()
        while True:
            try:
                wait_s = max(0.0, next_look - monotonic()) if self._watched else None
                self._work.get(timeout=wait_s)()
            except Empty:
                pass
            except BaseException as bug:  # raised where the next box is asked for, or a game ends
                self._bug = bug
            began = monotonic()
            if began >= next_look:
                self._watched = [*filter(self._look_at, self._watched)]
                ended = monotonic()
                next_look = ended + max(_LOOK_S, _SHARE * (ended - began))

    def _look_at(self, box: Watched) -> bool:
        try:
            return box.look()
        except BaseException as bug:  # raised where the next box is asked for, or a game ends
            self._bug = bug
            return False


_keeper: _Keeper | None = None
_lock = Lock()


def keeper() -> _Keeper:
    """Return the keeper of this process, which is started when it is first needed."""
    global _keeper
    with _lock:
        if _keeper is None:
            _keeper = _Keeper()
        return _keeper


def raise_bug() -> None:
    """Raise what went wrong in the keeper, if there is one, while nobody waited for it."""
    if _keeper is not None:
        _keeper.raise_bug()


def _none_yet() -> None:
    """Forget the keeper of the process that this one is a fork of: threads do not come along."""
    global _keeper, _lock
    _keeper, _lock = None, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_none_yet)
