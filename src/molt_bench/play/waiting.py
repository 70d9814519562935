"""Waiting for an agent's answer, but not for ever."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeAlias

from molt_bench.play.game import AGENT_RAISES, AgentFailed
from molt_bench.specs import DEFAULT_TIMEOUT_S

Call: TypeAlias = Callable[[], Any]
#: What a call returned, and what it raised.
Outcome: TypeAlias = tuple[Any, BaseException | None]


class Waiter:
    """Gets one agent's answers within its time limit.

    An awaitable answer is cancelled when its time is up. A plain function cannot be cancelled: where a limit is set
    it runs in a thread, which is left behind should it not come back; where none is set it is called directly.
    """

    def __init__(self, timeout_s: float | None) -> None:
        self._timeout_s = timeout_s
        self._calls: SimpleQueue[tuple[Call, Future[Outcome]] | None] | None = None
        self._overdue: Future[Outcome] | None = None
        self._gone = False

    async def result(self, call: Call) -> Any:
        """Return what `call()` returns, awaited if need be.

        Raises:
            AgentFailed: It raised, or took too long.
        """
        try:
            if self._timeout_s is None or inspect.iscoroutinefunction(getattr(call, "func", call)):
                answer = call()
            else:
                answer = await self._in_thread(call, self._timeout_s)
            if inspect.isawaitable(answer):
                answer = await self._awaited(answer)
        except AgentFailed:
            raise
        except AGENT_RAISES as error:
            raise AgentFailed.by_raising(error) from error
        return answer

    async def _awaited(self, answer: Awaitable[Any]) -> Any:
        limit = DEFAULT_TIMEOUT_S if self._timeout_s is None else self._timeout_s
        clock = asyncio.timeout(limit)
        try:
            async with clock:
                result = await answer
        except TimeoutError:
            if not clock.expired():
                raise  # the agent's own
        if clock.expired():
            raise AgentFailed("timeout", f"no answer within {limit:g} s")
        return result

    async def _in_thread(self, call: Call, limit: float) -> Any:
        if self._gone:
            raise AgentFailed("timeout", "still not back from an earlier call")
        if self._overdue is not None:
            # Never two calls at once on one agent. If it is not back by now, it is given up for this game.
            self._gone = not await _done(self._overdue, limit)
            if self._gone:
                raise AgentFailed("timeout", f"still not back from an earlier call after another {limit:g} s")
            self._overdue = None
        future = self._submit(call)
        if not await _done(future, limit):
            self._overdue = future
            raise AgentFailed("timeout", f"no answer within {limit:g} s")
        answer, error = future.result()
        if error is not None:
            raise error
        return answer

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


async def _done(future: "Future[Outcome]", limit: float) -> bool:
    done, _ = await asyncio.wait([asyncio.wrap_future(future)], timeout=limit)
    return bool(done)


def _serve(calls: "SimpleQueue[tuple[Call, Future[Outcome]] | None]") -> None:
    while (job := calls.get()) is not None:
        call, future = job
        try:
            outcome: Outcome = (call(), None)
        except BaseException as error:
            # Carried as a value: a future cannot hold a StopIteration.
            outcome = (None, error)
        future.set_result(outcome)
