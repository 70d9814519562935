"""Event loops for games, apart from any that is running already."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

#: Seconds that what an agent left behind gets to end.
FAREWELL_S: Final = 0.5


class GameLoop:
    """An event loop for games, apart from any that is running here already.

    Unlike `asyncio.run` it does not wait for what does not want to end: tasks that an agent left behind and that
    ignore their cancellation, and threads of the loop's executor.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine to its end."""
        return _apart(partial(self._run, main))

    def close(self) -> None:
        """End what is left, and the loop."""
        _apart(self._close)

    def _run(self, main: Coroutine[Any, Any, Result]) -> Result:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        task = self._loop.create_task(main)
        with _interrupting(self._loop, task) as interrupted:
            try:
                return self._loop.run_until_complete(task)
            except asyncio.CancelledError:
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
def _interrupting(loop: asyncio.AbstractEventLoop, task: "asyncio.Task[Any]") -> Iterator[list[bool]]:
    """Have Ctrl-C cancel the task, so that it never strikes in the middle of another one; a second one strikes at once.

    As `asyncio.Runner` does. The list has an item once the first has come.
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


def _apart(work: Callable[[], Result]) -> Result:
    """Do some work of an event loop; in a thread where another loop is running in this one, as in a notebook."""
    try:
        running = asyncio.get_running_loop() is not None
    except RuntimeError:
        running = False
    if not running:  # not in the handler above, or all that an agent raises would seem to come from there
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


def _cancel(loop: asyncio.AbstractEventLoop, tasks: set[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    if tasks:
        with suppress(KeyboardInterrupt):  # a task that ends by one raises it here once more
            loop.run_until_complete(asyncio.wait(tasks, timeout=FAREWELL_S))
    for task in tasks:
        if task.done() and not task.cancelled():
            task.exception()  # looked at, so that asyncio does not print it


def run_in_new_loop(main: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in an event loop of its own."""
    loop = GameLoop()
    try:
        return loop.run(main)
    finally:
        loop.close()
