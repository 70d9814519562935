"""The benchmark: plays the rounds of a run, and records every game before the next decision."""

from collections.abc import Mapping
from contextlib import nullcontext
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Final, Unpack

from msgspec import UNSET, UnsetType

from molt_bench._version import __version__
from molt_bench.agents.factories import AgentFactory
from molt_bench.agents.llm.providers.redirection import redirection_warnings
from molt_bench.agents.llm.settings import FIRST_HARNESS
from molt_bench.agents.llm.types import Exchange
from molt_bench.arena.cast import Cast, LivePlayers, check_participants
from molt_bench.arena.games import GameRunner, Where, WhereOptions
from molt_bench.arena.incidents import Incidents
from molt_bench.arena.notebook import notebook_observer
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.bench.draws import Draws
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.result import PlayedMatch, RunResult
from molt_bench.bench.rounds import Past, Played, Round, drive_run, rounds
from molt_bench.bench.seed_blocks import Dealer, SeedBlocks
from molt_bench.bench.spending import Spending
from molt_bench.bench.stop_rules import out_of_time
from molt_bench.blame import internal_error
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, JournalError, MoltBenchError, RunHalted, on_one_line
from molt_bench.luck.estimators import Estimates
from molt_bench.records import GameRecord
from molt_bench.runs.conclusion import (
    concluded,
    listed_seeds,
    naming_damage,
    recorded_seeds,
    session_warnings,
    told_before,
    warnings_ahead,
)
from molt_bench.runs.header import (
    harnesses_of,
    header_of,
    luck_version,
    published_policies,
    recorded_harnesses,
    source_hashes,
    stated_in,
)
from molt_bench.runs.journal import Game, Line, Rated, Resumption, Sitting
from molt_bench.runs.master_seed import MasterSeed, forget, keep, only_built_in, settled
from molt_bench.runs.resumed_games import extension_of, games_go_on, past_of, resumptions_in
from molt_bench.runs.run_files import RunFiles
from molt_bench.runs.stored_run import StoredRun
from molt_bench.specs import GameLabel, GameSpec

#: Seconds after the end of a run's time for which replies of models are awaited, since they are paid for.
_LATE_S: Final = 5.0


def run_benchmark(
    config: BenchmarkConfig | Mapping[str, Any] | None = None,
    *,
    agents: Mapping[str, AgentFactory] | None = None,
    files: RunFiles | None = None,
    keep_hands: bool = True,
    preflight: bool = True,
    observer: Observer | None = None,
    live: LivePlayers | None = None,
    **where: Unpack[WhereOptions],
) -> RunResult:
    """Run a benchmark and return its result.

    Args:
        config: What to run; plain values are validated, and missing ones get their defaults. A continued run has its
            own config.
        agents: Custom agents: a participant whose `type` is a key here is created by that factory.
        files: The files that the run writes, and the run that it continues; None keeps it in memory only.
        keep_hands: Whether the result keeps every individual hand; a journal has them anyway.
        preflight: Whether programs, servers and language models are contacted once before the first card.
        observer: Called as the run progresses; None shows progress in a notebook, and nothing elsewhere.
        live: Seats the participants of `type: live`; see `molt-bench serve`.
        where: Where games run, as in `molt_bench.arena.games.Where`; this never affects a result.

    Raises:
        ConfigError: A setting cannot work, or a server is unreachable.
        AgentError: A participant cannot be created, or a program does not start.
        JournalError: The known games do not belong to this config, or the run did not stop where the journal says.
        RunHalted: A model cannot be asked, or what it or another agent answered cannot be recorded; what was played is
            in the journal.
    """
    files, agents = files or RunFiles(), agents or {}
    stored = files.stored
    if stored is None:
        checked = config if isinstance(config, BenchmarkConfig) else load_config(dict(config or {}))
        settled_config, seed = settled(checked, agents, secret=files.secret)
        here = settled_config
    else:
        settled_config, seed, here = stored.config, stored.seed, stored.here
    with stored.at_home(files.permission) if stored is not None else nullcontext():
        check_participants(here, agents, skills=files.exchanges.skills, permission=files.permission)
        _check_live(here, live)
        if stored is not None:
            _check_code(here, stored)
        observer = observer or notebook_observer(settled_config) or Observer()
        session = _Session(settled_config, here, seed, agents, files, Where(**where), observer=observer, live=live)
        return session.run(keep_hands=keep_hands, preflight=preflight)


def _check_live(config: BenchmarkConfig, live: LivePlayers | None) -> None:
    """Check that there is a server for participants that connect to us by themselves."""
    coming = next((each.id for each in config.participants if each.kind.comes), None)
    if coming is not None and live is None:
        expected = "a run started with `molt-bench serve`, since live agents connect by themselves"
        raise ConfigError(f"participants.{coming}.type", "live", expected)


def _check_code(config: BenchmarkConfig, stored: StoredRun) -> None:
    """Check that a run is continued with the code it was started with."""
    now = source_hashes(config)
    changed = [name for name, old in stored.header.source_hashes.items() if now.get(name) != old]
    if changed:
        raise JournalError(f"the code of {changed[0]!r} has been changed since the run began: start a new run")
    began = stored.header.version
    instead = "start a new run" if began == __version__ else f"start a new run, or go on with molt-bench {began}"
    recorded = recorded_harnesses(stored.header)
    for name, label in harnesses_of(config).items():
        before = recorded.get(name, FIRST_HARNESS)
        if before != label:
            raise JournalError(f"{name!r} began by harness {before}, and would go on by {label}: {instead}")
    if stored.header.versions.get("luck") not in (None, luck_version()):
        raise JournalError(f"the run began with other coefficients of luck than this version has: {instead}")


class _Session:
    """One session of a run: from its start, or from where it left off, to its end or an interruption."""

    def __init__(
        self,
        config: BenchmarkConfig,
        here: BenchmarkConfig,
        seed: MasterSeed,
        agents: Mapping[str, AgentFactory],
        files: RunFiles,
        where: Where,
        *,
        observer: Observer,
        live: LivePlayers | None,
    ) -> None:
        self._config = config
        self._seed = seed
        self._files = files
        self._observer = observer
        self._live = live
        self._known = files.stored.content if files.stored is not None else None
        self._past = past_of(config, self._known) if self._known is not None else Past()
        self._own = frozenset(agents)
        stop = files.extend or (self._past.stages[-1].stop if self._past.stages else config.stop)
        self._listed = listed_seeds(here.seeds) if self._known is None else recorded_seeds(self._known.header)
        self._policies = published_policies(here, agents, files.permission)
        self._warnings = [
            *warnings_ahead(config, seed, self._listed, stop=stop, own=self._own),
            *redirection_warnings(config.models()),
        ]
        self._spending, self._draws = Spending(config.models()), Draws(config.models())
        self._wanted = Round()
        self._incidents = Incidents(observer.on_warning)
        self._folder = Path(files.journal.path).parent if files.journal is not None else None
        self._cast = Cast(
            here.model_copy(update={"stop": stop}),
            agents,
            files.exchanges,
            files.answers,
            on_exchange=self._on_exchange,
            on_warning=observer.on_warning,
            on_notice=observer.on_notice,
            on_remains=self._incidents.take_remains,
            folder=self._folder / "agents" if self._folder is not None else None,
            on_traceback=observer.on_traceback,
            live=live,
            permission=files.permission,
        )
        self._runner = GameRunner(self._cast, where, self._policies)
        self._played: dict[GameLabel, GameRecord] = {}
        self._over = False
        self._players = config.participants[0].id, config.participants[1].id
        self._start = monotonic()
        self._playing = False
        self._most_s = stop.budget.max_seconds if stop.budget is not None else None

    @property
    def _until(self) -> float:
        """When the time of the run is up, by the monotonic clock."""
        return inf if self._most_s is None else self._start + self._most_s - self._past.seconds

    @property
    def _seconds(self) -> float:
        """How long the run has taken, over all sessions."""
        return self._past.seconds + monotonic() - self._start

    def run(self, *, keep_hands: bool, preflight: bool) -> RunResult:
        """Run to the end."""
        config, known = self._config, self._known
        stated = stated_in(known.header, self._own) if known is not None else ()
        self._ladder = ladder = Ladder(config, self._policies, draws=self._draws, keep_hands=keep_hands, stated=stated)
        blocks = SeedBlocks(config.seeds, ladder.meetings, self._listed)
        self._call_everybody(preflight=preflight)
        self._start = monotonic()  # the run's clock starts after that
        try:
            resumptions = self._begin() + (resumptions_in(known.lines) if known is not None else 0)
        except RunHalted:
            self._runner.close(patience_s=0.0)
            raise
        if self._observer.on_warning is not None:
            for warning in self._warnings:
                self._observer.on_warning(warning)
        deal = Dealer(config, blocks, trusted=only_built_in(config, self._own), resumptions=resumptions)
        run = rounds(
            config,
            ladder,
            deal,
            past=self._past,
            spending=self._spending,
            extend=self._files.extend,
            on_match=self._on_match,
        )
        try:
            with naming_damage(known):
                return self._ended(drive_run(run, self._play))
        except KeyboardInterrupt:
            if self._files.journal is not None:
                self._files.journal.catch_up()
            self._rest()
            raise
        except JournalError:  # not ours to add to
            raise
        except Exception as error:
            self._rest(on_one_line(str(error if isinstance(error, MoltBenchError) else internal_error(error))))
            raise
        finally:
            self._runner.close(patience_s=_LATE_S if monotonic() >= self._until else None)

    def _rest(self, halted: str | UnsetType = UNSET) -> None:
        """Record that this session has ended before the run did, and why."""
        if not self._over:
            left = self._incidents.left() or UNSET
            self._write(Sitting(self._seconds - self._past.seconds, halted=halted, warnings=left))
        self._report_awaited()

    def _call_everybody(self, *, preflight: bool) -> None:
        """Contact every participant outside this process once, and only then wait for those that come by themselves."""
        if preflight:
            self._runner.preflight()
        if self._live is not None:
            try:
                self._live.gather()
            except BaseException:
                self._runner.close(patience_s=0.0)
                raise

    def _begin(self) -> int:
        """Write the header of a new run, or a resumption if games must not go on; return how many resumptions."""
        answers = self._files.answers
        if self._known is None:
            answers.begin(0)
            if self._folder is not None and self._files.journal is not None:
                problem = keep(self._seed.value, self._folder) if self._seed.sealed else None
                self._warnings += [problem] if problem is not None else []
                self._write(header_of(self._config, self._seed, self._listed, self._policies))
            return 0
        fresh = not games_go_on(self._config, self._own, recorded=answers.begun)
        if fresh:
            self._write(Resumption())
        # Only now: without this line, a session that ends here is followed by another resumption.
        answers.begin(self._known.line_count + fresh)
        return int(fresh)

    def _write(self, line: Line) -> None:
        if self._files.journal is not None:
            self._files.journal.write(line)

    def _play(self, wanted: Round) -> Played:
        """Play the missing games of a round."""
        if wanted.begins is not None:
            self._write(extension_of(wanted.begins))
            return Played(seconds=self._seconds)
        self._wanted, self._played = wanted, dict(wanted.known)
        self._players = wanted.pairs[0]
        estimates: dict[GameSpec, Estimates] = {}

        def on_game(label: GameLabel, record: GameRecord, estimated: Estimates | None) -> None:
            self._write(Game(label.match, record.players, record, self._seconds))
            self._files.exchanges.forget(label)
            self._files.answers.forget(label)
            self._played[label] = record
            self._incidents.take_game(record)
            estimated = estimated or self._ladder.estimated(record)
            if estimated is not None:
                estimates[record.spec] = estimated
            self._report(players=record.players)

        if wanted.missing:
            if not self._playing:  # stepping through what is known takes nothing from the time to play
                self._playing, self._start = True, monotonic()
            self._runner.play(wanted.missing, on_game, until=self._until)
        late = out_of_time(self._most_s) if self._most_s is not None and monotonic() >= self._until else None
        return Played(self._played, estimates, self._seconds, self._cast.spent or late)

    def _ended(self, result: RunResult) -> RunResult:
        """Record why the run ended, and reveal the master seed, since no cards are left to guess."""
        seconds, journal, seed = self._seconds, self._files.journal, self._seed
        self._over = True
        told = seed.value if seed.sealed else UNSET
        vouched = self._files.vouched(result) or UNSET
        left = self._incidents.left()
        self._write(Sitting(seconds - self._past.seconds, result.stop_reason, told, vouched, warnings=left or UNSET))
        if seed.sealed and journal is not None and self._folder is not None and journal.sync():
            forget(self._folder)
        # If that could not be written, the run can be resumed, so the seed stays secret.
        lost = journal is not None and journal.problem is not None
        known = self._known
        warnings = [
            *self._warnings,
            *(told_before(known, extended=bool(result.history)) if known is not None else ()),
            *(session_warnings(known.lines) if known is not None else ()),
            *left,
            journal.problem if journal is not None else None,
            self._files.exchanges.problem,
            *result.warnings,
            *self._runner.problems,
        ]
        sealed = MasterSeed(seed.value, sealed=seed.sealed and lost)
        harnesses = harnesses_of(self._config) if known is None else recorded_harnesses(known.header)
        return concluded(
            result,
            sealed,
            seconds,
            warnings=warnings,
            journal=journal or known,
            harnesses=harnesses,
            unaccounted=self._files.exchanges.ledger.unaccounted + self._spending.lost,
        )

    def _on_exchange(self, exchange: Exchange) -> None:
        self._spending.add(exchange)
        self._draws.add(exchange)
        if self._wanted.size:
            self._report()

    def _report_awaited(self) -> None:
        """Report which replies are still awaited, since they are paid for."""
        if self._wanted.size and self._cast.awaited:
            self._report(awaited=self._cast.awaited)

    def _on_match(self, match: PlayedMatch) -> None:
        account = self._ladder.account(match.number)
        if account is not None:
            self._write(Rated(match.number, account))
        self._report(players=match.participants, finished=match)

    def _report(
        self,
        *,
        players: tuple[str, str] | None = None,
        finished: PlayedMatch | None = None,
        awaited: Mapping[str, int] | None = None,
    ) -> None:
        """Report the progress of the run to the observer."""
        self._players = players or self._players
        if self._observer.on_status is None:
            return
        ladder = self._ladder
        self._observer.on_status(
            RunStatus(
                match=finished.number if finished else len(ladder.matches) + 1,
                round=ladder.rounds + 1,
                participants=self._players,
                games=len(self._played),
                games_in_round=self._wanted.size,
                hands=ladder.hands,
                seconds=monotonic() - self._start,
                finished=finished,
                ladder=ladder,
                spending=self._spending if self._cast.models else None,
                awaited=awaited or {},
                patience_s=self._cast.patience_s,
            )
        )
