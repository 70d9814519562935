"""Attendance: how long a live agent is waited for, the extra minute of one that is away, and what it forfeits."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final

from molt_bench.errors import AgentFailed

#: Seconds in a game for which an agent that lost its connection may be late; then it forfeits the game.
RECONNECT_S: Final = 60.0
#: Games that an agent may forfeit before nobody waits for it any more.
MOST_FORFEITS: Final = 3


class DecisionClock:
    """The time for one decision of a live agent. Whoever uses it holds the lock of the mailbox.

    An agent that was away when the decision arose is awaited for as long as it may be late; once it comes, its time
    begins. Whoever is not connected when the time is up gets what is left of that, once.

    Attributes:
        deadline: When the time is up, by `time.monotonic`.
        late_s: Seconds for which the agent may still be late in this game. What was used is gone, whether or not an
            answer came.
        awaited: Whether the agent was away when the decision arose, and has not come since.
        on_extra: Whether its own time was up while it was away.

    Args:
        limit_s: Seconds to decide.
    """

    def __init__(self, limit_s: float, late_s: float, *, awaited: bool) -> None:
        self._limit_s = limit_s
        self.deadline = monotonic() + (late_s if awaited else limit_s)
        self.late_s = late_s
        self.awaited = awaited
        self.on_extra = False

    def came(self) -> None:
        """Begin the time of an agent that was away when the decision arose."""
        now = monotonic()
        self.awaited = False
        self.late_s = max(0.0, self.deadline - now)
        self.deadline = now + self._limit_s

    def prolong(self, *, away: bool) -> bool:
        """Give an agent that is away what it may be late, once, if the time is up; return whether that was done."""
        if self.left_s > 0 or not away or self.on_extra or self.awaited:
            return False
        self.on_extra = True
        self.deadline += self.late_s
        return True

    def stop(self, left_s: float) -> None:
        """End the wait with so many seconds left; coming back does not take the rest of the extra time away."""
        if self.on_extra:
            self.late_s = max(0.0, left_s)

    @property
    def left_s(self) -> float:
        """Seconds that are left."""
        return self.deadline - monotonic()


class Attendance:
    """Who is there in one slot of a live agent, and for how long it is awaited.

    Attributes:
        away_since: Since when the agent has not been connected, by `time.monotonic`, if its time to answer is up; None
            while it is there, or may still answer.
        forfeits: Games that it has forfeited.
        on_away: Called when one of these two changes.
        came: Whether a client has ever come to this slot; some hold one slot, others fetch the decisions of all.

    Args:
        reconnect_s: Seconds in a game for which an agent that lost its connection may be late.
    """

    def __init__(self, *, reconnect_s: float = RECONNECT_S) -> None:
        self.away_since: float | None = None
        self.forfeits = 0
        self.on_away: Callable[[], None] | None = None
        self.came = False
        self._lock = Lock()
        self._reconnect_s = self._late_s = reconnect_s
        self._forfeited = False
        self._present = 0
        self._left_at = monotonic()

    @property
    def present(self) -> bool:
        """Whether the agent has a connection open right now."""
        return self._present > 0

    @property
    def filled(self) -> bool:
        """Whether somebody plays here: a client has come, and is not away."""
        return self.came and self.away_since is None

    def _enter(self) -> None:
        """Count a connection; the lock is held."""
        self._present += 1
        self.came = True

    def depart(self) -> None:
        """Count a connection that ended."""
        with self._lock:
            self._present -= 1
            self._left_at = monotonic()

    def _begin_game(self) -> None:
        """Begin a game, in which the agent may be late again; the lock is held."""
        self._late_s = self._reconnect_s
        self._forfeited = False

    def _set_away(self, *, away: bool) -> None:
        """Note that the agent is away, unless it has just come, or that it is back."""
        with self._lock:
            since = self._left_at if away and not self._present else None
            changed = (self.away_since is None) is not (since is None)
            self.away_since = since if changed else self.away_since
        if changed:
            self._tell_away()

    def _tell_away(self) -> None:
        if self.on_away is not None:
            self.on_away()

    @property
    def _given_up(self) -> bool:
        """Whether nobody waits for the agent any more: in this game, or in any while it is away."""
        return self._forfeited or (self.away_since is not None and self.forfeits >= MOST_FORFEITS)

    def _forfeit(self) -> AgentFailed:
        """Give up the game for the agent; return the failure that folds its hand."""
        if not self._forfeited:
            self._forfeited = True
            self.forfeits += 1
            self._tell_away()
        return AgentFailed("forfeit", "not connected for so long that this game is forfeited")
