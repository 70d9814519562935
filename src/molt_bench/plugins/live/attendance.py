"""Attendance: whether an agent is there, how long its games wait if it is not, and what it forfeits."""

from collections.abc import Callable
from threading import Lock
from typing import Final

from molt_bench.errors import AgentFailed
from molt_bench.specs import MOST_FORFEITS

#: Seconds in a game for which an agent that lost its connection is awaited; then it forfeits the game.
RECONNECT_S: Final = 60.0


class Attendance:
    """Of an agent in one slot, where one game after another is played.

    Attributes:
        came: Whether a client has ever come to this slot; some hold one slot, others fetch the decisions of all.
        away: Whether the agent was not connected when its time was up, and has not come back.
        forfeits: Games that it has forfeited.
        tell: Called when it is away, is back or forfeits a game, with what to say of it.

    Args:
        reconnect_s: Seconds in a game for which an agent that lost its connection is awaited.
    """

    def __init__(self, reconnect_s: float) -> None:
        self.came = False
        self.away = False
        self.forfeits = 0
        self.tell: Callable[[str], None] = lambda said: None
        self._lock = Lock()
        self._listeners: list[Callable[[], None]] = []
        self._wake: Callable[[], None] = lambda: None
        self._reconnect_s = self._awaited_s = reconnect_s
        self._forfeited = False

    def arrive(self, listener: Callable[[], None]) -> None:
        """Connect, as a socket or a waiting request: an agent that was away is back.

        The listener is called whenever something happens, from any thread; it must return at once.
        """
        with self._lock:
            self._listeners.append(listener)
            self.came = True
            back, self.away = self.away, False
        if back:
            self.tell("is back")
        self._wake()

    def depart(self, listener: Callable[[], None]) -> None:
        """End a connection."""
        with self._lock:
            self._listeners.remove(listener)

    @property
    def present(self) -> bool:
        """Whether the agent has a connection open."""
        return bool(self._listeners)

    @property
    def filled(self) -> bool:
        """Whether a client plays here: one has come, and is not away."""
        return self.came and not self.away

    @property
    def _given_up(self) -> bool:
        """Whether no one waits: it has forfeited this game, or so many that the next ones do not wait either."""
        return self._forfeited or (self.away and self.forfeits >= MOST_FORFEITS)

    def _await_again(self) -> None:
        """Begin a game, in which the agent is awaited again."""
        self._awaited_s = self._reconnect_s
        self._forfeited = False

    def _miss(self) -> None:
        """Note that the agent is away while its time is up, unless it has just come."""
        with self._lock:
            self.away = not self._listeners
        if self.away:
            self.tell("is away, and its time to answer is up")

    def _forfeit(self) -> AgentFailed:
        """Give up the game for the agent; return the failure that folds its hand."""
        if not self._forfeited:
            self._forfeited = True
            self.forfeits += 1
            self.tell(f"stays away, and forfeits its game ({self.forfeits} of {MOST_FORFEITS})")
        return AgentFailed("forfeit", "not connected for so long that this game is forfeited")
