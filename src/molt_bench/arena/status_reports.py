"""Reports on the progress of a run to its observer: after games, matches and replies."""

from collections.abc import Mapping
from math import inf
from time import monotonic
from typing import Final

from molt_bench.arena.cast import Cast
from molt_bench.arena.status import Observer, RunStatus, UnderWay
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.rounds import Round
from molt_bench.bench.spending import Spending
from molt_bench.records import GameRecord, MatchResult

#: Seconds between two looks at what is under way.
_LOOK_S: Final = 0.2


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
        self._before = self._so_far()
        self._looked = -inf
        self._now: UnderWay | None = None

    def restart_clock(self) -> float:
        """Count the seconds of this session from now on; return when that is, by the monotonic clock."""
        self._start = monotonic()
        self._before = self._so_far()
        return self._start

    def round_begins(self, wanted: Round) -> None:
        """Take note of the round that is played next."""
        self._round, self._games, self._players = wanted, len(wanted.known), wanted.pairs[0]

    def game_ended(self, record: GameRecord) -> None:
        """Report a finished game."""
        self._games += 1
        self._players = record.players
        self._report()

    def match_ended(self, match: MatchResult) -> None:
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

    def _report(self, *, finished: MatchResult | None = None, awaited: Mapping[str, int] | None = None) -> None:
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
                spending=self._spending if self._cast.for_models else None,
                under_way=self._seen(),
                awaited=awaited or {},
                patience_s=self._cast.patience_s,
            )
        )

    def _so_far(self) -> tuple[int, float, float]:
        """Return the hands, the dollars and the tokens of language models so far."""
        gateway = self._cast.gateway
        return (gateway.turns.hands, gateway.purse.usd, gateway.purse.tokens) if gateway is not None else (0, 0.0, 0.0)

    def _seen(self) -> UnderWay | None:
        """Return what was under way a moment ago: replies may come by the hundred."""
        if monotonic() > self._looked + _LOOK_S:
            self._looked, self._now = monotonic(), self._under_way()
        return self._now

    def _under_way(self) -> UnderWay | None:
        """Return what is under way, and how long the rest takes at the pace of this session."""
        gateway, passed_s = self._cast.gateway, monotonic() - self._start
        if gateway is None:
            return None
        hands, usd, tokens = (now - before for now, before in zip(self._so_far(), self._before, strict=True))
        left = gateway.purse.left()
        rates = [(left.usd, usd), (left.tokens, tokens), (self._hands_left(), hands)]
        ends = [passed_s * much / so_far for much, so_far in rates if so_far > 0 and much < inf]
        return UnderWay(
            games=gateway.turns.playing,
            requests=gateway.awaited.total(),
            hands_per_minute=60 * hands / passed_s if hands and passed_s else None,
            games_bought=gateway.turns.games_bought(),
            left_s=max(0.0, min(ends)) if ends else None,
        )

    def _hands_left(self) -> float:
        """Return how many hands are left until a limit of matches, where there is one."""
        config = self._ladder.config
        limits, game = config.stop.budget, config.game
        if limits is None or limits.max_matches is None or self._cast.gateway is None:
            return inf
        in_match = 2 * config.seeds.per_match * (game.hands_per_game + game.warmup_hands)
        return max(0, limits.max_matches * in_match - self._cast.gateway.turns.hands)
