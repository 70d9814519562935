"""Attendance: whether a live agent is there, since when it is away, and which games that has cost it."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Final

from molt_bench.errors import AgentFailed

#: Seconds in a game for which an agent that lost its connection may be late; then it forfeits the game.
RECONNECT_S: Final = 60.0
#: Games that an agent may forfeit before nobody waits for it any more.
MOST_FORFEITS: Final = 3


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
        most_forfeits: Games that it may forfeit before nobody waits for it any more.
    """

    def __init__(self, *, reconnect_s: float = RECONNECT_S, most_forfeits: int = MOST_FORFEITS) -> None:
        self.away_since: float | None = None
        self.forfeits = 0
        self.on_away: Callable[[], None] | None = None
        self.came = False
        self._lock = Lock()
        self._reconnect_s = self._bank_s = reconnect_s
        self._most_forfeits = most_forfeits
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

    @property
    def connections(self) -> int:
        """How many connections are open right now."""
        return self._present

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
        self._bank_s = self._reconnect_s
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
        return self._forfeited or (self.away_since is not None and self.forfeits >= self._most_forfeits)

    def _forfeit(self) -> AgentFailed:
        """Give up the game for the agent; return the failure that folds its hand."""
        if not self._forfeited:
            self._forfeited = True
            self.forfeits += 1
            self._tell_away()
        return AgentFailed("forfeit", "not connected for so long that this game is forfeited")
