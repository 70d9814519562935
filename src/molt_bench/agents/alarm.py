"""An alarm: wakes whoever waits on an event loop, also from another thread, or when the time is up."""

import asyncio
from contextlib import suppress


class Alarm:
    """Wakes whoever waits on the event loop that it was made on; cheaper than an event and a time limit of asyncio."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._rings = False
        self._sleep: asyncio.Future[None] | None = None

    def ring(self) -> None:
        """Wake whoever waits, or will wait; from any thread."""
        with suppress(RuntimeError):  # its loop is closed
            self._loop.call_soon_threadsafe(self.wake)

    def wake(self) -> None:
        """Wake whoever waits, or will wait; only from the thread of its loop."""
        self._rings = True
        if self._sleep is not None and not self._sleep.done():
            self._sleep.set_result(None)

    async def rung(self, most_s: float) -> None:
        """Wait until somebody rings, or the time is up."""
        if not self._rings:
            self._sleep = self._loop.create_future()
            timer = self._loop.call_later(most_s, self.wake)
            try:
                await self._sleep
            finally:
                timer.cancel()
        self._rings = False
