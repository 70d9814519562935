"""The progress of a run, for observers: told after every finished game, match and reply."""

from collections.abc import Callable, Iterator, Mapping
from math import inf
from time import monotonic
from typing import Any, Final

import msgspec

from molt_bench.agents.tracebacks import OnTraceback
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.rounds import Round
from molt_bench.bench.spending import Spending
from molt_bench.llm.gateway import Gateway
from molt_bench.records import MatchResult

#: Seconds between two looks at what is under way: replies may come by the hundred.
_LOOK_S: Final = 0.2


class UnderWay(msgspec.Struct, frozen=True):
    """What is under way while language models play.

    Attributes:
        games: Games that have begun and are not over.
        requests: Requests that wait for their reply.
        hands_per_minute: In this session; None as long as no hand has been played.
        games_bought: About how many games all of the money buys; None without a limit, or as long as that is unknown.
        left_s: About how many seconds are left until a limit ends the run; None where that is unknown.
    """

    games: int
    requests: int
    hands_per_minute: float | None = None
    games_bought: float | None = None
    left_s: float | None = None


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
        under_way: What they are asked now; None if there are none.
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
    finished: MatchResult | None
    ladder: Ladder
    spending: Spending | None = None
    under_way: UnderWay | None = None
    awaited: Mapping[str, int] = {}
    patience_s: float = 0.0


class Observer(msgspec.Struct, frozen=True):
    """Callbacks for the progress of a run.

    Attributes:
        on_status: After every finished game and match, and every reply from a language model.
        on_warning: Before the first game, with each warning about what the run will fall short of; later, with what
            goes wrong while models are asked, such as one that is paused.
        on_traceback: With a participant and where its agent raised, once per place.
        on_notice: With what is good to know, such as the state of a language model that answers.
        on_lines: With what plug-ins say of a run that has ended; they may work it out when it is read.
    """

    on_status: Callable[[RunStatus], None] | None = None
    on_warning: Callable[[str], None] | None = None
    on_traceback: OnTraceback | None = None
    on_notice: Callable[[str], None] | None = None
    on_lines: Callable[[Iterator[str]], None] | None = None


class StatusReports:
    """Tells an observer how far a run is."""

    def __init__(self, observer: Observer, ladder: Ladder, gateway: Gateway | None, spending: Spending) -> None:
        self._tell, self._ladder, self._gateway, self._spending = observer.on_status, ladder, gateway, spending
        self._round, self._games = Round(), 0
        self._looked, self._now = -inf, None if gateway is None else UnderWay(0, 0)
        self.restart_clock()

    def restart_clock(self) -> float:
        """Count the seconds of this session from now on; return when that is, by the monotonic clock."""
        self._start, self._before = monotonic(), self._so_far()
        return self._start

    def round_begins(self, wanted: Round) -> None:
        """Take note of the round that is played next."""
        self._round, self._games = wanted, len(wanted.known)

    def game_ended(self, players: tuple[str, str]) -> None:
        """Report a finished game."""
        self._games += 1
        self.report(participants=players)

    def match_ended(self, match: MatchResult) -> None:
        """Report a match that was just rated."""
        self.report(match=match.number, participants=match.participants, finished=match)

    def awaiting(self) -> None:
        """Report which replies are still awaited, since they are paid for."""
        if self._gateway is not None and self._gateway.awaited:
            self.report(awaited=self._gateway.awaited, patience_s=self._gateway.limits.timeout_s)

    def report(self, **now: Any) -> None:
        """Report how far the run is, once games are played."""
        if self._tell is None or not self._round.size:
            return
        ladder = self._ladder
        about = {
            "match": len(ladder.matches) + 1,
            "round": ladder.rounds + 1,
            "participants": self._round.pairs[0],
            "games": self._games,
            "games_in_round": self._round.size,
            "hands": ladder.hands,
            "seconds": monotonic() - self._start,
            "finished": None,
            "ladder": ladder,
            "spending": None if self._gateway is None else self._spending,
            "under_way": self._under_way(),
        }
        self._tell(RunStatus(**{**about, **now}))

    def _so_far(self) -> tuple[int, float, float]:
        """Return the hands, the dollars and the tokens of language models so far."""
        gateway = self._gateway
        return (gateway.turns.hands, gateway.purse.usd, gateway.purse.tokens) if gateway is not None else (0, 0.0, 0.0)

    def _under_way(self) -> UnderWay | None:
        """Return what was under way a moment ago, and how long the rest takes at the pace of this session."""
        gateway, now = self._gateway, monotonic()
        if gateway is None or now <= self._looked + _LOOK_S:
            return self._now
        passed_s = now - self._start
        hands, usd, tokens = (now - before for now, before in zip(self._so_far(), self._before, strict=True))
        left = gateway.purse.left()
        rates = [(left.usd, usd), (left.tokens, tokens), (self._hands_left(gateway.turns.hands), hands)]
        ends = [passed_s * much / so_far for much, so_far in rates if so_far > 0 and much < inf]
        self._looked = now
        self._now = UnderWay(
            games=gateway.turns.playing,
            requests=gateway.awaited.total(),
            hands_per_minute=60 * hands / passed_s if hands and passed_s else None,
            games_bought=gateway.turns.games_bought(),
            left_s=max(0.0, min(ends)) if ends else None,
        )
        return self._now

    def _hands_left(self, hands: int) -> float:
        """Return how many hands are left until a limit of matches, where there is one."""
        config = self._ladder.config
        limits = config.stop.budget
        if limits is None or limits.max_matches is None:
            return inf
        return max(0, limits.max_matches * 2 * config.seeds.per_match * config.game.dealt_hands - hands)
