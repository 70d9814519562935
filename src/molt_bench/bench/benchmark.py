"""The benchmark: decide a round, play it, learn from it, until it is enough.

Everything that is decided here depends on the config and on finished matches alone. So a run that was cut off is taken
up by playing it again from the start with the games of its journal, and only those that are missing are played.
"""

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from time import monotonic
from typing import Any

import msgspec

from molt_bench._version import BENCH_VERSION, __version__
from molt_bench.agents.registry import AgentFactory, make_agent, source_hash
from molt_bench.bench.config import BenchmarkConfig
from molt_bench.bench.decks import SeedBlocks
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.loading import load_config
from molt_bench.bench.scheduler import Pair, choose_round, policy_named
from molt_bench.bench.stop import Progress, first_reason, rules_of
from molt_bench.errors import ConfigError, JournalError
from molt_bench.journal import FORMAT, Game, Header, Journal, JournalContent, Sitting, games_in
from molt_bench.play.drivers import GameOptions, Players
from molt_bench.play.executors import play_games
from molt_bench.records import GameRecord, MatchResult, PlayedMatch, RunResult, SeedResult
from molt_bench.seeds import Seed
from molt_bench.specs import GameSpec, Seating

INTERRUPTED = "it was interrupted"
_SEATINGS: tuple[Seating, ...] = ("AB", "BA")


class Live(msgspec.Struct, frozen=True):
    """Where a run is, for whoever watches.

    Attributes:
        match: Number of the match under way.
        round: Number of its round.
        participants: Who plays it.
        games: Games of this round that are finished.
        games_in_round: Games of this round.
        hands: Hands of the run so far.
        seconds: How long this sitting has gone on.
        finished: The match that was just rated, if this is about one.
        ladder: The ratings.
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


Watch = Callable[[Live], None]
Key = tuple[int, Seed, Seating]


def run_benchmark(
    config: BenchmarkConfig | Mapping[str, Any] | None = None,
    *,
    agents: Mapping[str, AgentFactory] | None = None,
    journal: Journal | None = None,
    known: JournalContent | None = None,
    games_at_once: int = 1,
    watch: Watch | None = None,
    play: bool = True,
) -> RunResult:
    """Run a benchmark and return its result.

    Args:
        config: What to run; plain values are checked, and what is left out has its default.
        agents: Agents of one's own: a participant whose `type` is a key here is made by the factory.
        journal: Gets every finished game; None keeps them in memory only.
        known: What a journal already holds: its games are taken from there.
        games_at_once: How many games may be under way; it never changes a result.
        watch: Is told of every finished game and match.
        play: Whether games that are not known are played; otherwise the result ends before the first of them.

    Raises:
        ConfigError: A setting that cannot work.
        AgentError: A participant that cannot be made.
        JournalError: The known games are not those of this config.
    """
    checked = config if isinstance(config, BenchmarkConfig) else load_config(dict(config or {}))
    run = _Run(checked, agents or {}, journal, known, games_at_once, watch)
    if play:
        check_participants(checked, agents)
        if known is not None:
            now = source_hashes(checked)
            changed = [name for name, old in known.header.source_hashes.items() if now.get(name) != old]
            if changed:
                raise JournalError(f"the code of {changed[0]!r} has been changed since the run began: start a new run")
    if journal is not None and known is None:
        journal.write(header_of(checked, run.decks.listed))
    return run.to_the_end(play=play)


def check_participants(config: BenchmarkConfig, agents: Mapping[str, AgentFactory] | None = None) -> None:
    """Make each agent once: one that cannot be made is an error before the first card."""
    for participant in config.participants:
        try:
            make_agent(participant.spec(), factories=agents, seed=participant.id)
        except ConfigError as error:
            field = f"participants.{participant.id}.{error.field}"
            raise ConfigError(field, error.value, error.expected) from error


def header_of(config: BenchmarkConfig, seeds: list[Seed] | None = None) -> Header:
    """Return the first line of a run's journal."""
    from importlib.metadata import version

    plain = config.plain()
    return Header(
        FORMAT,
        BENCH_VERSION,
        __version__,
        config_hash(plain),
        plain,
        folder=os.getcwd(),
        seeds=seeds,
        source_hashes=source_hashes(config),
        versions={"python": platform.python_version(), "openskill": version("openskill")},
    )


def source_hashes(config: BenchmarkConfig) -> dict[str, str]:
    """Return the hashes of the files that agents of one's own come from, by participant."""
    hashes = {participant.id: source_hash(participant.type) for participant in config.participants}
    return {name: found for name, found in hashes.items() if found is not None}


def config_hash(plain: Mapping[str, Any]) -> str:
    """Return a hash of everything in a config that decides a result."""
    decisive = {key: value for key, value in plain.items() if key != "outputDir"}
    return sha256(msgspec.json.encode(decisive, order="sorted")).hexdigest()


class _Run:
    """A benchmark under way."""

    def __init__(
        self,
        config: BenchmarkConfig,
        agents: Mapping[str, AgentFactory],
        journal: Journal | None,
        known: JournalContent | None,
        games_at_once: int,
        watch: Watch | None,
    ) -> None:
        self.config = config
        self.agents = agents
        self.journal = journal
        self.games_at_once = games_at_once
        self.watch = watch
        self.specs = {participant.id: participant.spec() for participant in config.participants}
        self.decks = SeedBlocks(config.seeds, known.header.seeds if known else None)
        self.ladder = Ladder(config)
        self.rules = rules_of(config.stop)
        self.start = monotonic()
        self.playing = False
        lines = known.lines if known else ()
        sittings = [line for line in lines if isinstance(line, Sitting)]
        self.earlier_seconds = max(
            [sum(sitting.seconds for sitting in sittings), *(game.seconds for game in games_in(lines))]
        )
        self.recorded_reason = next((sitting.stop_reason for sitting in sittings if sitting.stop_reason), None)
        self.known: dict[Key, Game] = {
            (game.match, game.record.seed, game.record.seating): game for game in games_in(lines)
        }
        self.known_matches = max((game.match for game in games_in(lines)), default=0)

    @property
    def seconds(self) -> float:
        """How long the run has gone on, all sittings together."""
        return self.earlier_seconds + (monotonic() - self.start if self.playing else 0.0)

    def make(self, participant: str) -> Any:
        """Make an agent."""
        return make_agent(self.specs[participant], factories=self.agents, seed=participant)

    def players(self, spec: GameSpec) -> Players:
        """Make the agents of a game."""
        return self.make(spec.players[0]), self.make(spec.players[1])

    def to_the_end(self, *, play: bool) -> RunResult:
        """Play, and note in the journal how long this sitting went on."""
        self.playing = play
        try:
            return self.rounds_to_the_end(play=play)
        except KeyboardInterrupt:
            if self.journal is not None:
                self.journal.write(Sitting(self.seconds - self.earlier_seconds))
            raise

    def rounds_to_the_end(self, *, play: bool) -> RunResult:
        """Play rounds until a stop rule says that it is enough."""
        while True:
            reason = first_reason(self.rules, self.progress())
            if reason is None:
                pairs = self.next_pairs()
                if pairs and self.play_round(pairs, play=play):
                    continue
                reason = self.decks.exhausted if not pairs else self.recorded_reason or INTERRUPTED
            seconds = self.seconds
            if self.journal is not None and self.recorded_reason is None:
                self.journal.write(Sitting(seconds - self.earlier_seconds, reason))
            return self.result(reason, seconds)

    def progress(self) -> Progress:
        """Return what the stop rules look at."""
        per_match = 2 * self.config.seeds.per_match
        hands_per_game = self.config.game.hands_per_game + self.config.game.warmup_hands
        # Time does not count while known matches are taken up again: they were played within it.
        caught_up = self.playing and len(self.ladder.matches) >= self.known_matches
        return self.ladder.progress(
            seconds=self.seconds if caught_up else 0.0, next_games=per_match, next_hands=per_match * hands_per_game
        )

    def next_pairs(self) -> list[Pair]:
        """Choose the pairings of the next round."""
        scheduler = self.config.scheduler
        confidence = self.config.stop.adjacent_confidence
        limits = self.config.stop.budget
        room = scheduler.matches_per_round
        if limits is not None:
            so_far = self.progress()
            for limit, spent, more in (
                (limits.max_matches, so_far.matches, 1),
                (limits.max_games, so_far.games, so_far.next_games),
                (limits.max_hands, so_far.hands, so_far.next_hands),
            ):
                if limit is not None:
                    room = min(room, (limit - spent) // more)
        return choose_round(
            policy_named(scheduler.policy),
            self.ladder.situation(),
            matches=room,
            recent=self.ladder.recent(scheduler.rematch_window),
            threshold=confidence.threshold if confidence else 1.0,
            allowed=lambda pair: self.decks.has_block(self.ladder.meetings[pair]),
        )

    def play_round(self, pairs: Sequence[Pair], *, play: bool) -> bool:
        """Play the matches of a round and rate them in their order; say whether all of them were there."""
        first = len(self.ladder.matches) + 1
        blocks = [self.decks.block(self.ladder.meetings[pair]) for pair in pairs]
        wanted: dict[Key, GameSpec] = {}
        for number, (pair, seeds) in enumerate(zip(pairs, blocks, strict=True), start=first):
            for seed in seeds:
                for seating in _SEATINGS:
                    wanted[number, seed, seating] = self.game_spec(pair, seed, seating)
        games = self.games(wanted, play=play)
        for number, (pair, seeds) in enumerate(zip(pairs, blocks, strict=True), start=first):
            if any((number, seed, seating) not in games for seed in seeds for seating in _SEATINGS):
                return False
            pairs_of_games = tuple(
                SeedResult(seed, (games[number, seed, "AB"], games[number, seed, "BA"])) for seed in seeds
            )
            match = self.ladder.rate(pair, MatchResult(pairs_of_games, self.config.match.draw_threshold))
            self.tell(match.participants, len(games), len(wanted), finished=match)
        self.ladder.end_round()
        return True

    def game_spec(self, pair: Pair, seed: Seed, seating: Seating) -> GameSpec:
        """Return one game of a match."""
        game = self.config.game
        options: GameOptions = {**game.options(), "seating": seating}
        return GameSpec(seed=seed, hands=game.hands_per_game, players=pair, **options)

    def games(self, wanted: Mapping[Key, GameSpec], *, play: bool) -> dict[Key, GameRecord]:
        """Return the records of these games: known ones, and the others played now."""
        found: dict[Key, GameRecord] = {}
        numbers = {key[0] for key in wanted}
        stray = next((key for key in self.known if key[0] in numbers and key not in wanted), None)
        if stray is not None:
            raise JournalError(f"the journal's match {stray[0]} has seed {stray[1]!r}, which its config does not deal")
        for key, spec in wanted.items():
            if key in self.known:
                if self.known[key].record.spec != spec:
                    raise JournalError(f"the journal's match {key[0]} is not the one that its config plays")
                found[key] = self.known[key].record
        missing = {spec: key for key, spec in wanted.items() if key not in found}

        def done(spec: GameSpec, record: GameRecord) -> None:
            key = missing[spec]
            found[key] = record
            if self.journal is not None:
                self.journal.write(Game(key[0], spec.players, record, self.seconds))
            self.tell(spec.players, len(found), len(wanted))

        if missing and play:
            play_games(list(missing), self.players, done, at_once=self.games_at_once)
        return found

    def tell(
        self, participants: tuple[str, str], games: int, of_games: int, *, finished: PlayedMatch | None = None
    ) -> None:
        """Tell whoever watches."""
        if self.watch is not None:
            seconds, ladder = monotonic() - self.start, self.ladder
            number = finished.number if finished else len(ladder.matches) + 1
            self.watch(
                Live(number, ladder.rounds + 1, participants, games, of_games, ladder.hands, seconds, finished, ladder)
            )

    def result(self, reason: str, seconds: float) -> RunResult:
        """Return the result of the run as it stands."""
        problem = self.journal.problem if self.journal is not None else None
        return RunResult(
            config=self.config.plain(),
            matches=tuple(self.ladder.matches),
            leaderboard=tuple(self.ladder.ratings.leaderboard()),
            convergence=tuple(self.ladder.convergence),
            stop_reason=reason,
            seeds=self.decks.used(max(self.ladder.meetings.values(), default=0)),
            seconds=seconds,
            warnings=(problem,) if problem else (),
        )
