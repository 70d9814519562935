"""Time limits: wait for an agent's answer, but not forever; and for its `close` when its game has ended."""

import asyncio
import inspect
from collections.abc import Coroutine
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, Final, NamedTuple

from molt_bench.errors import AgentFailed, FaultKind, GameUnfinished
from molt_bench.play.event_loop import FAREWELL_S, run_in_new_loop
from molt_bench.play.game import Call
from molt_bench.play.seated_agent import SeatedAgent, Seats
from molt_bench.specs import DEFAULT_TIMEOUT_S

#: Seconds an agent's async `close` may take; none after an interruption.
_CLOSE_S: Final = 5.0


class _Outcome(NamedTuple):
    """What a call returned, whether that has to be awaited, and what it raised: a future holds no StopIteration."""

    answer: Any = None
    waits: bool = False
    error: BaseException | None = None


class Waiter:
    """Gets one agent's answers within a time limit.

    An awaitable answer is cancelled when its time is up. A plain function cannot be cancelled: with a limit it runs in
    a thread, which is abandoned if it does not return; without one it is called directly. An agent is never asked while
    an earlier call is still running, and is given up for the rest of the game after too many timeouts.

    Args:
        seat: The agent. One that keeps its own time reports a timeout by failing with one.
        timeout_s: Seconds for one answer; None for the default, which applies to awaitable answers only.
        patience: Timeouts in a row after which the agent is given up.
    """

    def __init__(self, seat: SeatedAgent, timeout_s: float | None, *, patience: int) -> None:
        self._seat = seat
        self._limit_s = None if seat.keeps_time else DEFAULT_TIMEOUT_S if timeout_s is None else timeout_s
        self._threaded = timeout_s is not None and not seat.keeps_time
        self._patience = patience
        self._silent = 0
        self._why: FaultKind = "timeout"
        self._overdue: asyncio.Future[_Outcome] | None = None
        self._aside: _Aside | None = None

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
        if self._runs_aside(call):
            self._aside = self._aside or _Aside()
            found = await self._done(self._aside.outcome(call))
        else:
            found = _outcome(call)
        if found.waits and self._seat.ours and self._seat.keeps_time:
            found = await _awaited_here(found.answer)
        elif found.waits:
            found = await self._done(asyncio.ensure_future(_awaited(found.answer)))
        if isinstance(found.error, GameUnfinished):
            raise found.error
        if found.error is not None:
            failure = self._seat.failure(found.error)
            if failure.kind in ("timeout", "transport"):
                self._silent, self._why = self._silent + 1, failure.kind
            elif not hook:
                self._silent = 0
            raise failure
        if self._threaded and self._limit_s is not None and monotonic() - start > self._limit_s:
            # It blocked the event loop, so nothing could stop it.
            raise self._timed_out()
        if not hook:
            self._silent = 0
        return found.answer

    def _runs_aside(self, call: Call) -> bool:
        return self._threaded and not inspect.iscoroutinefunction(getattr(call, "func", call))

    async def _done(self, waiting: "asyncio.Future[_Outcome]") -> _Outcome:
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
        return _Outcome(error=asyncio.CancelledError()) if waiting.cancelled() else waiting.result()

    def _timed_out(self) -> AgentFailed:
        self._silent, self._why = self._silent + 1, "timeout"
        return AgentFailed("timeout", f"no answer within {self._limit_s or 0:g} s")

    async def close(self, *, patience_s: float) -> None:
        """Call the agent's `close`, ignoring exceptions and timeouts.

        An awaitable call is cancelled after `patience_s` seconds; 0 lets it run until it first waits. A plain function
        in a thread gets a moment in any case.
        """
        if self._aside is not None:
            self._aside.end()
        if self._seat.close is not None:
            least_s = FAREWELL_S if self._runs_aside(self._seat.close) else 0.0
            await _briefly(self._last(self._seat.close), max(patience_s, least_s))

    async def _last(self, call: Call) -> _Outcome:
        if self._runs_aside(call):
            aside = _Aside()  # a new one, since the other may be stuck
            called = aside.outcome(call)
            aside.end()
            found = await called
        else:
            found = _outcome(call)
        return await _awaited(found.answer) if found.waits else found


def close_agents(seats: Seats, *, interrupted: bool) -> None:
    """Call the agents' `close` in plain code, each once; one that is async gets little time."""
    for seat in seats[: 1 if seats[0].agent is seats[1].agent else 2]:
        if seat.close is not None and (found := _outcome(seat.close)).waits:
            run_in_new_loop(_briefly(_awaited(found.answer), 0.0 if interrupted else _CLOSE_S))


async def close_agents_async(waiters: tuple[Waiter, Waiter], *, interrupted: bool) -> None:
    """Call the agents' `close` on the running event loop, both at the same time; one in both seats is called once."""
    patience_s = 0.0 if interrupted else _CLOSE_S
    await asyncio.gather(*[each.close(patience_s=patience_s) for each in dict.fromkeys(waiters)])


async def _briefly(last: Coroutine[Any, Any, _Outcome], patience_s: float) -> None:
    task = asyncio.ensure_future(last)
    try:
        await asyncio.wait([task], timeout=patience_s)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=FAREWELL_S)


class _Aside:
    """A thread that calls an agent, a daemon: one that never returns does not keep the program alive."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Call, Future[_Outcome]] | None] = SimpleQueue()
        Thread(target=self._serve, daemon=True, name="agent").start()

    def outcome(self, call: Call) -> "asyncio.Future[_Outcome]":
        future: Future[_Outcome] = Future()
        self._calls.put((call, future))
        return asyncio.wrap_future(future)

    def end(self) -> None:
        """End once the agent returns."""
        self._calls.put(None)

    def _serve(self) -> None:
        while (job := self._calls.get()) is not None:
            call, future = job
            if future.set_running_or_notify_cancel():
                future.set_result(_outcome(call, aside=True))


def _outcome(call: Call, *, aside: bool = False) -> _Outcome:
    """Call an agent; even to ask whether an answer has to be awaited may raise, which is the agent's mistake."""
    try:
        answer = call()
        return _Outcome(answer, inspect.isawaitable(answer))
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not aside:
            raise
        return _Outcome(error=error)


async def _awaited(answer: Any) -> _Outcome:
    try:
        return _Outcome(await answer)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return _Outcome(error=error)


async def _awaited_here(answer: Any) -> _Outcome:
    """Await an answer without a task of its own, which takes longer than many a decision."""
    found, task = await _awaited(answer), asyncio.current_task()
    if isinstance(found.error, asyncio.CancelledError) and task is not None and task.cancelling():
        raise found.error  # the game was cancelled, and not the answer
    return found
