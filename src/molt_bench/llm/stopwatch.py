"""The stopwatch of a request: a time limit to connect, and another one to answer once it was sent.

Only what a model's server takes counts. While this process is so busy that the limit itself is looked at too late, an
answer may have arrived that is not read yet: so it is looked at again.
"""

import asyncio
from types import TracebackType
from typing import Final, Self

#: Seconds to open a connection and to send a request over it.
HANDSHAKE_S: Final = 10.0
#: How late the event loop may be, in seconds.
_LATE_S: Final = 0.05


class Stopwatch:
    """Limits the time of one request; raises TimeoutError in its context when the time is up.

    Attributes:
        sent: Whether the request was sent, so that it may cost something; True where that cannot be seen.
        answering: Whether some of the answer has come.
        body: The body of the answer, once all of it has.
    """

    def __init__(self, timeout_s: float) -> None:
        self.sent = True
        self.answering = False
        self.body = b""
        self._timeout_s = timeout_s
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(None)
        await self._timeout.__aenter__()
        self._start(self._timeout_s)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
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
        if self._timer is not None:
            self._timer.cancel()
        due = self._loop.time() + limit_s
        self._timer = self._loop.call_at(due, self._check, due)

    def _check(self, due: float) -> None:
        now = self._loop.time()
        if now - due > _LATE_S:
            self._timer = self._loop.call_at(now + _LATE_S, self._check, now + _LATE_S)
        else:
            self._timeout.reschedule(now)
