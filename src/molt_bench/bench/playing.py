"""Playing: where the games of a round come from: those that are known, and the others, played now."""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final, TypeAlias

from molt_bench.agents.llm.exchange import Recorder
from molt_bench.bench.config import BenchmarkConfig
from molt_bench.bench.participants import Cast
from molt_bench.errors import JournalError
from molt_bench.journal import Game, Journal, JournalContent, games_in
from molt_bench.play.drivers import Players
from molt_bench.play.executors import Done, play_games_in_order, play_games_together
from molt_bench.play.waiting import GameLoop
from molt_bench.records import GameRecord
from molt_bench.specs import GameLabel, GameSpec

#: A game that was put back starts again after so many times the backoff.
_PUT_BACK_PAUSE: Final = 10
#: Seconds that replies under way get when a run is interrupted, since they are paid for.
_PATIENCE_S: Final = 30.0

#: The games of a round, and which ones they are.
Wanted: TypeAlias = Mapping[GameLabel, GameSpec]


class Playing:
    """The games of a run.

    Attributes:
        known_matches: The last match of which a game is known.

    Args:
        config: The config of the run.
        cast: Makes the agents.
        recorder: Holds the exchanges with language models.
        journal: Gets every finished game; None keeps them in memory only.
        known: What a journal already holds.
        games_at_once: How many games may be under way; None for one, or for all those of language models.
    """

    def __init__(
        self,
        config: BenchmarkConfig,
        cast: Cast,
        recorder: Recorder,
        journal: Journal | None,
        known: JournalContent | None,
        games_at_once: int | None,
    ) -> None:
        self._config = config
        self._cast = cast
        self._recorder = recorder
        self._journal = journal
        self._games_at_once = games_at_once
        self._loop = GameLoop()
        self._attempts: Counter[GameLabel] = Counter()
        games = games_in(known.lines if known else ())
        self._known = {label_of(game): game.record for game in games}
        self.known_matches = max((game.match for game in games), default=0)

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
        """Play games: those of language models together, those of bots as many at once as was asked for.

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

        models = self._cast.models.keys()
        self._play_bots([spec for spec in labels if models.isdisjoint(spec.players)], players, done)
        self._play_models([spec for spec in labels if not models.isdisjoint(spec.players)], players, done)

    def _play_bots(self, specs: list[GameSpec], players: Callable[[GameSpec], Players], done: Done) -> None:
        if self._games_at_once in (None, 1):
            play_games_in_order(specs, players, done)
        elif specs:
            self._loop.run(play_games_together(specs, players, done, at_once=self._games_at_once or 1))

    def _play_models(self, specs: list[GameSpec], players: Callable[[GameSpec], Players], done: Done) -> None:
        if specs:
            pause_s = _PUT_BACK_PAUSE * self._config.llm.backoff_s
            at_once = self._games_at_once or len(specs)
            self._loop.run(play_games_together(specs, players, done, at_once=at_once, put_back_pause_s=pause_s))

    def close(self) -> None:
        """End the run's event loop; replies that are under way are waited for, since they are paid for."""
        if self._cast.desk is not None:
            with suppress(KeyboardInterrupt):  # another one: they are not waited for any more
                self._loop.run(self._cast.desk.close(patience_s=_PATIENCE_S))
        self._loop.close()


def label_of(game: Game) -> GameLabel:
    """Return which game of a run it is."""
    return GameLabel(game.match, game.record.seed, game.record.seating)
