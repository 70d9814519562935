"""An event loop whose clock jumps: whoever waits is woken at once, at the very time that it waits for.

So a test of time limits takes no time, and passes on a machine of any speed. Nothing else may run meanwhile that the
loop would have to wait for: no thread, and no process.
"""

import asyncio
import selectors


class _Jumping(selectors.DefaultSelector):
    """Waits for nothing, but for what is ready already, and adds up the time that it should have waited."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("everyone waits, and nobody for the clock")
        self.now += 0.0 if ready else max(0.0, timeout or 0.0)
        return ready


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop that begins at zero and jumps to whatever is due next."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now
