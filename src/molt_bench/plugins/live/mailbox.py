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
from time import monotonic, time_ns
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from molt_bench.errors import AgentFailed
from molt_bench.plugins.live.attendance import RECONNECT_S, Attendance
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix, is_allowed
from molt_bench.poker.observation import HandResult, Observation

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
        hand: Number of the hand in the slot, from 1; unlike the observation's, it does not begin again with a game.
        observation: What the seat sees.
        since: When it was asked, by `time.monotonic`.
        deadline: When the time is up, by `time.monotonic`; it moves for an agent that is away.
        game_id: Names the game; the same after a restart.
    """

    token: str
    asked: int
    seq: int
    hand: int
    observation: Observation
    since: float
    deadline: float
    game_id: str = ""


class HandOver(NamedTuple):
    """A hand is over, as the table saw it; `hand` is counted as in `Turn`, whose `game_id` it has."""

    seq: int
    hand: int
    result: HandResult
    game_id: str = ""


class News(NamedTuple):
    """What there is to tell an agent at one moment: `results` are of the hands since its last answer that was taken."""

    turn: Turn | None
    results: tuple[HandOver, ...]
    seat: int | None
    closed: str | None


class Mailbox(Attendance):
    """One slot of a live agent, for one game at a time.

    Attributes:
        secret: A key of at least 16 bytes. It makes tokens, which cannot be guessed.
        turn: The open decision; None if there is none.
        seat: Where the agent sits; None before its first game and between two.
        closed: Why the run is over for the agent; None while it is not.
        looking: Whether the game looks at an answer that was not legal, and may ask again.

    Args:
        reconnect_s: Seconds in a game for which an agent that lost its connection is awaited.
    """

    def __init__(self, secret: bytes, *, reconnect_s: float = RECONNECT_S) -> None:
        super().__init__(reconnect_s)
        self.secret = secret
        self.turn: Turn | None = None
        self.seat: int | None = None
        self.closed: str | None = None
        self.looking = False
        self._seq = time_ns() // 1_000_000  # grows over restarts of the server, too
        self._asked = self._hands_before = 0
        self._game_id = self._fetched = ""
        self._taken: tuple[bytes, Action | Mix] | None = None
        self._answer: Action | Mix | AgentFailed | None = None
        self._results: deque[HandOver] = deque(maxlen=_RESULTS_KEPT)

    # What doors use, on the server's thread.

    def news(self) -> News:
        """Return what there is to tell, as it is at one moment: no hand that ended before a turn is missed."""
        with self._lock:
            return News(self.turn, tuple(self._results), self.seat, self.closed)

    def fetch(self, turn: Turn) -> tuple[HandOver, ...]:
        """Take note that a client which comes back with the answer has a turn; return the results that go with it."""
        with self._lock:
            self._fetched = turn.token
            return tuple(self._results)

    def was_fetched(self, turn: Turn) -> bool:
        """Return whether a client has a turn that comes back with the answer, and thinks."""
        return self._fetched == turn.token

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
            turn = self.turn
            if turn is None or not hmac.compare_digest(digest(turn.token), known):
                return "stale"
            self._answer, self.turn = action, None
            if isinstance(action, AgentFailed) or not is_allowed(action, turn.observation.legal):
                self.looking, verdict = True, "illegal"
            else:
                self._taken, verdict = (known, action), "taken"
                self._results.clear()  # who knows the token has seen them
        self._wake()
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
        """Begin a game, in which the agent is awaited again."""
        with self._change():
            self._game_id = game_id
            self._await_again()
            self.seat = seat

    async def ask(self, observation: Observation, token: str, limit_s: float) -> Action | Mix:
        """Ask for a decision and return the answer, legal or not; raises AgentFailed if there is none in time.

        An agent that is gone when its time is up is awaited, for so many seconds in all of a game. If it comes back, it
        has its whole time again; if not, it forfeits the game: all its hands are folded at once. Its next game awaits
        it from the beginning. After too many forfeited games none does.
        """
        if self._given_up:
            raise self._forfeit()
        loop, changed = asyncio.get_running_loop(), asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # its loop is closed
                loop.call_soon_threadsafe(changed.set)

        with self._change():
            self._asked += 1
            self._seq += observation.previous_error is None
            place = self._asked, self._seq, self._hands_before + observation.hand_number
            now = monotonic()
            left_s = self._awaited_s if self.away else limit_s
            self.turn = turn = Turn(token, *place, observation, now, now + left_s, self._game_id)
            self._answer, self._wake = None, wake
            if self._taken is not None and self._taken[0] == digest(token):
                self._taken = None  # asked once more: its game was started again
        try:
            return await self._answered(turn, limit_s, changed)
        finally:
            with self._lock:
                self.turn = None

    async def _answered(self, turn: Turn, limit_s: float, changed: asyncio.Event) -> Action | Mix:
        """Wait for the answer: first as long as a decision takes, then for an agent that is gone."""
        while self._answer is None:
            if not self.away:
                await self._until(lambda: self._answer is not None, turn, limit_s, changed)
                if self._answer is None and not self.present and not self.was_fetched(turn):
                    self._miss()
                elif self._withdrawn():
                    self._fetched = ""  # the client that fetched it may be gone as well
                    raise AgentFailed("timeout", f"no answer within {limit_s:g} s")
            else:
                began = monotonic()
                await self._until(lambda: self._answer is not None or not self.away, turn, self._awaited_s, changed)
                self._awaited_s = max(0.0, self._awaited_s - (monotonic() - began))
                if self.away and self._withdrawn():
                    raise self._forfeit()
        if isinstance(self._answer, AgentFailed):
            raise self._answer
        return self._answer

    async def _until(self, claim: Callable[[], bool], turn: Turn, left_s: float, changed: asyncio.Event) -> None:
        """Wait until a claim holds, or the time is up."""
        turn.deadline = monotonic() + left_s
        with suppress(TimeoutError):
            async with asyncio.timeout(left_s):
                while not claim():
                    await changed.wait()
                    changed.clear()

    def _withdrawn(self) -> bool:
        """Take the decision off the table, and return True, unless it was answered at this very moment."""
        with self._lock:
            self.turn = None
            return self._answer is None

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


def digest(token: str) -> bytes:
    """Return the hash of a token: looking that up tells nothing about the token by the time it takes."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
