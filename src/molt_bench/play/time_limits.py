"""Time limits: wait for an agent's answer, but not forever."""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias

from molt_bench.errors import AgentFailed, FaultKind, GameUnfinished
from molt_bench.play.event_loop import FAREWELL_S, run_in_new_loop
from molt_bench.play.game import Call
from molt_bench.specs import DEFAULT_TIMEOUT_S

#: What a call returned, and what it raised.
CallOutcome: TypeAlias = tuple[Any, BaseException | None]


class Waiter:
    """Gets one agent's answers within a time limit.

    An awaitable answer is cancelled when its time is up. A plain function cannot be cancelled: with a limit it runs in
    a thread, which is abandoned if it does not return; without one it is called directly. An agent is never asked while
    an earlier call is still running, and is given up for the rest of the game after too many timeouts.

    Args:
        timeout_s: Seconds for one answer; None for the default, which applies to awaitable answers only.
        patience: Timeouts in a row after which the agent is given up.
        keeps_time: Whether the agent limits its own time, and reports a timeout by failing with one.
        ours: Whether it is all our own code, which ends at once when it is cancelled.
        failure: Returns what an exception of the agent counts as, or raises what ends the game.
    """

    def __init__(
        self,
        timeout_s: float | None,
        *,
        patience: int,
        keeps_time: bool = False,
        ours: bool = False,
        failure: Callable[[BaseException], AgentFailed] = AgentFailed.by_raising,
    ) -> None:
        self._failure = failure
        self._limit_s = None if keeps_time else DEFAULT_TIMEOUT_S if timeout_s is None else timeout_s
        self._directly = keeps_time and ours
        self._threaded = timeout_s is not None and not keeps_time
        self._patience = patience
        self._silent = 0
        self._why: FaultKind = "timeout"
        self._overdue: asyncio.Future[Any] | None = None
        self._calls: SimpleQueue[tuple[Call, Future[CallOutcome]] | None] | None = None

    async def result(self, call: Call, *, hook: bool = False) -> Any:
        """Return what `call()` returns, awaiting it if necessary.

        A hook does not count as an answer, and is skipped once the agent is given up.

        Raises:
            AgentFailed: The agent raised, or took too long.
            GameUnfinished: The agent reported that the game cannot go on, or is ours and has a bug.
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
            # Even inspecting an answer may raise, which is the agent's mistake.
            awaitable, error = _outcome(partial(inspect.isawaitable, answer))
        if awaitable and self._directly:
            answer, error = await _awaited_here(answer)
        elif awaitable:
            answer, error = await self._done(asyncio.ensure_future(_awaited(answer)))
        if isinstance(error, GameUnfinished):
            raise error
        if error is not None:
            failure = self._failure(error)
            if failure.kind in ("timeout", "transport"):
                self._silent += 1
                self._why = failure.kind
            elif not hook:
                self._silent = 0
            raise failure
        if self._threaded and self._limit_s is not None and monotonic() - start > self._limit_s:
            # It blocked the event loop, so nothing could stop it.
            raise self._timed_out()
        if not hook:
            self._silent = 0
        return answer

    async def _done(self, waiting: "asyncio.Future[CallOutcome]") -> CallOutcome:
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

    def _submit(self, call: Call) -> "Future[CallOutcome]":
        if self._calls is None:
            self._calls = SimpleQueue()
            # A daemon, so that an agent that never returns does not keep the program alive.
            Thread(target=_serve, args=(self._calls,), daemon=True, name="agent").start()
        future: Future[CallOutcome] = Future()
        self._calls.put((call, future))
        return future

    async def farewell(self, call: Call, *, patience_s: float) -> None:
        """Call an agent for the last time, ignoring exceptions and timeouts.

        An awaitable call is cancelled after `patience_s` seconds; 0 lets it run until it first waits.
        """
        last = asyncio.ensure_future(self._last(call))
        try:
            await asyncio.wait([last], timeout=patience_s)
        finally:
            if not last.done():
                last.cancel()
                await asyncio.wait([last], timeout=FAREWELL_S)

    async def _last(self, call: Call) -> CallOutcome:
        if self._threaded and not _is_async(call):
            # A new thread, since the old one may be stuck.
            future: Future[CallOutcome] = Future()
            Thread(target=_serve_one, args=(call, future), daemon=True, name="agent").start()
            answer, error = await asyncio.wrap_future(future)
        else:
            answer, error = _outcome(call)
        if error is None and _outcome(partial(inspect.isawaitable, answer)) == (True, None):
            return await _awaited(answer)
        return answer, error

    def close(self) -> None:
        """Let the thread end once the agent returns."""
        if self._calls is not None:
            self._calls.put(None)


def bid_farewell(call: Call, *, patience_s: float) -> None:
    """Call an agent for the last time from plain code; see `Waiter.farewell`."""
    answer, error = _outcome(call)
    if error is None and _outcome(partial(inspect.isawaitable, answer)) == (True, None):
        run_in_new_loop(Waiter(None, patience=1).farewell(lambda: answer, patience_s=patience_s))


def _is_async(call: Call) -> bool:
    return inspect.iscoroutinefunction(getattr(call, "func", call))


def _outcome(call: Call) -> CallOutcome:
    """Call an agent and return what it raises as a value, since a future cannot hold a StopIteration."""
    try:
        return call(), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error


async def _awaited(answer: Any) -> CallOutcome:
    try:
        return await answer, None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return None, error


async def _awaited_here(answer: Any) -> CallOutcome:
    """Await an answer without a task of its own, which takes longer than many a decision."""
    answer, error = await _awaited(answer)
    task = asyncio.current_task()
    if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
        raise error  # the game was cancelled, and not the answer
    return answer, error


def _serve(calls: "SimpleQueue[tuple[Call, Future[CallOutcome]] | None]") -> None:
    while (job := calls.get()) is not None:
        _serve_one(*job)


def _serve_one(call: Call, future: "Future[CallOutcome]") -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result((call(), None))
        except BaseException as error:
            future.set_result((None, error))
