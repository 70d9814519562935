"""One flush to disk for all who wait for one at the same time."""

import asyncio
from collections.abc import Callable


class SharedFlush:
    """Tells those who wait when what was written so far is on disk.

    Args:
        sync: Flushes to disk; called in a thread.
        written: Returns how much was written so far, a number that only grows.
    """

    def __init__(self, sync: Callable[[], object], written: Callable[[], int]) -> None:
        self._sync = sync
        self._written = written
        self._flushed = 0
        self._waiting: list[asyncio.Future[None]] = []
        self._flushing: asyncio.Future[None] | None = None

    async def settled(self) -> None:
        """Wait until everything written so far is on disk."""
        if self._flushed < self._written():
            flushed = asyncio.get_running_loop().create_future()
            self._waiting.append(flushed)
            if self._flushing is None:
                self._flushing = asyncio.ensure_future(self._flush())
            await flushed

    async def _flush(self) -> None:
        """Flush as long as there are waiters: all who came before a flush began are told when it is done."""
        told: list[asyncio.Future[None]] = []
        try:
            while self._waiting:
                told, self._waiting = self._waiting, []
                written = self._written()
                await asyncio.to_thread(self._sync)
                self._flushed = written
                for flushed in told:
                    if not flushed.done():
                        flushed.set_result(None)
        except BaseException as error:
            for flushed in (*told, *self._waiting):
                if not flushed.done():
                    flushed.set_exception(error)
            self._waiting = []
        finally:
            self._flushing = None
