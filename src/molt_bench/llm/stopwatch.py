"""The stopwatch of a request: a time limit to connect, and another one to answer once it was sent.

Only what a model's server takes counts. When this process is too busy to read an answer that has arrived, the limit is
extended by the time that the event loop was late.
"""

import asyncio
from types import TracebackType
from typing import Final, Self

#: Seconds to open a connection and to send a request over it.
HANDSHAKE_S: Final = 10.0
#: Seconds between two looks at how late the event loop is.
_BEAT_S: Final = 0.05


class LoopDelay:
    """Adds up how late the event loop was, while anybody watches."""

    def __init__(self) -> None:
        self.total_s = 0.0
        self._watching = 0
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def of_another_loop(self) -> bool:
        """Return whether it watches an event loop that is not the running one."""
        return self._loop is not None and self._loop is not asyncio.get_running_loop()

    def watch(self) -> None:
        """Start to watch, on the running event loop."""
        self._watching += 1
        if self._timer is None:
            self._loop = asyncio.get_running_loop()
            self._schedule(self._loop)

    def unwatch(self) -> None:
        """Stop to watch; the last one ends it."""
        self._watching -= 1
        if not self._watching and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _schedule(self, loop: asyncio.AbstractEventLoop) -> None:
        due = loop.time() + _BEAT_S
        self._timer = loop.call_at(due, self._beat, loop, due)

    def _beat(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        self.total_s += max(0.0, loop.time() - due)
        self._schedule(loop)


class Stopwatch:
    """Limits the time of one request; raises TimeoutError in its context when the time is up.

    Attributes:
        sent: Whether the request was sent, so that it may cost something; True where that cannot be seen.
        answering: Whether some of the answer has come.
    """

    def __init__(self, timeout_s: float, delay: LoopDelay) -> None:
        self.sent = True
        self.answering = False
        self._timeout_s = timeout_s
        self._delay = delay
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(None)
        await self._timeout.__aenter__()
        self._delay.watch()
        self._start(self._timeout_s)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._delay.unwatch()
        await self._timeout.__aexit__(kind, error, trace)

    def connecting(self) -> None:
        """Give the request the time of a handshake: it is not sent yet."""
        self.sent = self.answering = False
        self._start(HANDSHAKE_S)

    def was_sent(self) -> None:
        """Start the model's time: the request has been sent."""
        self.sent = True
        self._start(self._timeout_s)

    def _start(self, limit_s: float) -> None:
        self._due = self._loop.time() + limit_s - self._delay.total_s
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due + self._delay.total_s, self._check)

    def _check(self) -> None:
        """End the request if its time is up, less what the loop was late; an answer may be waiting, so look twice."""
        now, until = self._loop.time(), self._due + self._delay.total_s
        assert self._timer is not None
        if now - self._timer.when() > _BEAT_S:
            until = max(until, now + 2 * _BEAT_S)
        if until > now:
            self._timer = self._loop.call_at(until, self._check)
        else:
            self._timeout.reschedule(now)
