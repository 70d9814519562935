"""Flushing to disk: a reply is there before it is used. While there is no room for one, no model is asked."""

import asyncio
from collections.abc import Callable
from typing import Final

from molt_bench.errors import RunHalted
from molt_bench.llm.recorder import Recorder
from molt_bench.llm.request import Request
from molt_bench.llm.shared_flush import SharedFlush
from molt_bench.llm.types import Exchange

#: Seconds between two attempts to write what there was no room for.
_TRY_AGAIN_S: Final = 0.5


class DiskFlush:
    """Records exchanges for the gateway.

    Args:
        recorder: Holds the exchanges; None keeps nothing, for single games.
        patience_s: Seconds to wait for room on a full disk.
        warn: Called with what the user should know.
    """

    def __init__(self, recorder: Recorder | None, *, patience_s: float, warn: Callable[[str], None]) -> None:
        self._recorder = recorder
        self._patience_s = patience_s
        self._warn = warn
        self._waiting: asyncio.Task[None] | None = None
        self._added = 0
        self._flush: SharedFlush | None = None
        if recorder is not None and recorder.on_disk:
            self._flush = SharedFlush(recorder.sync, lambda: self._added)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange, in memory if there is no room; `settled` waits until it is on disk."""
        if self._recorder is not None:
            self._recorder.add(exchange)
            self._added += 1

    def reserve(self, request: Request) -> None:
        """Put on file what a request may cost, before it is sent."""
        if self._recorder is not None:
            longest = request.hold.longest
            self._recorder.ledger.open(request.entry, longest.usd, longest.tokens)

    def free(self, request: Request) -> None:
        """Put on file that a request, as it was last sent, cost nothing."""
        if self._recorder is not None:
            self._recorder.ledger.free(request.entry)

    async def room(self) -> None:
        """Wait until everything recorded is written; raises RunHalted if there is no room for too long."""
        while self._recorder is not None and self._recorder.held:
            if self._waiting is None or self._waiting.done():
                self._waiting = asyncio.ensure_future(self._wait_for_room(self._recorder))
            await asyncio.shield(self._waiting)

    async def settled(self) -> None:
        """Wait until everything recorded so far is on disk. All that wait at the same time share one flush."""
        if self._flush is not None:
            await self.room()
            await self._flush.settled()

    async def _wait_for_room(self, recorder: Recorder) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + self._patience_s
        while recorder.held:
            if loop.time() >= until:
                raise RunHalted(f"{recorder.problem}; replies that are paid for and not saved: {recorder.unsaved:,}")
            await asyncio.sleep(_TRY_AGAIN_S)
            recorder.write_held()
        self._warn("there is room again: every reply is saved, and models are asked again")
