"""The progress of a run, for observers."""

from collections.abc import Callable, Mapping
from time import monotonic
from typing import Protocol

import msgspec

from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.tracebacks import OnTraceback
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.result import PlayedMatch
from molt_bench.bench.rounds import Round
from molt_bench.bench.spending import Spending
from molt_bench.records import GameRecord


class RunStatus(msgspec.Struct, frozen=True):
    """The progress of a run.

    Attributes:
        match: Number of the match being played.
        round: Number of its round.
        participants: Its participants.
        games: Finished games of this round.
        hands: Hands of the run so far.
        seconds: How long this session has taken.
        finished: The match that was just rated, if any.
        spending: What language models have cost; None if there are none.
        awaited: After an interruption, the number of pending replies by participant.
        patience_s: Seconds for which they are awaited.
    """

    match: int
    round: int
    participants: tuple[str, str]
    games: int
    games_in_round: int
    hands: int
    seconds: float
    finished: PlayedMatch | None
    ladder: Ladder
    spending: Spending | None = None
    awaited: Mapping[str, int] = {}
    patience_s: float = 0.0


class Observer(msgspec.Struct, frozen=True):
    """Callbacks for the progress of a run.

    Attributes:
        on_status: After every finished game and match, and every reply from a language model.
        on_warning: Before the first game, with each warning about what the run will fall short of; later, with what
            goes wrong while models are asked, such as one that is paused.
        on_traceback: With a participant and where its agent raised, once per place.
        on_notice: With what is good to know, such as the output mode of a language model.
    """

    on_status: Callable[[RunStatus], None] | None = None
    on_warning: Callable[[str], None] | None = None
    on_traceback: OnTraceback | None = None
    on_notice: Callable[[str], None] | None = None


class Waiting(Protocol):
    """Who is asked, and which replies are still to come: the cast of a run."""

    models: Mapping[str, LLMSettings]

    @property
    def awaited(self) -> Mapping[str, int]:
        """Number of pending replies, by participant."""

    @property
    def patience_s(self) -> float:
        """Seconds that an answer of a language model may take."""


class StatusReports:
    """Tells an observer how far a run is."""

    def __init__(self, observer: Observer, ladder: Ladder, cast: Waiting, spending: Spending) -> None:
        self._tell = observer.on_status
        self._ladder = ladder
        self._cast = cast
        self._spending = spending
        self._round = Round()
        self._games = 0
        self._players = ladder.margins.participants[0], ladder.margins.participants[1]
        self._start = monotonic()

    def restart_clock(self) -> float:
        """Count the seconds of this session from now on; return when that is, by the monotonic clock."""
        self._start = monotonic()
        return self._start

    def round_begins(self, wanted: Round) -> None:
        """Take note of the round that is played next."""
        self._round, self._games, self._players = wanted, len(wanted.known), wanted.pairs[0]

    def game_ended(self, record: GameRecord) -> None:
        """Report a finished game."""
        self._games += 1
        self._players = record.players
        self._report()

    def match_ended(self, match: PlayedMatch) -> None:
        """Report a match that was just rated."""
        self._players = match.participants
        self._report(finished=match)

    def exchanged(self) -> None:
        """Report a reply from a language model, once games are played."""
        if self._round.size:
            self._report()

    def awaiting(self) -> None:
        """Report which replies are still awaited, since they are paid for."""
        if self._round.size and self._cast.awaited:
            self._report(awaited=self._cast.awaited)

    def _report(self, *, finished: PlayedMatch | None = None, awaited: Mapping[str, int] | None = None) -> None:
        if self._tell is None:
            return
        ladder = self._ladder
        self._tell(
            RunStatus(
                match=finished.number if finished else len(ladder.matches) + 1,
                round=ladder.rounds + 1,
                participants=self._players,
                games=self._games,
                games_in_round=self._round.size,
                hands=ladder.hands,
                seconds=monotonic() - self._start,
                finished=finished,
                ladder=ladder,
                spending=self._spending if self._cast.models else None,
                awaited=awaited or {},
                patience_s=self._cast.patience_s,
            )
        )
