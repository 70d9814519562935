"""Playing: where the games of a round come from: those that are known, and the others, played now."""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from molt_bench.agents.llm.exchange import Exchanges
from molt_bench.arena.cast import Cast
from molt_bench.arena.preflight import preflight
from molt_bench.arena.worker_setup import PlayedGame, WorkerSetup
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.luck.estimators import Estimates
from molt_bench.play.drivers import MakePlayers, OnGame, Players, play_games_in_order, play_games_together
from molt_bench.play.event_loop import GameLoop
from molt_bench.play.ray_cluster import Cluster
from molt_bench.play.worker_pool import WorkerPool, WorkersError, cores
from molt_bench.records import GameRecord
from molt_bench.runs.journal import Game, Journal, JournalContent, games_in
from molt_bench.specs import GameLabel, GameSpec

#: A game that was put back starts again after so many times the backoff.
_PUT_BACK_PAUSE: Final = 10
#: Seconds that replies under way get when a run is interrupted, since they are paid for.
_PATIENCE_S: Final = 30.0

#: Seconds of play in this process after which workers, who take some time to start, are worth it.
_WORTH_WORKERS_S: Final = 1.0

Executor: TypeAlias = Literal["auto", "inline", "async", "processes", "ray"]
#: The games of a round, and which ones they are.
Wanted: TypeAlias = Mapping[GameLabel, GameSpec]


class Where(msgspec.Struct, frozen=True):
    """Where games run; none of it ever changes a result.

    Attributes:
        executor: `inline`: one after the other in this process. `async`: at once on its event loop. `processes`: on all
            cores. `ray`: on a cluster. `auto`: on all cores, once a run takes long enough for that. In all but `inline`
            the games of language models, and of agents that are programs of their own, are on the event loop.
        workers: How many processes; None for one on every core.
        ray_address: Of a running cluster; None starts one on this machine.
        games_at_once: Games under way on the event loop; None for all of language models, one on every core of others.
    """

    executor: Executor = "auto"
    workers: int | None = None
    ray_address: str | None = None
    games_at_once: int | None = None


class Playing:
    """The games of a run.

    Attributes:
        known_matches: The last match of which a game is known.
        problems: What the user should know about how the games were played.

    Args:
        config: The config of the run.
        cast: Makes the agents.
        recorder: Holds the exchanges with language models.
        journal: Gets every finished game; None keeps them in memory only.
        known: What a journal already holds.
        where: Where the games run.
        estimated: Is told what player A won by each estimator, where a worker has found it out.

    Raises:
        ConfigError: There is no such executor, or it cannot play these agents.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        cast: Cast,
        recorder: Exchanges,
        journal: Journal | None,
        known: JournalContent | None,
        where: Where,
        estimated: Callable[[GameSpec, Estimates], None],
    ) -> None:
        self._config = config
        self._cast = cast
        self._recorder = recorder
        self._journal = journal
        if where.executor not in get_args(Executor):
            raise ConfigError("executor", where.executor, f"one of {', '.join(get_args(Executor))}")
        if where.workers is not None and (where.workers < 1 or where.executor not in ("auto", "processes")):
            expected = "at least 1" if where.workers < 1 else f"none, since {where.executor} has no processes to count"
            raise ConfigError("workers", where.workers, expected)
        if where.ray_address is not None and where.executor != "ray":
            raise ConfigError("--ray-address", where.ray_address, "--executor ray beside it")
        objects = sorted(cast.agents - cast.portable - cast.waiting)
        if where.executor in ("processes", "ray") and objects:
            expected = f"inline or async, since {objects[0]!r} is made by an object that workers do not have"
            raise ConfigError("executor", where.executor, expected)
        self._where = where
        self.problems: list[str] = []
        self.estimated = estimated
        # A cluster that is not there is an error before the first card.
        self._pool = self._new_pool() if where.executor == "ray" else None
        self._since = 0.0
        self._fit = True
        self._loop = GameLoop()
        self._attempts: Counter[GameLabel] = Counter()
        games = games_in(known.lines if known else ())
        self._known = {game.label: game.record for game in games}
        strange = next((game for game in games if game.participants != game.record.players), None)
        if strange is not None or len(self._known) < len(games):
            number = strange.match if strange is not None else _twice(games)
            what = "a game of others than it says" if strange is not None else "the same game twice"
            raise JournalError(f"the journal's match {number} has {what}")
        self.known_matches = max((game.match for game in games), default=0)

    def preflight(self) -> None:
        """Ask everybody outside this process once; if somebody is not there, close and say so.

        Raises:
            MoltBenchError: Somebody is not there.
        """
        try:
            self._loop.run(preflight(*self._cast.greets()))
        except BaseException:
            self.close(patience_s=0.0)
            raise

    def known_spec(self, label: GameLabel) -> GameSpec | None:
        """Return how a known game was played."""
        record = self._known.get(label)
        return record.spec if record is not None else None

    def known(self, wanted: Wanted) -> dict[GameLabel, GameRecord]:
        """Return the records of those games that are known.

        Raises:
            JournalError: The journal has other games than these in the same matches.
        """
        matches = {label.match for label in wanted}
        stray = next((label for label in self._known if label.match in matches and label not in wanted), None)
        if stray is not None:
            raise JournalError(
                f"the journal's match {stray.match} has seed {stray.seed!r}, which its config does not deal"
            )
        for label, spec in wanted.items():
            if label in self._known and self._known[label].spec != spec:
                raise JournalError(f"the journal's match {label.match} is not the one that its config plays")
        return {label: self._known[label] for label in wanted if label in self._known}

    def play(self, wanted: Wanted, told: Callable[[GameLabel, GameRecord], None], seconds: Callable[[], float]) -> None:
        """Play games: those that wait for a model or another program together, those of bots on the cores.

        Args:
            wanted: The games.
            told: Is told of every finished one, once it is in the journal.
            seconds: Tells how long the run has gone on.
        """
        labels = {spec: label for label, spec in wanted.items()}

        def done(spec: GameSpec, record: GameRecord) -> None:
            label = labels[spec]
            if self._journal is not None:
                self._journal.write(Game(label.match, spec.players, record, seconds()))
            self._recorder.forget(label)
            told(label, record)

        def players(spec: GameSpec) -> Players:
            label = labels[spec]
            self._attempts[label] += 1
            again = self._attempts[label] < self._config.llm.max_game_attempts
            first, second = (self._cast.agent(name, label, may_put_back=again) for name in spec.players)
            return first, second

        waiting = self._cast.waiting
        self._play_bots([spec for spec in labels if waiting.isdisjoint(spec.players)], players, done)
        self._play_waiting([spec for spec in labels if not waiting.isdisjoint(spec.players)], players, done)

    def _play_bots(self, specs: list[GameSpec], players: MakePlayers, done: OnGame) -> None:
        where = self._where
        if where.executor == "async" or (where.executor == "auto" and (where.games_at_once or 1) > 1):
            self._play_together(specs, players, done, at_once=where.games_at_once or len(specs))
            return
        portable = self._cast.portable if self._on_workers() else set()
        apart = [spec for spec in specs if portable.issuperset(spec.players)]
        rest = [spec for spec in specs if not portable.issuperset(spec.players)]
        if apart:
            rest += self._play_apart(apart, done)
        play_games_in_order(rest, players, done)

    def _on_workers(self) -> bool:
        """Say whether games go to workers now: where that was asked for, or where they have taken long enough here."""
        where = self._where
        if where.executor == "auto":
            self._since = self._since or monotonic()
            many = self._fit and where.games_at_once is None and (where.workers or cores()) > 1
            return many and (self._pool is not None or monotonic() - self._since > _WORTH_WORKERS_S)
        return where.executor in ("processes", "ray")

    def _play_apart(self, specs: list[GameSpec], done: OnGame) -> list[GameSpec]:
        """Play games in workers, who also find out what player A won by each estimator; return those they cannot play.

        Nobody asked for workers where they are the default, so then their trouble is not the user's.
        """
        self._pool = self._pool or self._new_pool()
        left = dict.fromkeys(specs)

        def took(spec: GameSpec, played: PlayedGame) -> None:
            del left[spec]
            self.estimated(spec, played.estimates)
            self._cast.traces.add(played.traces)
            done(spec, played.record)

        try:
            self._pool.play(specs, took)
        except WorkersError:
            if self._where.executor != "auto":
                raise
            self._fit = False
            self._pool.close()
            self._pool = None
        return list(left)

    def _new_pool(self) -> WorkerPool[PlayedGame] | Cluster[PlayedGame]:
        setup = WorkerSetup.of(self._cast.specs_of(self._cast.portable))
        if self._where.executor == "ray":
            return Cluster(setup, self._where.ray_address)
        return WorkerPool(setup, self._where.workers, warn=self.problems.append)

    def _play_waiting(self, specs: list[GameSpec], players: MakePlayers, done: OnGame) -> None:
        """Play games that wait: all those of models at once, of other programs as many as there are cores."""
        models = self._cast.models.keys()
        asking = [spec for spec in specs if not models.isdisjoint(spec.players)]
        running = [spec for spec in specs if models.isdisjoint(spec.players)]
        inline = self._where.executor == "inline"
        at_once = 1 if inline else self._where.games_at_once
        self._play_together(asking, players, done, at_once=at_once or len(asking))
        self._play_together(running, players, done, at_once=at_once or cores())

    def _play_together(self, specs: list[GameSpec], players: MakePlayers, done: OnGame, *, at_once: int) -> None:
        if specs:
            pause_s = _PUT_BACK_PAUSE * self._config.llm.backoff_s
            self._loop.run(play_games_together(specs, players, done, at_once=at_once, put_back_pause_s=pause_s))

    def close(self, *, patience_s: float = _PATIENCE_S) -> None:
        """End the run's event loop; replies that are under way are waited for, since they are paid for."""
        if self._cast.desk is not None:
            with suppress(KeyboardInterrupt):  # another one: they are not waited for any more
                self._loop.run(self._cast.desk.close(patience_s=patience_s))
        self._loop.close()
        self._cast.traces.close()
        if self._pool is not None:
            self._pool.close()


def _twice(games: list[Game]) -> int:
    """Return the match of a game that stands there twice."""
    return next(game.match for game, count in Counter(game.label for game in games).items() if count > 1)
