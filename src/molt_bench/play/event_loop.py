"""Event loops for games, separate from any loop already running."""

import asyncio
import gc
import signal
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from typing import Any, Final, TypeVar

from molt_bench.blame import bug_in

Result = TypeVar("Result")

#: Seconds that leftover tasks of an agent get to end.
FAREWELL_S: Final = 0.5
#: New objects after which the garbage collector runs.
_OBJECTS_BETWEEN: Final = 10_000


class GameLoop:
    """An event loop for games, separate from any loop already running.

    Unlike `asyncio.run`, it does not wait for what refuses to end: leftover tasks of an agent that ignore cancellation,
    and threads of the loop's executor.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine to its end."""
        return _apart(partial(self._run, main))

    def close(self) -> None:
        """Cancel leftover tasks and close the loop."""
        _apart(self._close)

    def _run(self, main: Coroutine[Any, Any, Result]) -> Result:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        task = self._loop.create_task(main)
        with _interrupting(self._loop, task) as interrupted, _watching(self._loop, task) as bugs:
            try:
                return self._loop.run_until_complete(task)
            except asyncio.CancelledError:
                if bugs:
                    raise bugs[0] from None
                if interrupted:
                    raise KeyboardInterrupt from None
                raise
            except KeyboardInterrupt:
                _cancel(self._loop, {task})
                raise

    def _close(self) -> None:
        if self._loop is not None:
            _cancel(self._loop, asyncio.all_tasks(self._loop))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()
            self._loop = None


@contextmanager
def _interrupting(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Iterator[list[bool]]:
    """Have Ctrl-C cancel the task, so that it never interrupts another one; a second Ctrl-C interrupts at once.

    This is what `asyncio.Runner` does. The list yielded has an item after the first Ctrl-C.
    """
    interrupted: list[bool] = []
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupted
        return

    def interrupt(number: int, frame: Any) -> None:
        if interrupted:
            signal.default_int_handler(number, frame)
        interrupted.append(True)
        loop.call_soon_threadsafe(task.cancel)

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def _watching(loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any]) -> Iterator[list[BaseException]]:
    """Have a bug of ours in a callback, as in a timer, end the task: nobody else notices, and it might wait forever.

    The list yielded has the bugs.
    """
    bugs: list[BaseException] = []

    def noticed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        bug = bug_in(error) if isinstance(error, Exception) else None
        if bug is None:
            loop.default_exception_handler(context)
        else:
            bugs.append(bug)
            task.cancel()

    before = loop.get_exception_handler()
    loop.set_exception_handler(noticed)
    try:
        yield bugs
    finally:
        loop.set_exception_handler(before)


def _apart(work: Callable[[], Result]) -> Result:
    """Run a function that uses an event loop; in a new thread if this one runs a loop, as in a notebook."""
    try:
        running = asyncio.get_running_loop() is not None
    except RuntimeError:
        running = False
    if not running:  # outside the handler above, or every exception of an agent would be chained to it
        return work()
    outcome: list[Any] = []

    def in_thread() -> None:
        try:
            outcome.extend((work(), None))
        except BaseException as error:
            outcome.extend((None, error))

    thread = Thread(target=in_thread, daemon=True)
    thread.start()
    thread.join()
    result, error = outcome
    if error is not None:
        raise error
    finished: Result = result
    return finished


async def all_together(work: Iterable[Coroutine[Any, Any, object]]) -> None:
    """Run coroutines at the same time; the first that fails ends the others, and is raised as if it had run alone."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


@contextmanager
def rare_collections() -> Iterator[None]:
    """Have the garbage collector run less often: games that wait are many objects, and hardly any of them garbage."""
    usual, *others = gc.get_threshold()
    gc.set_threshold(max(usual, _OBJECTS_BETWEEN) if usual else 0, *others)
    try:
        yield
    finally:
        gc.set_threshold(usual, *others)


def _cancel(loop: asyncio.AbstractEventLoop, tasks: set[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        with suppress(KeyboardInterrupt):  # a task that ended with one raises it again here
            loop.run_until_complete(asyncio.wait(tasks, timeout=FAREWELL_S))
    for task in tasks:
        if task.done() and not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not print it


def run_in_new_loop(main: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in an event loop of its own."""
    loop = GameLoop()
    try:
        return loop.run(main)
    finally:
        loop.close()
