"""Rate limits: how many requests a model gets at once, adapted to what the provider can take."""

import asyncio
import sys
from collections import deque
from typing import Final

from molt_bench.llm.settings import LLMSettings

#: Requests at once where the config sets no limit: at first, and at most.
START: Final = 64
MOST: Final = 500
#: Least seconds between two requests, about the time it takes to send one. Otherwise replies that arrive together would
#: be processed together, and the next requests all sent late.
_APART_S: Final = 0.0015
#: A request that is late by less than this catches up.
_LATE_S: Final = 0.1
#: File descriptors that are left for everything but connections: files, pipes, other agents.
_OTHER_FILES: Final = 96


def most_connections() -> int:
    """Return how many connections may be open at once: what the system allows, less what everything else needs."""
    try:
        import resource  # noqa: PLC0415 - not on every platform
    except ImportError:  # as on Windows, which has no such limit
        return sys.maxsize
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if allowed == resource.RLIM_INFINITY else max(allowed - _OTHER_FILES, allowed // 4, 1)


class ModelLimit:
    """Limits the requests to one model at one server: how many at once, and how many per minute.

    The number begins at what the users of the model allow, or at 64. As in TCP, it doubles with every full round of
    replies until the provider first reports that it is too much; then it is halved, and grows by one for every round. A
    model that cannot be reached is paused: one request at a time is sent until one succeeds.

    Attributes:
        paused: Whether it is paused.
        troubled_since: When the first request failed after the last that succeeded, by the event loop's clock.
        answered_from: When the last request that was answered had been sent.

    Args:
        users: How each participant asks it: the tightest of their limits counts.
        cautious: Whether to begin with one request at a time, until it is known what replies cost.
    """

    def __init__(self, *users: LLMSettings, cautious: bool = False) -> None:
        own = [each.max_concurrent for each in users if each.max_concurrent is not None]
        paces = [each.requests_per_minute for each in users if each.requests_per_minute is not None]
        self.most = min(own, default=MOST)
        self.limit = 1.0 if cautious else float(min(own, default=START))
        self.in_flight = 0
        self._interval_s = max(60 / min(paces) if paces else 0.0, _APART_S)
        self._may_start_at = 0.0
        self._last_cut = float("-inf")
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self.paused = False
        self.troubled_since: float | None = None
        self.answered_from = float("-inf")

    async def acquire(self) -> None:
        """Wait for a turn, first come, first served."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._serve()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.release()
            raise

    def release(self, *, unused: bool = False) -> None:
        """End a turn; one in which nothing was sent takes no time."""
        self.in_flight -= 1
        if unused:
            self._may_start_at -= self._interval_s
        self._serve()

    def failed(self, pause_s: float, *, pause: bool) -> bool:
        """Take note of a failure that is not the model's; with `pause`, send one request at a time until one succeeds.

        Returns whether the model is paused by this.
        """
        now = asyncio.get_running_loop().time()
        if self.troubled_since is None:
            self.troubled_since = now
        begins = pause and not self.paused
        if pause:
            self.paused = True
            self._may_start_at = max(self._may_start_at, now + pause_s)
        return begins

    def succeeded(self, started: float) -> None:
        """Raise the limit after a reply to a request sent at `started`; a pause ends."""
        self.paused, self.troubled_since = False, None
        self.answered_from = max(self.answered_from, started)
        never_cut = self._last_cut == float("-inf")
        self.limit = min(self.most, self.limit + (1 if never_cut else 1 / self.limit))
        self._serve()

    def slowed(self, started: float, pause_s: float) -> None:
        """Halve the limit after a request that was too much, unless sent before the last cut, and pause."""
        now = asyncio.get_running_loop().time()
        if started > self._last_cut:
            self._last_cut = now
            self.limit = max(1.0, min(self.limit, self.in_flight + 1) / 2)
        self._may_start_at = max(self._may_start_at, now + pause_s)

    @property
    def at_floor(self) -> bool:
        """Whether only one request at a time is sent already."""
        return self.limit <= 1

    def _serve(self) -> None:
        """Give turns to those waiting, and come back when the pause is over."""
        if not self._waiting:
            return
        loop = asyncio.get_running_loop()
        now, most = loop.time(), 1 if self.paused else int(self.limit)
        while self._waiting and self.in_flight < most and now >= self._may_start_at:
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                due = self._may_start_at if now - self._may_start_at < _LATE_S else now
                self._may_start_at = due + self._interval_s
                turn.set_result(None)
        if self._waiting and now < self._may_start_at and self._timer is None:
            self._timer = loop.call_at(self._may_start_at, self._again)

    def _again(self) -> None:
        self._timer = None
        self._serve()
