"""The benchmark: decide a round, play it, learn from it, until it is enough.

Everything that is decided here depends on the config and on finished matches alone. So a run that was cut off is taken
up by playing it again from the start with the games of its journal, and only those that are missing are played.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from molt_bench.agents.llm.exchange import Exchange, Recorder
from molt_bench.agents.registry import AgentFactory
from molt_bench.bench.config import BenchmarkConfig
from molt_bench.bench.decks import SeedBlocks
from molt_bench.bench.header import header_of, luck_version, source_hashes
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.live import Live, Watch
from molt_bench.bench.loading import load_config
from molt_bench.bench.participants import Cast, check_participants
from molt_bench.bench.playing import Executor, Playing, Where
from molt_bench.bench.scheduler import Pair, choose_round, policy_named
from molt_bench.bench.spending import Spending
from molt_bench.bench.stop import Progress, first_reason, rules_of
from molt_bench.errors import JournalError, RulesError
from molt_bench.journal import Game, Journal, JournalContent, Sitting, games_in
from molt_bench.play.drivers import GameOptions
from molt_bench.records import GameRecord, MatchResult, PlayedMatch, RunResult, SeedResult
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel, GameSpec, Seating

INTERRUPTED = "it was interrupted"
_SEATINGS: tuple[Seating, ...] = ("AB", "BA")


def run_benchmark(
    config: BenchmarkConfig | Mapping[str, Any] | None = None,
    *,
    agents: Mapping[str, AgentFactory] | None = None,
    journal: Journal | None = None,
    known: JournalContent | None = None,
    recorder: Recorder | None = None,
    executor: Executor = "auto",
    workers: int | None = None,
    ray_address: str | None = None,
    games_at_once: int | None = None,
    keep_hands: bool = True,
    watch: Watch | None = None,
    play: bool = True,
) -> RunResult:
    """Run a benchmark and return its result.

    Args:
        config: What to run; plain values are checked, and what is left out has its default.
        agents: Agents of one's own: a participant whose `type` is a key here is made by the factory.
        journal: Gets every finished game; None keeps them in memory only.
        known: What a journal already holds: its games are taken from there.
        recorder: Holds the exchanges with language models; None keeps them in memory only.
        executor: Where the games run, as `molt_bench.bench.playing.Where` has it; it never changes a result.
        workers: How many worker processes; None for one on every core.
        ray_address: Of a running Ray cluster; None starts one on this machine, if games are to run on one.
        games_at_once: Games under way on an event loop; None for all of language models.
        keep_hands: Whether the result keeps every single hand; a journal has them anyway.
        watch: Is told of every finished game and match, and of every reply of a language model.
        play: Whether games that are not known are played; otherwise the result ends before the first of them.

    Raises:
        ConfigError: A setting that cannot work.
        AgentError: A participant that cannot be made.
        JournalError: The known games are not those of this config.
        ProviderError: A model's provider refuses for good; what was played is in the journal.
    """
    checked = config if isinstance(config, BenchmarkConfig) else load_config(dict(config or {}))
    if play:
        check_participants(checked, agents, skills=recorder.skills if recorder is not None else ())
    where = Where(executor, workers, ray_address, games_at_once)
    run = _Run(
        checked, agents or {}, journal, known, recorder or Recorder(), where, watch, keep_hands=keep_hands, play=play
    )
    if play and known is not None:
        now = source_hashes(checked)
        changed = [name for name, old in known.header.source_hashes.items() if now.get(name) != old]
        if changed:
            raise JournalError(f"the code of {changed[0]!r} has been changed since the run began: start a new run")
        if known.header.versions.get("luck") not in (None, luck_version()):
            raise JournalError("the run began with other coefficients of luck than this version has: start a new run")
    if journal is not None and known is None:
        journal.write(header_of(checked, run.decks.listed))
    try:
        return run.to_the_end()
    except RulesError as error:
        for number, line in enumerate(known.lines if known else (), start=2):
            why = line.record.unreadable() if isinstance(line, Game) else None
            if why is not None:
                raise JournalError(f"the journal's line {number} is damaged: {why}") from error
        raise


class _Run:
    """A benchmark under way."""

    def __init__(
        self,
        config: BenchmarkConfig,
        agents: Mapping[str, AgentFactory],
        journal: Journal | None,
        known: JournalContent | None,
        recorder: Recorder,
        where: Where,
        watch: Watch | None,
        *,
        keep_hands: bool,
        play: bool,
    ) -> None:
        self.config = config
        self.journal = journal
        self.recorder = recorder
        self.watch = watch
        self.playing = play
        self.recorder.read_only |= not play
        self.rules = rules_of(config.stop)
        self.spending = Spending(config.models())
        self.under_way: tuple[tuple[str, str], int, int] | None = None
        folder = Path(journal.path).parent / "agents" if journal is not None else None
        self.cast = Cast(config, agents, recorder, heard=self.heard, folder=folder)
        self.ladder = Ladder(config, self.cast.policies(), keep_hands=keep_hands)
        self.decks = SeedBlocks(config.seeds, self.ladder.meetings, known.header.seeds if known else None)
        self.table = Playing(config, self.cast, recorder, journal, known, where, self.ladder.estimates.__setitem__)
        self.start = monotonic()
        lines = known.lines if known else ()
        sittings = [line for line in lines if isinstance(line, Sitting)]
        self.earlier_seconds = max(
            [sum(sitting.seconds for sitting in sittings), *(game.seconds for game in games_in(lines))]
        )
        self.recorded_reason = next((sitting.stop_reason for sitting in sittings if sitting.stop_reason), None)

    @property
    def seconds(self) -> float:
        """How long the run has gone on, all sittings together."""
        return self.earlier_seconds + (monotonic() - self.start if self.playing else 0.0)

    def to_the_end(self) -> RunResult:
        """Play, and note in the journal how long this sitting went on."""
        try:
            return self.rounds_to_the_end()
        except KeyboardInterrupt:
            if self.journal is not None:
                self.journal.write(Sitting(self.seconds - self.earlier_seconds))
            if self.cast.desk is not None and self.cast.desk.awaited and self.under_way is not None:
                self.tell(*self.under_way, awaited=self.cast.desk.awaited)
            raise
        finally:
            self.table.close()

    def rounds_to_the_end(self) -> RunResult:
        """Play rounds until a stop rule says that it is enough."""
        while True:
            reason = first_reason(self.rules, self.progress())
            if reason is None:
                pairs = self.next_pairs()
                if pairs and self.play_round(pairs):
                    continue
                reason = self.decks.exhausted if not pairs else self.recorded_reason or self.cut_short()
            seconds = self.seconds
            if self.journal is not None and self.recorded_reason is None:
                self.journal.write(Sitting(seconds - self.earlier_seconds, reason))
            return self.result(reason, seconds)

    def progress(self) -> Progress:
        """Return what the stop rules look at."""
        per_match = 2 * self.config.seeds.per_match
        hands_per_game = self.config.game.hands_per_game + self.config.game.warmup_hands
        # Time does not count while known matches are taken up again: they were played within it.
        caught_up = self.playing and len(self.ladder.matches) >= self.table.known_matches
        usd, tokens = self.spending.up_to(len(self.ladder.matches))
        return self.ladder.progress(
            seconds=self.seconds if caught_up else 0.0,
            next_games=per_match,
            next_hands=per_match * hands_per_game,
            usd=usd,
            tokens=tokens,
        )

    def cut_short(self) -> str:
        """Say why a round was not played to its end."""
        empty = self.cast.desk.purse.empty if self.cast.desk is not None else None
        return f"{empty}, in the middle of a round" if empty else INTERRUPTED

    def next_pairs(self) -> list[Pair]:
        """Choose the pairings of the next round."""
        scheduler = self.config.scheduler
        confidence = self.config.stop.adjacent_confidence
        limits = self.config.stop.budget
        by_margins = self.ladder.by_margins
        room = self.config.matches_per_round()
        if limits is not None:
            so_far = self.progress()
            for limit, spent, more in (
                (limits.max_matches, so_far.matches, 1),
                (limits.max_games, so_far.games, so_far.next_games),
                (limits.max_hands, so_far.hands, so_far.next_hands),
                (limits.max_cost_usd, so_far.usd, so_far.per_match(so_far.usd)),
                (limits.max_tokens, so_far.tokens, so_far.per_match(so_far.tokens)),
            ):
                if limit is not None and more:
                    room = min(room, max(1, int((limit - spent) // more)))
        return choose_round(
            policy_named(scheduler.policy),
            self.ladder.situation(self.costs()),
            matches=room,
            recent=self.ladder.recent(scheduler.rematch_window),
            threshold=1.0 if confidence is None else 1 - self.ladder.error if by_margins else confidence.threshold,
            allowed=lambda pair: self.decks.has_block(pair, self.ladder.meetings[pair]),
        )

    def costs(self) -> dict[Pair, float]:
        """Return what a match of each pair costs in dollars, by those so far; nothing where that is not known."""
        matches = Counter(name for match in self.ladder.matches for name in match.participants)
        spent = {name: self.spending.usd_of(name) for pair in self.ladder.meetings for name in pair}
        known = {name: usd / matches[name] for name, usd in spent.items() if usd is not None and matches[name]}
        if len(known) < len(spent) or not any(known.values()):
            return {}
        least = max(known.values()) / 100  # a match of bots is nearly free, and still takes its time
        return {pair: max(least, known[pair[0]] + known[pair[1]]) for pair in self.ladder.meetings}

    def play_round(self, pairs: Sequence[Pair]) -> bool:
        """Play the matches of a round and rate them in their order; say whether all of them were there."""
        first = len(self.ladder.matches) + 1
        blocks = [self.decks.block(pair, self.ladder.meetings[pair]) for pair in pairs]
        wanted: dict[GameLabel, GameSpec] = {}
        for number, (pair, seeds) in enumerate(zip(pairs, blocks, strict=True), start=first):
            for seed in seeds:
                for seating in _SEATINGS:
                    wanted[GameLabel(number, seed, seating)] = self.game_spec(pair, seed, seating)
        games = self.games(wanted)
        for number, (pair, seeds) in enumerate(zip(pairs, blocks, strict=True), start=first):
            labels = [[GameLabel(number, seed, seating) for seating in _SEATINGS] for seed in seeds]
            if any(label not in games for both in labels for label in both):
                return False
            pairs_of_games = tuple(
                SeedResult(seed, (games[first_label], games[second_label]))
                for seed, (first_label, second_label) in zip(seeds, labels, strict=True)
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

    def games(self, wanted: Mapping[GameLabel, GameSpec]) -> dict[GameLabel, GameRecord]:
        """Return the records of these games: known ones, and the others played now."""
        found = self.table.known(wanted)
        self.under_way = next(iter(wanted.values())).players, len(found), len(wanted)

        def told(label: GameLabel, record: GameRecord) -> None:
            found[label] = record
            self.under_way = record.players, len(found), len(wanted)
            self.tell(*self.under_way)

        missing = {label: spec for label, spec in wanted.items() if label not in found}
        if missing and self.playing:
            self.table.play(missing, told, lambda: self.seconds)
        return found

    def heard(self, exchange: Exchange) -> None:
        """Add up what a language model took."""
        self.spending.add(exchange)
        if self.under_way is not None:
            self.tell(*self.under_way)

    def tell(
        self,
        participants: tuple[str, str],
        games: int,
        of_games: int,
        *,
        finished: PlayedMatch | None = None,
        awaited: int = 0,
    ) -> None:
        """Tell whoever watches."""
        if self.watch is not None:
            seconds, ladder = monotonic() - self.start, self.ladder
            number = finished.number if finished else len(ladder.matches) + 1
            self.watch(
                Live(
                    number,
                    ladder.rounds + 1,
                    participants,
                    games,
                    of_games,
                    ladder.hands,
                    seconds,
                    finished,
                    ladder,
                    self.spending if self.cast.models else None,
                    awaited,
                )
            )

    def result(self, reason: str, seconds: float) -> RunResult:
        """Return the result of the run as it stands."""
        problems = [
            self.journal.problem if self.journal is not None else None,
            self.recorder.problem,
            self.ladder.misfit(),
            *self.ladder.helpless(),
        ]
        return RunResult(
            config=self.config.plain(),
            matches=tuple(self.ladder.matches),
            leaderboard=tuple(self.ladder.ratings.leaderboard()),
            convergence=tuple(self.ladder.convergence),
            stop_reason=reason,
            seeds=self.decks.used(self.ladder.meetings),
            seconds=seconds,
            warnings=tuple(problem for problem in problems if problem),
            usage=self.spending.usage(),
        )
