"""What passes through a mailbox: decisions, results of hands, and what else happens in its slot."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from molt_bench.poker.observation import HandResult, Observation


class Sat(msgspec.Struct, frozen=True):
    """The agent sat down for a game, in this seat; games are counted from 1."""

    seat: int
    game: int


class PendingDecision(msgspec.Struct, frozen=True):
    """A decision that the agent has to make.

    Attributes:
        token: Names the decision. It stays the same when the decision is asked again, also after a restart.
        seq: Grows with everything that happens in this slot.
        game: Number of the game in this slot, from 1.
        hand: Number of the hand in this slot, from 1; unlike the observation's, it does not begin again with a game.
        observation: What the seat sees.
        limit_s: Seconds for the answer.
        deadline: When the time is up, by `time.monotonic`.
        game_id: Names the game; unlike its number, the same after a restart.
    """

    token: str
    seq: int
    game: int
    hand: int
    observation: Observation
    limit_s: float
    deadline: float
    game_id: str = ""


class HandOver(msgspec.Struct, frozen=True):
    """A hand is over, as the table saw it; `hand` is counted as in `PendingDecision`, whose `game_id` it has."""

    seq: int
    hand: int
    result: HandResult
    game_id: str = ""


class Asked(msgspec.Struct, frozen=True):
    """A decision is open: for the first time, or `again` after an answer that was not taken."""

    turn: PendingDecision
    again: bool


class GameOver(msgspec.Struct, frozen=True):
    """A game is over. The next one begins with `Sat`."""

    game: int


class Closed(msgspec.Struct, frozen=True):
    """The run is over, and why."""

    reason: str


MailEvent: TypeAlias = Sat | Asked | HandOver | GameOver | Closed
#: Called with everything that happens, from any thread; it must return at once and not call the mailbox.
Listener: TypeAlias = Callable[[MailEvent], None]
#: What came of an answer: it was taken; is the same as the one taken; is not legal; is for a decision that is not open;
#: came while the game looks at another, so try again in a moment; came after the run.
Verdict: TypeAlias = Literal["taken", "repeated", "illegal", "stale", "busy", "closed"]


class Snapshot(msgspec.Struct, frozen=True):
    """How things stand in a slot: who sits where, what is to be decided, whether the run is over.

    Attributes:
        sat: The game being played; None before the first and between two.
        turn: The open decision; None if there is none.
        closed: Why the run is over; None while it is not.
    """

    sat: Sat | None
    turn: PendingDecision | None
    closed: str | None
