"""Event loops for games, separate from any loop already running."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from threading import Thread
from typing import Any, Final, TypeVar

from molt_bench.blame import bug_in

Result = TypeVar("Result")

#: Seconds that leftover tasks of an agent get to end.
FAREWELL_S: Final = 0.5


class GameLoop:
    """An event loop for games, separate from any loop already running.

    Ctrl-C cancels what runs on it; a second one interrupts at once. Unlike `asyncio.run`, it does not wait for what
    refuses to end: leftover tasks of an agent that ignore cancellation, and threads of the loop's executor.
    """

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None
        self._main: asyncio.Task[Any] | None = None

    def run(self, main: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine to its end."""
        return _apart(partial(self._run, main))

    def close(self) -> None:
        """Cancel leftover tasks and close the loop."""
        _apart(self._close)

    def _run(self, main: Coroutine[Any, Any, Result]) -> Result:
        if self._runner is None:
            self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        try:
            return self._runner.run(self._watched(main))
        except KeyboardInterrupt:
            _cancel(self._runner.get_loop(), {self._main} if self._main is not None else set())
            raise

    async def _watched(self, main: Coroutine[Any, Any, Result]) -> Result:
        """Run a coroutine; a bug of ours in a callback, as in a timer, ends it, since it might wait forever."""
        self._main = task = asyncio.current_task()
        assert task is not None
        bugs: list[BaseException] = []

        def noticed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception")
            bug = bug_in(error) if isinstance(error, Exception) else None
            if bug is None:
                loop.default_exception_handler(context)
            else:
                bugs.append(bug)
                task.cancel()

        asyncio.get_running_loop().set_exception_handler(noticed)
        try:
            return await main
        except asyncio.CancelledError:
            if bugs:
                raise bugs[0] from None
            raise

    def _close(self) -> None:
        if self._runner is not None:
            loop, self._runner = self._runner.get_loop(), None
            _cancel(loop, asyncio.all_tasks(loop))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


def _cancel(loop: asyncio.AbstractEventLoop, tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel tasks, and give them a moment to end."""
    for task in tasks:
        task.cancel()
    if tasks:
        with suppress(KeyboardInterrupt):  # a task that ended with one raises it again here
            loop.run_until_complete(asyncio.wait(tasks, timeout=FAREWELL_S))
    for task in tasks:
        if task.done() and not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not print it


def _apart(work: Callable[[], Result]) -> Result:
    """Run a function that uses an event loop; in a new thread if this one runs a loop, as in a notebook."""
    try:
        running = asyncio.get_running_loop() is not None
    except RuntimeError:
        running = False
    if not running:  # outside the handler above, or every exception of an agent would be chained to it
        return work()
    outcome: Future[Result] = Future()

    def in_thread() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    Thread(target=in_thread, daemon=True).start()
    return outcome.result()


async def all_together(work: Iterable[Coroutine[Any, Any, object]]) -> None:
    """Run coroutines at the same time; the first that fails ends the others, and is raised as if it had run alone."""
    try:
        async with asyncio.TaskGroup() as group:
            for each in work:
                group.create_task(each)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


def run_in_new_loop(main: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in an event loop of its own."""
    loop = GameLoop()
    try:
        return loop.run(main)
    finally:
        loop.close()
