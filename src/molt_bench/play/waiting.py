"""Waiting for an agent's answer, but not for ever."""

import asyncio
import inspect
from collections.abc import Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias, TypeVar

from molt_bench.play.game import AgentFailed, Call
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
    """

    def __init__(self, timeout_s: float | None, *, patience: int) -> None:
        self._limit_s = DEFAULT_TIMEOUT_S if timeout_s is None else timeout_s
        self._threaded = timeout_s is not None
        self._patience = patience
        self._silent = 0
        self._overdue: asyncio.Future[Any] | None = None
        self._calls: SimpleQueue[tuple[Call, Future[Outcome]] | None] | None = None

    async def result(self, call: Call) -> Any:
        """Return what `call()` returns, awaited if need be.

        Raises:
            AgentFailed: It raised, or took too long.
        """
        if self._silent >= self._patience:
            raise AgentFailed("timeout", f"given up after {self._silent} answers in a row that did not come in time")
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
        if error is not None:
            raise AgentFailed.by_raising(error)
        if self._threaded and monotonic() - start > self._limit_s:
            # It blocked the event loop, where nobody could stop it.
            raise self._timed_out()
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
        return AgentFailed("timeout", f"no answer within {self._limit_s:g} s")

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


def run_in_new_loop(main: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine to its end in an event loop of its own; in a thread where one is running here already.

    Unlike `asyncio.run` it does not wait for what does not want to end: tasks that an agent left behind and that
    ignore their cancellation, and threads of the loop's executor.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(main)
    outcome: list[Any] = []

    def in_thread() -> None:
        try:
            outcome.extend((_run(main), None))
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


def _run(main: Coroutine[Any, Any, Result]) -> Result:
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(main)
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            with suppress(KeyboardInterrupt):  # a task that ends by one raises it here once more
                loop.run_until_complete(asyncio.wait(left, timeout=_FAREWELL_S))
        for task in left:
            if task.done() and not task.cancelled():
                task.exception()  # looked at, so that asyncio does not print it
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
