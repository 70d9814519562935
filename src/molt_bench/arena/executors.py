"""Executors: where the games of a round run: in this process, on its event loop, on all cores, or by a plug-in."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from math import inf
from time import monotonic
from typing import Final, Protocol, TypeAlias, TypedDict

from molt_bench.arena.cast import Cast
from molt_bench.arena.worker_setup import Worked, WorkerSetup
from molt_bench.entry_points import CORE_EXECUTORS, EXECUTORS, broken, points
from molt_bench.errors import ConfigError, MoltBenchError
from molt_bench.luck.estimators import Estimates
from molt_bench.play.event_loop import GameLoop
from molt_bench.play.play_games import MakePlayers, OnGame, Players, play_games_in_order, play_games_together
from molt_bench.play.worker_pool import WorkerPool, cores
from molt_bench.plugin import Workers
from molt_bench.records import GameRecord
from molt_bench.specs import GameLabel, GameSpec
from molt_bench.suggestions import one_of

#: Seconds of play in this process after which workers are worth their start-up time.
_WORTH_WORKERS_S: Final = 1.0


class WhereOptions(TypedDict, total=False):
    """Where games run; this never affects a result.

    Attributes:
        executor: `inline`: one after another in this process. `async`: concurrently on its event loop. `processes`: on
            all cores. The name of a plug-in, such as `ray` or `ray:ADDRESS`: where that says. `auto`, unless given: on
            all cores, once a run takes long enough to be worth it. Except with `inline`, games with language models or
            with external programs run on the event loop, and so do those of Python code in a sandbox, unless a plug-in
            plays them.
        workers: Number of processes; one per core unless given.
        games_at_once: Concurrent games on the event loop; unless given, all with language models, else one per core.
    """

    executor: str
    workers: int | None
    games_at_once: int | None


#: Called with a finished game, and what player A won in it if a worker has found that out.
OnRunGame: TypeAlias = Callable[[GameLabel, GameRecord, Estimates | None], None]


class _Done(Protocol):
    """Receives a finished game as `OnRunGame` does."""

    def __call__(self, spec: GameSpec, record: GameRecord, estimates: Estimates | None = None) -> None: ...


class GameRunner:
    """Plays the games of a run; raises ConfigError if the executor does not exist, or cannot play these agents.

    Attributes:
        problems: What the user should know about how the games were played.
    """

    def __init__(
        self, cast: Cast, *, executor: str = "auto", workers: int | None = None, games_at_once: int | None = None
    ) -> None:
        self._cast, self._executor, self._workers, self._at_once = cast, executor, workers, games_at_once
        name, _, self._place = executor.partition(":")
        self._theirs = None if executor in CORE_EXECUTORS else points(EXECUTORS).get(name)
        if self._theirs is None and executor not in CORE_EXECUTORS:
            raise ConfigError("executor", executor, one_of([*CORE_EXECUTORS, *points(EXECUTORS)], name))
        if workers is not None and (workers < 1 or executor not in ("auto", "processes")):
            expected = "at least 1" if workers < 1 else f"none, since {executor} has no processes to count"
            raise ConfigError("workers", workers, expected)
        objects = sorted(cast.named(lambda player: not player.portable and not player.waits))
        if (self._theirs is not None or executor == "processes") and objects:
            expected = f"inline or async, since {objects[0]!r} is made by an object that workers do not have"
            raise ConfigError("executor", executor, expected)
        #: Whose games workers can play. Boxes are processes of their own, on all cores of this machine as it is.
        self._portable = cast.named(lambda each: each.portable and (self._theirs is not None or not each.waits))
        self.problems: list[str] = []
        # A place that is not there is an error before the first card.
        self._pool = None if self._theirs is None else self._new_pool()
        self._since: float | None = None
        self._until = inf
        self._loop = GameLoop()

    def preflight(self) -> None:
        """Contact every participant outside this process once."""
        self._loop.run(self._cast.greet())

    def play(self, wanted: Mapping[GameLabel, GameSpec], on_game: OnRunGame, *, until: float = inf) -> None:
        """Play games: those that wait for a model or another program concurrently, those of bots on the cores.

        At `until`, by the monotonic clock, games end at their next decision and are left unfinished.
        """
        self._until = until
        labels = {spec: label for label, spec in self._cast.dealt(wanted).items()}

        def done(spec: GameSpec, record: GameRecord, estimates: Estimates | None = None) -> None:
            self._cast.over(labels[spec])
            on_game(labels[spec], record, estimates)

        def players(spec: GameSpec) -> Players:
            first, second = (self._cast.agent(name, labels[spec]) for name in spec.players)
            return first, second

        waiting = self._cast.named(lambda player: player.waits) - self._portable
        elsewhere = self._cast.named(lambda player: player.model or player.asks or player.kind.comes)
        bots = [spec for spec in labels if waiting.isdisjoint(spec.players)]
        running = [spec for spec in labels if not waiting.isdisjoint(spec.players)]
        asking = [spec for spec in running if not elsewhere.isdisjoint(spec.players)]
        running = [spec for spec in running if elsewhere.isdisjoint(spec.players)]
        self._play_bots(bots, players, done)
        # All at once with models or live agents; of programs as many as there are cores.
        at_once = 1 if self._executor == "inline" else self._at_once
        self._play_together(asking, players, done, at_once=at_once or len(asking))
        self._play_together(running, players, done, at_once=at_once or cores())
        if self._cast.gateway is not None and self._cast.spent is not None:
            self._loop.run(self._cast.gateway.settled())  # what is still to come belongs to this run's costs

    def _play_bots(self, specs: list[GameSpec], players: MakePlayers, done: _Done) -> None:
        if self._executor == "async" or (self._executor == "auto" and (self._at_once or 1) > 1):
            self._play_together(specs, players, done, at_once=self._at_once or len(specs))
            return
        apart = [spec for spec in specs if self._portable.issuperset(spec.players)] if self._on_workers() else []
        if apart:
            self._pool = self._pool or self._new_pool()
            self._pool.play(apart, partial(self._took, done), until=self._until)
        rest = specs if not apart else [spec for spec in specs if not self._portable.issuperset(spec.players)]
        play_games_in_order(rest, players, done, until=self._until)

    def _took(self, done: _Done, spec: GameSpec, worked: Worked) -> None:
        """Take a game from a worker, which has also worked out what player A won."""
        record, estimates, traces = worked
        self._cast.traces.add(traces)
        done(spec, record, estimates)

    def _on_workers(self) -> bool:
        """Return whether games go to workers now: if requested, or once they have taken long enough here."""
        if self._pool is not None or self._executor != "auto":
            return self._pool is not None or self._executor == "processes"
        self._since = self._since or monotonic()
        many = self._at_once is None and (self._workers or cores()) > 1
        return many and monotonic() - self._since > _WORTH_WORKERS_S

    def _new_pool(self) -> Workers:
        cast = self._cast
        specs = tuple([player.spec for name, player in cast.players.items() if name in self._portable])
        setup = WorkerSetup.of(specs, cast.permission, cast.folder)
        if self._theirs is None:
            return WorkerPool(setup, self._workers)
        try:
            made: Workers = self._theirs.load()(setup, self._place, self.problems.append)
        except MoltBenchError:
            raise
        except Exception as error:  # foreign code: it may raise anything
            raise ConfigError("executor", self._executor, f"one that works: {broken(self._theirs, error)}") from error
        return made

    def _play_together(self, specs: list[GameSpec], players: MakePlayers, done: OnGame, *, at_once: int) -> None:
        if specs:
            games = play_games_together(
                specs, players, done, at_once=at_once, places=self._cast.places, until=self._until
            )
            self._loop.run(games)

    def close(self, *, patience_s: float | None = None) -> None:
        """Close the event loop and the workers; pending replies are awaited first, since they are paid for."""
        if self._cast.gateway is not None:
            with suppress(KeyboardInterrupt):  # a second interrupt ends the wait
                self._loop.run(self._cast.gateway.close(patience_s=patience_s))
        self._loop.close()
        self.end_workers()

    def end_workers(self) -> None:
        """End all workers."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
