"""A mailbox: where a game and a live agent meet. The game puts decisions in; a door of the server takes them out.

A game runs on its own event loop, the doors on the server's loop in another thread. So a mailbox has a lock, is never
waited for while it is held, and calls its listeners from the thread that changed something.

A mailbox is one slot of a live agent: one game after another is played there. It lasts as long as the run.
"""

import hmac
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from molt_bench.agents.alarm import Alarm
from molt_bench.agents.live.attendance import RECONNECT_S, Attendance, DecisionClock
from molt_bench.agents.live.mailbox_events import (
    Asked,
    Closed,
    GameOver,
    HandOver,
    Listener,
    MailEvent,
    PendingDecision,
    Sat,
    Snapshot,
    Verdict,
)
from molt_bench.agents.live.turn_tokens import digest
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix, is_allowed
from molt_bench.poker.observation import HandResult, Observation

#: Results of hands kept for an agent that fetches them; one that never does loses the oldest.
_RESULTS_KEPT: Final = 200
#: Decisions whose answers are remembered, so that a repeated one is known.
_REMEMBERED: Final = 64


class Mailbox(Attendance):
    """One slot of a live agent, for one game at a time.

    Attributes:
        secret: A key of at least 16 bytes. It makes tokens, which nobody else can guess.
        decisions: Decisions taken so far.

    Args:
        seq: Where `seq` begins; a resumed run goes on above what was used before.
        reconnect_s: Seconds in a game for which an agent that lost its connection may be late.
    """

    def __init__(
        self,
        secret: bytes,
        *,
        seq: int = 0,
        reconnect_s: float = RECONNECT_S,
    ) -> None:
        super().__init__(reconnect_s=reconnect_s)
        self.secret = secret
        self.decisions = 0
        self._seq = seq
        self._hands_before = 0
        self._game = 0
        self._game_id = ""
        self._sat: Sat | None = None
        self._closed: str | None = None
        self._turn: PendingDecision | None = None
        self._taken: dict[bytes, Action | Mix] = {}
        self._answer: Action | Mix | AgentFailed | None = None
        self._wake: Callable[[], None] | None = None
        self._listeners: list[Listener] = []
        self._results: deque[HandOver] = deque(maxlen=_RESULTS_KEPT)
        self._picked_up: str | None = None
        self._clock: DecisionClock | None = None

    # What doors use, on the server's thread.

    def snapshot(self) -> Snapshot:
        """Return how things stand."""
        with self._lock:
            return Snapshot(self._sat, self._turn, self._closed)

    def listen(self, listener: Listener) -> Snapshot:
        """Have a listener called from now on; return how things stood right before."""
        with self._lock:
            self._listeners.append(listener)
            return Snapshot(self._sat, self._turn, self._closed)

    def ignore(self, listener: Listener) -> None:
        """Stop calling a listener."""
        with self._lock:
            if listener in self._listeners:
                self._listeners.remove(listener)

    def arrive(self) -> None:
        """Count a connection, such as a socket or a waiting request; an agent that was away is back.

        If it was away when its decision arose, its time begins now.
        """
        with self._lock:
            self._enter()
            turn, clock = self._turn, self._clock
            if clock is not None and clock.awaited and turn is not None:
                clock.came()
                self._late_s = clock.late_s
                self._turn = msgspec.structs.replace(turn, deadline=clock.deadline)
        self._set_away(away=False)

    def pick_up(self, turn: PendingDecision) -> None:
        """Note that a decision was handed to an agent that does not stay connected while it thinks."""
        with self._lock:
            self._picked_up = turn.token

    @property
    def waits(self) -> bool:
        """Whether the game waits for an answer right now, and is not looking at one."""
        return self._wake is not None and self._answer is None

    def has_picked_up(self, turn: PendingDecision) -> bool:
        """Return whether a decision was handed out already."""
        return self._picked_up == turn.token

    def answer(self, token: str, action: Action | Mix | AgentFailed) -> Verdict:
        """Give an answer, or what is wrong with it as an `AgentFailed`. The first legal one of a decision is taken.

        One that is not legal counts as a mistake, and leaves the decision open as long as the game asks again.
        """
        with self._lock:
            if self._closed is not None:
                return "closed"
            known = digest(token)
            if known in self._taken:
                return "repeated" if self._taken[known] == action else "stale"
            turn = self._turn
            if turn is None or not hmac.compare_digest(digest(turn.token), known):
                return "stale"
            wake = self._wake
            if wake is None or self._answer is not None:
                return "busy"
            self._answer = action
            legal = not isinstance(action, AgentFailed) and is_allowed(action, turn.observation.legal)
            if legal and not isinstance(action, AgentFailed):
                if len(self._taken) >= _REMEMBERED:
                    del self._taken[next(iter(self._taken))]
                self._taken[known] = action
                self._turn = None
                self.decisions += 1
                if self._picked_up == turn.token:
                    self._results.clear()  # they were handed out with the decision
        wake()
        return "taken" if legal else "illegal"

    def results(self) -> list[HandOver]:
        """Return the results of hands that ended since the last decision that was picked up and answered.

        So none is lost with an answer of ours that never arrives.
        """
        with self._lock:
            return [*self._results]

    # What the game uses, on its own event loop.

    @contextmanager
    def _change(self) -> Iterator[list[MailEvent]]:
        """Change something while nobody else does, then tell the listeners what is put into the list."""
        events: list[MailEvent] = []
        with self._lock:
            yield events
            listeners = [*self._listeners]
        for event in events:
            for listener in listeners:
                listener(event)

    def sit(self, seat: int, game_id: str = "") -> None:
        """Begin a game."""
        with self._change() as events:
            self._game += 1
            self._game_id = game_id
            self._begin_game()
            self._sat = Sat(seat, self._game)
            events.append(self._sat)

    async def ask(self, observation: Observation, token: str, limit_s: float) -> Action | Mix:
        """Ask for a decision and return the answer, legal or not; raises AgentFailed if there is none in time.

        An agent that stays away forfeits the game: all its hands are folded at once. In the next game it is awaited for
        as long as it may be late, and after too many forfeited games not at all.
        """
        if self._given_up:
            raise self._forfeit()
        alarm = Alarm()
        with self._change() as events:
            again = observation.previous_error is not None
            self._seq += 0 if again else 1
            awaited = self.away_since is not None and not self._present
            self._clock = clock = DecisionClock(limit_s, self._late_s, awaited=awaited)
            place = self._seq, self._game, self._hands_before + observation.hand_number
            turn = PendingDecision(token, *place, observation, limit_s, clock.deadline, self._game_id)
            self._turn, self._answer, self._wake = turn, None, alarm.ring
            self._taken.pop(digest(token), None)  # asked once more: its game was started again
            events.append(Asked(turn, again))
        try:
            return await self._answered(turn, alarm, clock)
        finally:
            with self._lock:
                self._wake = None
                self._clock = None

    async def _answered(self, turn: PendingDecision, alarm: Alarm, clock: DecisionClock) -> Action | Mix:
        """Wait for the answer until the time is up by the clock."""
        while True:
            with self._lock:
                answer, self._answer = self._answer, None
                turn = self._turn or turn
                away = not self._present and self._picked_up != turn.token
                if answer is None and clock.prolong(away=away):
                    self._turn = turn = msgspec.structs.replace(turn, deadline=clock.deadline)
                left_s = clock.left_s
                if answer is not None or left_s <= 0:
                    self._wake = None
                    clock.stop(left_s)
                    self._late_s = clock.late_s
                    if answer is None:
                        self._turn = None
                        if not self._present:
                            self._picked_up = None  # whoever has fetched it may be gone as well
            if answer is None and clock.on_extra and away:
                self._set_away(away=True)
            if isinstance(answer, AgentFailed):
                raise answer
            if answer is not None:
                return answer
            if left_s <= 0:
                raise self._forfeit() if away else AgentFailed("timeout", f"no answer within {turn.limit_s:g} s")
            await alarm.rung(left_s)

    def hand_over(self, result: HandResult) -> None:
        """Tell the agent that a hand is over."""
        with self._change() as events:
            self._seq += 1
            over = HandOver(self._seq, self._hands_before + result.hand_number, result, self._game_id)
            self._turn = None
            self._results.append(over)
            events.append(over)

    def stand_up(self, hands: int) -> None:
        """End a game of so many hands."""
        with self._change() as events:
            if self._sat is not None:
                self._sat = self._turn = None
                self._hands_before += hands
                events.append(GameOver(self._game))

    def close(self, reason: str) -> None:
        """End the run for this agent."""
        with self._change() as events:
            if self._closed is None:
                self._closed = reason
                self._turn = None
                events.append(Closed(reason))
