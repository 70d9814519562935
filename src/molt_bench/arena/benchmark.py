"""The benchmark: decide a round, play it, learn from it, until it is enough.

Everything that is decided here depends on the config and on finished matches alone. So a run that was cut off is taken
up by playing it again from the start with the games of its journal, and only those that are missing are played. What
the journal says about how the run went is checked on the way: that every game is there, and that it stopped when its
rules say so.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from msgspec import UNSET, structs

from molt_bench.agents.factories import AgentFactory
from molt_bench.agents.llm.exchange import Exchange, Exchanges
from molt_bench.agents.tracebacks import OnTraceback
from molt_bench.arena.cast import Cast, check_participants
from molt_bench.arena.games import Executor, Playing, Where
from molt_bench.arena.status import Live, Watch
from molt_bench.bench.decks import SeedBlocks
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.shortfall import opening_shortfall
from molt_bench.bench.spending import Spending
from molt_bench.bench.stages import IN_A_ROUND, INTERRUPTED, Course, Stage
from molt_bench.bench.stop_rules import Progress, first_reason, rules_of
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.errors import JournalError, RulesError
from molt_bench.play.drivers import GameOptions
from molt_bench.records import GameRecord, MatchResult, PlayedMatch, RunResult, SeedResult
from molt_bench.runs.header import header_of, luck_version, source_hashes
from molt_bench.runs.journal import Game, Journal, JournalContent, Resumption, Sitting, games_in, missing_games
from molt_bench.runs.lines import Warn
from molt_bench.runs.master_seed import (
    MasterSeed,
    forget,
    guessable,
    guessable_file,
    keep,
    known_seed,
    only_built_in,
    revealed,
    settled,
    with_master_seed,
)
from molt_bench.runs.stage_lines import extension_of, stages_of
from molt_bench.schedule import Pair, choose_round, policy_named
from molt_bench.seeds import Seed, derived_seed
from molt_bench.specs import GameLabel, GameSpec, Seating

_TOLD_BEFORE = "the run was extended after its master seed had been told: an agent that read it knows the cards since"
_SEATINGS: tuple[Seating, ...] = ("AB", "BA")


def run_benchmark(
    config: BenchmarkConfig | Mapping[str, Any] | None = None,
    *,
    agents: Mapping[str, AgentFactory] | None = None,
    journal: Journal | None = None,
    known: JournalContent | None = None,
    recorder: Exchanges | None = None,
    executor: Executor = "auto",
    workers: int | None = None,
    ray_address: str | None = None,
    games_at_once: int | None = None,
    keep_hands: bool = True,
    watch: Watch | None = None,
    warn: Warn | None = None,
    play: bool = True,
    secret: str | None = None,
    extend: StopConfig | None = None,
    preflight: bool = True,
    raised: OnTraceback | None = None,
) -> RunResult:
    """Run a benchmark and return its result.

    Args:
        config: What to run; plain values are checked, and what is left out has its default.
        agents: Agents of one's own: a participant whose `type` is a key here is made by the factory.
        journal: Gets every finished game; None keeps them in memory only.
        known: What a journal already holds: its games are taken from there.
        recorder: Holds the exchanges with language models; None keeps them in memory only.
        executor: Where the games run, as `molt_bench.arena.games.Where` has it; it never changes a result.
        workers: How many worker processes; None for one on every core.
        ray_address: Of a running Ray cluster; None starts one on this machine, if games are to run on one.
        games_at_once: Games under way on an event loop; None for all of language models.
        keep_hands: Whether the result keeps every single hand; a journal has them anyway.
        watch: Is told of every finished game and match, and of every reply of a language model.
        warn: Is told, before the first game, what the run will fall short of.
        play: Whether games that are not known are played; otherwise the result ends before the first of them.
        secret: A master seed for a new run that is not told before the run ends.
        extend: For a known run: another rule of when to stop, by which it goes on from where it is.
        preflight: Whether programs, servers and language models are asked once before the first card.
        raised: Is told of participants and the tracebacks of what their agents raised, once for each place.

    Raises:
        ConfigError: A setting that cannot work, or a server that is not there.
        AgentError: A participant that cannot be made, or a program that does not start.
        JournalError: The known games are not those of this config, or the run did not stop where it says.
        ProviderError: A model's provider refuses for good; what was played is in the journal.
    """
    checked = config if isinstance(config, BenchmarkConfig) else load_config(dict(config or {}))
    if known is None:
        checked, seed = settled(checked, agents or {}, secret=secret)
    else:
        seed = known_seed(checked, known)
    if play:
        check_participants(checked, agents, skills=recorder.skills if recorder is not None else ())
    where = Where(executor, workers, ray_address, games_at_once)
    run = _Run(
        checked,
        seed,
        agents or {},
        journal,
        known,
        recorder or Exchanges(),
        where,
        watch,
        keep_hands=keep_hands,
        play=play,
        extend=extend,
        raised=raised,
    )
    if play and known is not None:
        now = source_hashes(checked)
        changed = [name for name, old in known.header.source_hashes.items() if now.get(name) != old]
        if changed:
            raise JournalError(f"the code of {changed[0]!r} has been changed since the run began: start a new run")
        if known.header.versions.get("luck") not in (None, luck_version()):
            raise JournalError("the run began with other coefficients of luck than this version has: start a new run")
    if play and preflight:
        run.preflight()
    if journal is not None and known is None:
        problem = keep(seed.value, Path(journal.path).parent) if seed.sealed else None
        run.problems.append(problem)
        journal.write(header_of(checked, seed, run.decks.listed))
    if known is not None and play:
        run.resume()
    if warn is not None and play:
        for found in filter(None, run.problems):
            warn(found)
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
        seed: MasterSeed,
        agents: Mapping[str, AgentFactory],
        journal: Journal | None,
        known: JournalContent | None,
        recorder: Exchanges,
        where: Where,
        watch: Watch | None,
        *,
        keep_hands: bool,
        play: bool,
        extend: StopConfig | None,
        raised: OnTraceback | None,
    ) -> None:
        self.config = config
        self.seed = seed
        self.sealed = seed.sealed
        self.told_before = known is not None and revealed(known.lines) is not None
        self.trusted = only_built_in(config, agents)
        self.remembering = {each.id for each in config.participants if each.may_remember}
        lines = known.lines if known else ()
        self.course = Course(
            stages_of(config, lines),
            extend=extend,
            last_match=max((game.match for game in games_in(lines)), default=0),
            missing=missing_games([known.header, *lines]) if known else "",
        )
        affordable = config.model_copy(update={"stop": self.course.last_stop})
        self.problems: list[str | None] = [
            guessable(config, agents, secret=seed.value if seed.sealed else None),
            opening_shortfall(affordable),
        ]
        self.journal = journal
        self.known = known
        self.recorder = recorder
        self.watch = watch
        self.playing = play
        self.recorder.read_only |= not play
        self.spending = Spending(config.models())
        self.under_way: tuple[tuple[str, str], int, int] | None = None
        folder = Path(journal.path).parent / "agents" if journal is not None else None
        self.cast = Cast(affordable, agents, recorder, on_exchange=self.on_exchange, folder=folder, on_traceback=raised)
        policies = self.cast.policies(known.header.source_hashes if known else None)
        self.problems += self.cast.problems
        self.ladder = Ladder(config, policies, keep_hands=keep_hands)
        self.decks = SeedBlocks(config.seeds, self.ladder.meetings, known.header.seeds if known else None)
        if not self.trusted:
            self.problems.append(guessable_file(config.seeds.file, self.decks.listed))
        self.table = Playing(config, self.cast, recorder, journal, known, where, self.ladder.estimates.__setitem__)
        self.start = monotonic()
        sittings = [line for line in lines if isinstance(line, Sitting)]
        self.earlier_seconds = max(
            [sum(sitting.seconds for sitting in sittings), *(game.seconds for game in games_in(lines))]
        )
        self.resumptions = sum(isinstance(line, Resumption) for line in lines)
        self.begun: list[Pair] = []
        self.enter(self.course.now)

    def enter(self, stage: Stage) -> None:
        """Go on by the stop rules of a stage."""
        self.config = self.config.model_copy(update={"stop": stage.stop})
        self.rules = rules_of(stage.stop)
        self.ladder.judge_by(stage.stop)
        self.begun = list(stage.under_way)

    @property
    def seconds(self) -> float:
        """How long the run has gone on, all sittings together."""
        return self.earlier_seconds + (monotonic() - self.start if self.playing else 0.0)

    def preflight(self) -> None:
        """Ask everybody once; the clock of the run starts after that."""
        self.table.preflight()
        self.start = monotonic()

    def resume(self) -> None:
        """Note that the run goes on, where somebody may remember the games that had begun."""
        if self.remembering:
            self.resumptions += 1
            if self.journal is not None:
                self.journal.write(Resumption())

    def to_the_end(self) -> RunResult:
        """Play, and note in the journal how long this sitting went on."""
        try:
            return self.rounds_to_the_end()
        except KeyboardInterrupt:
            if self.journal is not None:
                self.journal.write(Sitting(self.seconds - self.earlier_seconds))
            if self.cast.gateway is not None and self.cast.gateway.awaited and self.under_way is not None:
                self.tell(*self.under_way, awaited=self.cast.gateway.awaited)
            raise
        finally:
            self.table.close()

    def rounds_to_the_end(self) -> RunResult:
        """Play rounds until a stop rule says that it is enough."""
        while True:
            reason = None if self.begun else first_reason(self.rules, self.progress())
            pairs = self.begun or (self.next_pairs() if reason is None else [])
            if self.goes_on_by_other_rules(reason, pairs):
                continue
            begun = len(self.ladder.matches) + len(pairs)
            if pairs and self.play_round(pairs):
                self.begun = []
                continue
            if reason is None:
                reason = self.decks.exhausted if not pairs else self.cut_short()
            self.course.check_end(reason, len(self.ladder.matches), begun)
            return self.ended(reason)

    def goes_on_by_other_rules(self, reason: str | None, pairs: Sequence[Pair]) -> bool:
        """Enter the next stage if it begins here: one that the journal tells of, or one that begins now."""
        matches = len(self.ladder.matches)
        stage = self.course.told_next(matches, reason, pairs, self.seconds)
        if stage is None and self.course.may_extend:
            wanted = self.wanted(pairs)
            there = self.table.known(wanted)
            if reason is not None or not pairs or len(there) < len(wanted):
                told = self.course.extend(matches, pairs if there else ())
                if self.journal is not None:
                    self.journal.write(extension_of(told))
                stage = self.course.now
        if stage is not None:
            self.enter(stage)
        return stage is not None

    def ended(self, reason: str) -> RunResult:
        """Note why the run ended, and the master seed with it, which nobody needs to guess from now on."""
        seconds = self.seconds
        if self.playing:
            told = self.seed.value if self.sealed else UNSET
            if self.journal is not None:
                self.journal.write(Sitting(seconds - self.earlier_seconds, reason, told))
                if self.sealed and self.journal.sync():
                    forget(Path(self.journal.path).parent)
            # If the journal could not take it, the run can be resumed: then the seed stays what it was, a secret.
            self.sealed &= self.journal is not None and self.journal.problem is not None
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
        told = self.course.now.reason
        if told is not None and self.course.now.allows(told, self.seconds):
            return told
        spent = self.cast.gateway.budget.spent if self.cast.gateway is not None else None
        return f"{spent}, {IN_A_ROUND}" if spent else INTERRUPTED

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
        played = len(self.ladder.matches)
        spent = {name: self.spending.usd_of(name, played) for pair in self.ladder.meetings for name in pair}
        known = {name: usd / matches[name] for name, usd in spent.items() if usd is not None and matches[name]}
        if len(known) < len(spent) or not any(known.values()):
            return {}
        least = max(known.values()) / 100  # a match of bots is nearly free, and still takes its time
        return {pair: max(least, known[pair[0]] + known[pair[1]]) for pair in self.ladder.meetings}

    def wanted(self, pairs: Sequence[Pair]) -> dict[GameLabel, GameSpec]:
        """Return the games of a round, match by match and seed by seed, the two seatings of a seed together."""
        first = len(self.ladder.matches) + 1
        return {
            GameLabel(number, seed, seating): self.game_spec(pair, GameLabel(number, seed, seating))
            for number, pair in enumerate(pairs, start=first)
            for seed in self.decks.block(pair, self.ladder.meetings[pair])
            for seating in _SEATINGS
        }

    def play_round(self, pairs: Sequence[Pair]) -> bool:
        """Play the matches of a round and rate them in their order; say whether all of them were there."""
        wanted = self.wanted(pairs)
        games = self.games(wanted)
        for number, pair in enumerate(pairs, start=len(self.ladder.matches) + 1):
            labels = [label for label in wanted if label.match == number]
            if any(label not in games for label in labels):
                return False
            seed_results = tuple(
                SeedResult(first.seed, (games[first], games[second]))
                for first, second in zip(labels[::2], labels[1::2], strict=True)
            )
            match = self.ladder.rate(pair, MatchResult(seed_results, self.config.match.draw_threshold))
            self.tell(match.participants, len(games), len(wanted), finished=match)
        self.ladder.end_round()
        return True

    def game_spec(self, pair: Pair, label: GameLabel) -> GameSpec:
        """Return one game of a match, with what keeps its cards secret."""
        game = self.config.game
        options: GameOptions = {**game.options(), "seating": label.seating}
        spec = GameSpec(seed=label.seed, hands=game.hands_per_game, players=pair, **options)
        if self.trusted:
            return spec
        own = self.own_deck(pair, label) if not self.remembering.isdisjoint(pair) else UNSET
        noise = derived_seed(self.seed.value, "noise", label.seed if own is UNSET else own)
        return structs.replace(spec, deck_seed=own, noise_seed=noise)

    def own_deck(self, pair: Pair, label: GameLabel) -> str:
        """Return what names the decks of a game with somebody who may remember it, should it have begun before."""
        decks = [self.decks.own_deck(pair, label.seed, label.seating, count) for count in range(self.resumptions + 1)]
        known = self.table.known_spec(label)
        return next((deck for deck in decks if known is not None and deck == known.deck_seed), decks[-1])

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

    def on_exchange(self, exchange: Exchange) -> None:
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
        """Return the result of the run as it stands; nothing of a sealed seed is in it."""
        problems = [
            *self.problems,
            _TOLD_BEFORE if self.told_before and len(self.course.stages) > 1 else None,
            self.journal.problem if self.journal is not None else None,
            self.recorder.problem,
            self.ladder.misfit(),
            *self.ladder.helpless(),
            *self.table.problems,
        ]
        end = self.journal or self.known
        return RunResult(
            config=(with_master_seed(self.config, None) if self.sealed else self.config).plain(),
            matches=tuple(self.ladder.matches),
            leaderboard=tuple(self.ladder.ratings.leaderboard()),
            convergence=tuple(self.ladder.convergence),
            stop_reason=reason,
            seeds=self.seeds_to_tell(),
            seconds=seconds,
            warnings=tuple(problem for problem in problems if problem),
            usage=self.spending.usage(),
            history=self.course.history(),
            journal_lines=0 if end is None else end.line_count,
            journal_hash="" if end is None else end.last_hash,
        )

    def seeds_to_tell(self) -> tuple[Seed, ...]:
        """Return the seeds of the pool as far as it was used; of a sealed one only those that were played."""
        if not self.sealed:
            return self.decks.used(self.ladder.meetings)
        return tuple(dict.fromkeys(pair.seed for match in self.ladder.matches for pair in match.result.seed_results))
