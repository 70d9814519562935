"""Flushing to disk: a reply is there before it is used. Where there is no room for one, no model is asked."""

from molt_bench.errors import RunHalted
from molt_bench.llm.recorder import Recorder
from molt_bench.llm.request import Request
from molt_bench.llm.shared_flush import SharedFlush
from molt_bench.llm.types import Exchange


class DiskFlush:
    """Records exchanges for the gateway.

    Args:
        recorder: Holds the exchanges; None keeps nothing, for single games.
    """

    def __init__(self, recorder: Recorder | None) -> None:
        self._recorder = recorder
        self._added = 0
        self._flush: SharedFlush | None = None
        if recorder is not None and recorder.on_disk:
            self._flush = SharedFlush(recorder.sync, lambda: self._added)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange; `settled` waits until it is on disk."""
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
        """Raise RunHalted if something could not be written: nobody is asked whose reply could not be kept."""
        if self._recorder is not None and self._recorder.problem is not None:
            raise RunHalted(self._recorder.problem)

    async def settled(self) -> None:
        """Wait until everything recorded so far is on disk. All that wait at the same time share one flush."""
        if self._flush is not None:
            await self.room()
            await self._flush.settled()
