"""Reports on the progress of a run to its observer: after games, matches and replies."""

from collections.abc import Mapping
from time import monotonic

from molt_bench.arena.cast import Cast
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.result import PlayedMatch
from molt_bench.bench.rounds import Round
from molt_bench.bench.spending import Spending
from molt_bench.records import GameRecord


class StatusReports:
    """Tells an observer how far a run is."""

    def __init__(self, observer: Observer, ladder: Ladder, cast: Cast, spending: Spending) -> None:
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
