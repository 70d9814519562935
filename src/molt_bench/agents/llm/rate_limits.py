"""Limits: how many requests a model gets at once. It finds out itself what the provider bears."""

import asyncio
from collections import deque
from typing import Final

#: Requests at once where nothing is said: to begin with, and at most.
START: Final = 64
MOST: Final = 500
#: Seconds between two requests at least, about what sending one takes: else replies that came together would be worked
#: through together, and the next requests all sent late.
_APART_S: Final = 0.006
#: Who is late by less than this catches up.
_LATE_S: Final = 0.1


class ModelLimit:
    """The requests to one model: at most so many at once, and so many a minute.

    As in TCP: the limit doubles until the provider first says that it is too much, is halved then, and from there on
    grows by one for every full round of successes.

    Args:
        most: Requests at once, from the start; None finds out how many, from 64 to 500.
        per_minute: Requests a minute, or None for no limit.
        timeout_s: Seconds after which a request is given up: answers near it mean that the server is crowded.
    """

    def __init__(self, most: int | None = None, *, per_minute: float | None = None, timeout_s: float) -> None:
        self.most = MOST if most is None else most
        self.limit = float(START if most is None else most)
        self.in_flight = 0
        self._interval_s = max(60 / per_minute if per_minute else 0.0, _APART_S)
        self._crowded_s = timeout_s / 2
        self._growing = True
        self._may_start_at = 0.0
        self._last_cut = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def acquire(self) -> float:
        """Wait for one's turn; return when it came, on the clock of the event loop."""
        loop = asyncio.get_running_loop()
        if self._waiting or not self._free(loop.time()):
            turn = loop.create_future()
            self._waiting.append(turn)
            self._serve()
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.release()
                raise
        else:
            self._take(loop.time())
        return loop.time()

    def release(self) -> None:
        """Give the place back."""
        self.in_flight -= 1
        self._serve()

    def succeeded(self, latency_s: float) -> None:
        """Learn from a reply: more may be asked at once, unless it took long."""
        if latency_s < self._crowded_s:
            self.limit = min(self.most, self.limit + (1 if self._growing else 1 / self.limit))
            self._serve()

    def slowed(self, started: float, pause_s: float) -> None:
        """Learn that it was too much: ask less at once, and nothing for a while.

        Args:
            started: When the request was sent: those sent before the last cut say nothing new.
            pause_s: Seconds until the next request.
        """
        now = asyncio.get_running_loop().time()
        if started > self._last_cut:
            self._last_cut = now
            self._growing = False
            self.limit = max(1.0, min(self.limit, self.in_flight + 1) / 2)
        self._may_start_at = max(self._may_start_at, now + pause_s)

    @property
    def at_floor(self) -> bool:
        """Whether only one request at a time is sent already."""
        return self.limit <= 1

    def _free(self, now: float) -> bool:
        return self.in_flight < int(self.limit) and now >= self._may_start_at

    def _take(self, now: float) -> None:
        self.in_flight += 1
        due = self._may_start_at if now - self._may_start_at < _LATE_S else now
        self._may_start_at = due + self._interval_s

    def _serve(self) -> None:
        """Let those in whose turn it is; come back when the pause is over."""
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        while self._waiting and self._free(now):
            turn = self._waiting.popleft()
            if not turn.done():
                self._take(now)
                turn.set_result(None)
        if self._waiting and now < self._may_start_at and self._timer is None:
            self._timer = loop.call_at(self._may_start_at, self._again)

    def _again(self) -> None:
        self._timer = None
        self._serve()
