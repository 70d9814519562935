"""A mailbox: where a game and a live agent meet. The game puts decisions in; a door of the server takes them out.

A game runs on its own event loop, the doors on the server's loop in another thread. So a mailbox has a lock, is never
waited for while it is held, and tells its listeners from the thread that changed something.

A mailbox is one slot of a live agent: one game after another is played there. It lasts as long as the run.
"""

import asyncio
import hmac
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.errors import AgentFailed
from molt_bench.plugin import MOST_FORFEITS
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix, is_allowed
from molt_bench.poker.observation import HandResult, Observation

#: Seconds in a game for which an agent that lost its connection may be late; then it forfeits the game.
RECONNECT_S: Final = 60.0
#: Results of hands kept for an agent that fetches them; one that never does loses the oldest.
_RESULTS_KEPT: Final = 200

#: What came of an answer: it was taken; is the same as the one taken; is not legal; is for a decision that is not open;
#: came after the run.
Verdict: TypeAlias = Literal["taken", "repeated", "illegal", "stale", "closed"]


class Turn(msgspec.Struct):
    """A decision that the agent has to make.

    Attributes:
        token: Names the decision. It stays the same when the decision is asked again, also after a restart.
        asked: Number of this asking in the slot; another one when the decision is asked again.
        seq: Grows with everything that happens in the slot.
        game: Number of the game in the slot, from 1.
        hand: Number of the hand in the slot, from 1; unlike the observation's, it does not begin again with a game.
        observation: What the seat sees.
        since: When it was asked, by `time.monotonic`.
        deadline: When the time is up, by `time.monotonic`; it moves for an agent that is away.
        game_id: Names the game; unlike its number, the same after a restart.
    """

    token: str
    asked: int
    seq: int
    game: int
    hand: int
    observation: Observation
    since: float
    deadline: float
    game_id: str = ""


class HandOver(msgspec.Struct, frozen=True):
    """A hand is over, as the table saw it; `hand` is counted as in `Turn`, whose `game_id` it has."""

    seq: int
    hand: int
    result: HandResult
    game_id: str = ""


class Mailbox:
    """One slot of a live agent, for one game at a time.

    Attributes:
        secret: A key of at least 16 bytes. It makes tokens, which cannot be guessed.
        turn: The open decision; None if there is none.
        seat: Where the agent sits; None before its first game and between two.
        closed: Why the run is over for the agent; None while it is not.
        looking: Whether the game looks at an answer that was not legal, and may ask again.
        came: Whether a client has ever come to this slot; some hold one slot, others fetch the decisions of all.
        away_since: Since when the agent has not been connected, by `time.monotonic`, if its time to answer is up; None
            while it is there, or may still answer.
        forfeits: Games that it has forfeited.
        on_away: Called when one of these two changes.

    Args:
        seq: Where `seq` begins; a resumed run goes on above what was used before.
        reconnect_s: Seconds in a game for which an agent that lost its connection may be late.
    """

    def __init__(self, secret: bytes, *, seq: int = 0, reconnect_s: float = RECONNECT_S) -> None:
        self.secret = secret
        self.turn: Turn | None = None
        self.seat: int | None = None
        self.closed: str | None = None
        self.looking = False
        self.came = False
        self.away_since: float | None = None
        self.forfeits = 0
        self.on_away: Callable[[], None] = lambda: None
        self._lock = Lock()
        self._listeners: list[Callable[[], None]] = []
        self._seq = seq
        self._asked = 0
        self._game = self._hands_before = 0
        self._game_id = ""
        self._present = 0
        self._left_at = monotonic()
        self._reconnect_s = self._late_s = reconnect_s
        self._awaited = self._forfeited = False
        self._limit_s = 0.0
        self._taken: tuple[bytes, Action | Mix] | None = None
        self._answer: Action | Mix | AgentFailed | None = None
        self._wake: Callable[[], None] | None = None
        self._results: deque[HandOver] = deque(maxlen=_RESULTS_KEPT)
        self._handed: tuple[str, bool] | None = None

    # What doors use, on the server's thread.

    def listen(self, listener: Callable[[], None]) -> None:
        """Have a listener called whenever something happens, from any thread; it must return at once."""
        with self._lock:
            self._listeners.append(listener)

    def ignore(self, listener: Callable[[], None]) -> None:
        """Stop calling a listener."""
        with self._lock:
            self._listeners.remove(listener)

    def arrive(self) -> None:
        """Count a connection, such as a socket or a waiting request; an agent that was away is back.

        If it was away when its decision arose, its time begins now.
        """
        with self._lock:
            self._present += 1
            self.came = True
            if self._awaited and self.turn is not None:
                now = monotonic()
                self._awaited = False
                self._late_s = max(0.0, self.turn.deadline - now)
                self.turn.deadline = now + self._limit_s
                if self._wake is not None:
                    self._wake()  # it waits for another moment
        self._set_away(away=False)

    def depart(self) -> None:
        """Count a connection that ended."""
        with self._lock:
            self._present -= 1
            self._left_at = monotonic()

    @property
    def present(self) -> bool:
        """Whether the agent has a connection open."""
        return self._present > 0

    @property
    def filled(self) -> bool:
        """Whether a client plays here: one has come, and is not away."""
        return self.came and self.away_since is None

    def hand_out(self, turn: Turn, *, stays: bool) -> list[HandOver]:
        """Hand out a decision, and return the hands that ended since the last one that was handed out and answered.

        So none is lost with a message of ours that never arrives. A client that `stays` is connected while it thinks.
        """
        with self._lock:
            self._handed = turn.token, stays
            return [*self._results]

    def results(self) -> list[HandOver]:
        """Return the hands that ended since the last decision that was handed out and answered."""
        with self._lock:
            return [*self._results]

    def was_fetched(self, turn: Turn) -> bool:
        """Return whether a decision was handed to a client that comes back with the answer."""
        return self._handed == (turn.token, False)

    def answer(self, token: str, action: Action | Mix | AgentFailed) -> Verdict:
        """Give an answer, or what is wrong with it as an `AgentFailed`. The first legal one of a decision is taken.

        One that is not legal counts as a mistake; the decision is open again once the game asks for it once more.
        """
        verdict: Verdict
        with self._lock:
            if self.closed is not None:
                return "closed"
            known = digest(token)
            if self._taken == (known, action):
                return "repeated"
            turn, wake = self.turn, self._wake
            if turn is None or wake is None or not hmac.compare_digest(digest(turn.token), known):
                return "stale"
            self._answer, self.turn = action, None
            if isinstance(action, AgentFailed) or not is_allowed(action, turn.observation.legal):
                self.looking, verdict = True, "illegal"
            else:
                self._taken, verdict = (known, action), "taken"
                if self._handed is not None and self._handed[0] == turn.token:
                    self._results.clear()
        wake()
        return verdict

    # What the game uses, on its own event loop.

    @contextmanager
    def _change(self) -> Iterator[None]:
        """Change something alone, then tell the listeners."""
        with self._lock:
            self.looking = False
            yield
            listeners = [*self._listeners]
        for listener in listeners:
            listener()

    def sit(self, seat: int, game_id: str = "") -> None:
        """Begin a game, in which the agent may be late again."""
        with self._change():
            self._game += 1
            self._game_id = game_id
            self._late_s = self._reconnect_s
            self._forfeited = False
            self.seat = seat

    async def ask(self, observation: Observation, token: str, limit_s: float) -> Action | Mix:
        """Ask for a decision and return the answer, legal or not; raises AgentFailed if there is none in time.

        An agent that stays away forfeits the game: all its hands are folded at once. In the next game it is awaited for
        as long as it may be late, and after too many forfeited games not at all.
        """
        if self._forfeited or (self.away_since is not None and self.forfeits >= MOST_FORFEITS):
            raise self._forfeit()
        loop, answered = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # its loop is closed
                loop.call_soon_threadsafe(answered.set)

        with self._change():
            self._asked += 1
            self._seq += observation.previous_error is None
            self._limit_s = limit_s
            self._awaited = self.away_since is not None and not self._present
            now = monotonic()
            deadline = now + (self._late_s if self._awaited else limit_s)
            place = self._asked, self._seq, self._game, self._hands_before + observation.hand_number
            self.turn = turn = Turn(token, *place, observation, now, deadline, self._game_id)
            self._answer, self._wake = None, wake
            if self._taken is not None and self._taken[0] == digest(token):
                self._taken = None  # asked once more: its game was started again
        try:
            return await self._answered(turn, answered)
        finally:
            with self._lock:
                self.turn = self._wake = None

    async def _answered(self, turn: Turn, answered: asyncio.Event) -> Action | Mix:
        """Wait until there is an answer or the time is up.

        Whoever is away by then gets once what it may still be late in this game.
        """
        late = False
        while True:
            answered.clear()
            with self._lock:
                left_s = turn.deadline - monotonic()
                found = self._answer
                away = not self._present and not self.was_fetched(turn)
                prolonged = found is None and left_s <= 0 and away and not late and not self._awaited
                if prolonged:
                    late = True
                    turn.deadline += self._late_s
                    left_s += self._late_s
                if found is not None or left_s <= 0:
                    self.turn = None
                    if late:
                        self._late_s = max(0.0, left_s)
                    if found is None and not self._present:
                        self._handed = None  # the client that fetched it may be gone as well
            if found is None and late and away:
                self._set_away(away=True)
            if isinstance(found, AgentFailed):
                raise found
            if found is not None:
                return found
            if left_s <= 0:
                raise self._forfeit() if away else AgentFailed("timeout", f"no answer within {self._limit_s:g} s")
            with suppress(TimeoutError):
                async with asyncio.timeout(left_s):
                    await answered.wait()

    def hand_over(self, result: HandResult) -> None:
        """Tell the agent that a hand is over."""
        with self._change():
            self._seq += 1
            hand = self._hands_before + result.hand_number
            self._results.append(HandOver(self._seq, hand, result, self._game_id))

    def stand_up(self, hands: int) -> None:
        """End a game of so many hands."""
        with self._change():
            if self.seat is not None:
                self.seat = None
                self._hands_before += hands

    def close(self, reason: str) -> None:
        """End the run for this agent."""
        with self._change():
            self.closed = self.closed or reason
            self.turn = None

    def _set_away(self, *, away: bool) -> None:
        """Note that the agent is away, unless it has just come, or that it is back."""
        with self._lock:
            since = self._left_at if away and not self._present else None
            changed = (self.away_since is None) is not (since is None)
            self.away_since = since if changed else self.away_since
        if changed:
            self.on_away()

    def _forfeit(self) -> AgentFailed:
        """Give up the game for the agent; return the failure that folds its hand."""
        if not self._forfeited:
            self._forfeited = True
            self.forfeits += 1
            self.on_away()
        return AgentFailed("forfeit", "not connected for so long that this game is forfeited")


def digest(token: str) -> bytes:
    """Return the hash of a token: looking that up tells nothing about the token by the time it takes."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
