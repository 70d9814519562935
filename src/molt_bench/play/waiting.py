"""Waiting for an agent's answer, but not for ever."""

import asyncio
import inspect
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias, TypeVar

from molt_bench.errors import AgentFailed, FaultKind, GameUnfinished
from molt_bench.play.game import Call
from molt_bench.specs import DEFAULT_TIMEOUT_S

#: What a call returned, and what it raised.
Outcome: TypeAlias = tuple[Any, BaseException | None]
Result = TypeVar("Result")

#: Seconds that tasks an agent left behind get to end when the event loop of a game is closed.
_FAREWELL_S = 0.5


class Waiter:
    """Gets one agent's answers within its time limit.

    An awaitable answer is cancelled when its time is up. A plain function cannot be cancelled: where a limit is set it
    runs in a thread, which is left behind should it not come back; where none is set it is called directly. An agent
    is never asked while an earlier call is still running, and given up for this game once it has been silent for long.

    Args:
        timeout_s: Seconds for one answer; None for the default, which binds awaitable answers only.
        patience: Time-outs in a row after which the agent is given up.
        keeps_time: Whether the agent limits its time itself, and says so by failing with a timeout.
    """

    def __init__(self, timeout_s: float | None, *, patience: int, keeps_time: bool = False) -> None:
        self._limit_s = None if keeps_time else DEFAULT_TIMEOUT_S if timeout_s is None else timeout_s
        self._threaded = timeout_s is not None and not keeps_time
        self._patience = patience
        self._silent = 0
        self._why: FaultKind = "timeout"
        self._overdue: asyncio.Future[Any] | None = None
        self._calls: SimpleQueue[tuple[Call, Future[Outcome]] | None] | None = None

    async def result(self, call: Call, *, hook: bool = False) -> Any:
        """Return what `call()` returns, awaited if need be.

        Args:
            call: The call on the agent.
            hook: Whether it is no question: it says nothing about answers, and is left out for one given up.

        Raises:
            AgentFailed: It raised, or took too long.
            GameUnfinished: It said that the game cannot go on.
        """
        if self._silent >= self._patience:
            if hook:
                return None
            raise AgentFailed(self._why, f"given up after {self._silent} answers in a row that did not come")
        if self._overdue is not None:
            await self._done(self._overdue)
            self._overdue = None
        start = monotonic()
        if self._threaded and not _is_async(call):
            outcome = await self._done(asyncio.wrap_future(self._submit(call)))
        else:
            outcome = _outcome(call)
        answer, error = outcome
        awaitable = False
        if error is None:
            # Looking at an answer may raise as well, and that is the agent's mistake.
            awaitable, error = _outcome(partial(inspect.isawaitable, answer))
        if awaitable:
            answer, error = await self._done(asyncio.ensure_future(_awaited(answer)))
        if isinstance(error, GameUnfinished):
            raise error
        if error is not None:
            failure = AgentFailed.by_raising(error)
            if failure.kind in ("timeout", "transport"):
                self._silent += 1
                self._why = failure.kind
            elif not hook:
                self._silent = 0
            raise failure
        if self._threaded and self._limit_s is not None and monotonic() - start > self._limit_s:
            # It blocked the event loop, where nobody could stop it.
            raise self._timed_out()
        if not hook:
            self._silent = 0
        return answer

    async def _done(self, waiting: "asyncio.Future[Outcome]") -> Outcome:
        try:
            done, _ = await asyncio.wait([waiting], timeout=self._limit_s)
        except asyncio.CancelledError:
            waiting.cancel()
            raise
        if not done:
            if isinstance(waiting, asyncio.Task):
                waiting.cancel()
            self._overdue = waiting
            raise self._timed_out()
        return (None, asyncio.CancelledError()) if waiting.cancelled() else waiting.result()

    def _timed_out(self) -> AgentFailed:
        self._silent += 1
        self._why = "timeout"
        return AgentFailed("timeout", f"no answer within {self._limit_s or 0:g} s")

    def _submit(self, call: Call) -> "Future[Outcome]":
        if self._calls is None:
            self._calls = SimpleQueue()
            # A daemon, so that an agent which never comes back does not keep the program from ending.
            Thread(target=_serve, args=(self._calls,), daemon=True, name="agent").start()
        future: Future[Outcome] = Future()
        self._calls.put((call, future))
        return future

    def close(self) -> None:
        """Let the thread end, once the agent is back."""
        if self._calls is not None:
            self._calls.put(None)


def _is_async(call: Call) -> bool:
    return inspect.iscoroutinefunction(getattr(call, "func", call))


def _outcome(call: Call) -> Outcome:
    """Call an agent, and carry what it raises as a value: a future cannot hold a StopIteration."""
    try:
        return call(), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error


async def _awaited(answer: Any) -> Outcome:
    try:
        return await answer, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error


def _serve(calls: "SimpleQueue[tuple[Call, Future[Outcome]] | None]") -> None:
    while (job := calls.get()) is not None:
        call, future = job
        if future.set_running_or_notify_cancel():
            try:
                future.set_result((call(), None))
            except BaseException as error:
                future.set_result((None, error))


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
        asyncio.get_running_loop()
    except RuntimeError:
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
            loop.run_until_complete(asyncio.wait(tasks, timeout=_FAREWELL_S))
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
