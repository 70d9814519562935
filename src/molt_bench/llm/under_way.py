"""Questions under way: a reply that is paid for is recorded even if nobody waits for it any more."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from molt_bench.llm.types import Exchange


class UnderWay:
    """Questions, each in a task of its own."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Exchange]] = set()

    async def finish(self, asking: Coroutine[Any, Any, Exchange]) -> Exchange:
        """Return what comes of a question, which is finished in any case."""
        task = asyncio.ensure_future(asking)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Exchange]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # retrieved, in case nobody waits for it any more

    async def settled(self, *, within_s: float) -> None:
        """Wait for all of them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=within_s)

    async def end(self, *, within_s: float, awaited: Callable[[], object]) -> None:
        """Wait while a reply is awaited, then end them all."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within_s
        while awaited() and loop.time() < until:
            await asyncio.wait(self._tasks, timeout=0.1, return_when=asyncio.FIRST_COMPLETED)
        for task in self._tasks:
            task.cancel()
