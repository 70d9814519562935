"""The rate of requests: how many a second an invitation, or the address of a stranger, may send."""

from time import monotonic
from typing import Final

#: Messages a second that an invitation may send on average, and how many at once.
RATE_A_SECOND: Final = 50.0
BURST: Final = 200.0
#: Addresses of strangers whose messages are counted; then counting begins again.
_MOST_COUNTED: Final = 10_000


class Allowance:
    """A token bucket: how many messages may come now."""

    def __init__(self, rate: float = RATE_A_SECOND, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, monotonic()

    def spend(self) -> bool:
        """Count a message; return whether it may come in."""
        now = monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def refund(self) -> None:
        """Allow one message more, such as the answer to one of ours."""
        self._left = min(self._burst, self._left + 1)


class Strangers:
    """How many messages may come from addresses without an invitation."""

    def __init__(self) -> None:
        self._allowances: dict[str, Allowance] = {}

    def at(self, host: str) -> Allowance:
        """Return the allowance of an address."""
        if len(self._allowances) >= _MOST_COUNTED:
            self._allowances.clear()
        return self._allowances.setdefault(host, Allowance())
