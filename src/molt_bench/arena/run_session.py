"""One session of a run: plays its rounds, and records every game before the next decision."""

from collections.abc import Collection, Generator, Mapping, Sequence
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final

from msgspec import UNSET, UnsetType

from molt_bench.agents.kinds import kind_of
from molt_bench.agents.python_import import AgentFactory
from molt_bench.arena.cast import Cast
from molt_bench.arena.executors import GameRunner, WhereOptions
from molt_bench.arena.run_observers import RunObservers
from molt_bench.arena.status import Observer, StatusReports
from molt_bench.bench.dealer import Dealer
from molt_bench.bench.endings import Spent
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.past import Past
from molt_bench.bench.result import RunResult
from molt_bench.bench.rounds import Played, Round, drive_run, end_run, rounds
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.spending import Spending
from molt_bench.blame import internal_error
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError, MoltBenchError, RunHalted
from molt_bench.llm.settings import redirection_warnings
from molt_bench.llm.types import Exchange
from molt_bench.luck.estimators import Estimates, game_estimates
from molt_bench.plugin import Sitting
from molt_bench.records import GameRecord, MatchResult
from molt_bench.runs.conclusion import concluded, naming_damage, recorded_seeds, warnings_ahead
from molt_bench.runs.folder import REPLIES
from molt_bench.runs.header import header_of, luck_of_a_run, played_as, recorded_luck, without_boxes
from molt_bench.runs.journal_lines import Game, Header, Line, Rated, Resumption, SessionEnd
from molt_bench.runs.journal_past import past_of
from molt_bench.runs.master_seed import forget, keep
from molt_bench.runs.replies import replies_hash
from molt_bench.runs.run_files import RunFiles
from molt_bench.seeds import load_seeds
from molt_bench.specs import GameLabel, GameSpec
from molt_bench.visible_text import on_one_line

#: Seconds after the end of a run's time for which replies of models are awaited, since they are paid for.
_LATE_S: Final = 5.0


class Session:
    """One session of a run: from its start, or from where it left off, to its end or an interruption.

    The config has its master seed, which is `sealed` if it is secret until the run ends.
    """

    _header: Header
    _over = False

    def __init__(
        self,
        config: BenchmarkConfig,
        agents: Mapping[str, AgentFactory],
        files: RunFiles,
        where: WhereOptions,
        *,
        sealed: bool,
        observer: Observer,
        live: Sitting | None,
    ) -> None:
        self._config, self._sealed, self._files, self._observer = config, sealed, files, observer
        self._observers = RunObservers(observer.on_warning)
        self._own, stored = frozenset(agents), files.stored
        self._past, self._luck = Past(), {}
        problems: list[str] = []
        lines: Sequence[Line] = ()
        if stored is not None:
            fresh = not games_go_on(config, self._own, recorded=files.replies.begun)
            self._resumption = Resumption(dict(files.settings), fresh)
            lines = [*stored.lines, self._resumption]
            self._past, self._luck = past_of(stored.header, lines), recorded_luck(stored.header)
            self._listed = recorded_seeds(stored.header)
        else:
            self._listed = None if config.seeds.file is None else load_seeds(config.seeds.file)
            if config.gate is None:  # a term learned of one version would differ from that of the other
                self._luck, problems = luck_of_a_run()
        self._warnings = [
            *warnings_ahead(config, self._listed, lines, sealed=sealed, own=self._own),
            *without_boxes(config),
            *redirection_warnings(config.paid()),
            *problems,
        ]
        self._spending = Spending(config.paid())
        self._status: StatusReports | None = None
        self._folder = Path(files.journal.path).parent if files.journal is not None else None
        self._cast = Cast(config, agents, files, observer=observer, on_exchange=self._on_exchange, live=live)
        self._cast.open()
        self._runner = GameRunner(self._cast, **where)
        self._so_far: Played | None = None
        self._start = monotonic()
        self._ahead_s = 0.0 if files.began is None else self._start - files.began
        self._playing = False
        self._most_s = config.stop.budget.max_seconds if config.stop.budget is not None else None

    @property
    def _until(self) -> float:
        """When the time of the run is up, by the monotonic clock."""
        return inf if self._most_s is None else self._start + self._most_s - self._past.seconds

    @property
    def _seconds(self) -> float:
        """How long the run has taken, over all sessions."""
        return self._past.seconds + monotonic() - self._start

    @property
    def _session_s(self) -> float:
        """How long this session has taken, with what came before its first card, but without waiting for agents."""
        return self._ahead_s + monotonic() - self._start

    def run(self, *, keep_hands: bool, preflight: bool) -> RunResult:
        """Run to the end."""
        self._ladder = Ladder(self._config, keep_hands=keep_hands, luck=self._luck)
        self._status = StatusReports(self._observer, self._ladder, self._cast.gateway, self._spending)
        try:
            if preflight:  # all outside this process are contacted, and only then live agents
                self._runner.preflight()
            self._cast.gather()
            self._start = self._status.restart_clock()  # the run's clock starts after that
            self._begin()
        except BaseException:
            self._runner.close(patience_s=0.0)
            raise
        if self._observer.on_warning is not None:
            for warning in [*self._warnings, *self._observers.problems]:
                self._observer.on_warning(warning)
        self._observers.tell("started", self._header.config, self._folder)
        deal = Dealer(self._config, SeedBlocks(self._config, self._listed), resumptions=self._past.fresh_decks)
        run = rounds(
            self._config, self._ladder, deal, past=self._past, spending=self._spending, on_match=self._on_match
        )
        stored = self._files.stored
        try:
            with naming_damage(stored.content if stored is not None else None):
                result = drive_run(run, self._play)
            return self._ended(result)
        except KeyboardInterrupt:
            if self._files.journal is not None:
                self._files.journal.catch_up()
            self._rest(run)
            raise
        except JournalError:  # not ours to add to
            raise
        except Exception as error:
            said = str(error if isinstance(error, MoltBenchError) else internal_error(error))
            self._rest(run if isinstance(error, RunHalted) else None, on_one_line(said))
            raise
        finally:
            self._runner.close(patience_s=_LATE_S if monotonic() >= self._until else None)

    def _begin(self) -> None:
        """Write the header of a new run, or that a run goes on otherwise than before."""
        files = self._files
        if files.stored is not None:
            self._header = files.stored.header
            if self._resumption != Resumption():
                self._write(self._resumption)
            # Only now: without that line, a session that ends here is followed by another resumption.
            files.replies.begin()
            return
        files.replies.begin()
        agents = played_as(self._config, files.permission, self._own, files.replies.skills)
        self._header = header_of(self._config, agents, sealed=self._sealed, seeds=self._listed, luck=self._luck)
        if self._folder is not None:
            seed = self._config.seeds.master_seed
            problem = keep(seed, self._folder) if self._sealed and seed is not None else None
            self._warnings += [problem] if problem is not None else []
            self._write(self._header)

    def _write(self, line: Line) -> None:
        if self._files.journal is not None:
            self._files.journal.write(line)

    def _play(self, wanted: Round) -> Played:
        """Play the missing games of a round."""
        assert self._status is not None
        status, played, estimates = self._status, dict(wanted.known), dict[GameSpec, Estimates]()
        status.round_begins(wanted)
        self._so_far = Played(played, estimates, self._seconds)

        def on_game(label: GameLabel, record: GameRecord, estimated: Estimates | None) -> None:
            self._write(Game(label.match, record, self._seconds))
            self._files.replies.forget(label)
            played[label] = record
            core = estimated or game_estimates(record)
            coming = self._ladder.coming(label.match, record.players)
            estimates[record.spec] = self._ladder.match_margins.estimated(coming, record, core)
            status.game_ended(record.players)
            self._observers.tell("game_over", label, record)

        if wanted.missing:
            if not self._playing:  # stepping through what is known takes nothing from the time to play
                self._playing, self._start = True, status.restart_clock()
            for label, spec in wanted.missing.items():
                self._observers.tell("seated", label, spec.players)
            self._runner.play(wanted.missing, on_game, until=self._until)
        self._so_far = None
        most_s = self._most_s
        late = Spent("maxSeconds", most_s) if most_s is not None and monotonic() >= self._until else None
        return Played(played, estimates, self._seconds, self._cast.spent or late)

    def _rest(self, run: Generator[Round, Played, RunResult] | None, halted: str | UnsetType = UNSET) -> None:
        """Record that this session has ended before the run did, and why.

        The complete seed pairs of the round that was being played are rated, if the `run` can still do that.
        """
        if run is not None and self._so_far is not None:
            so_far, self._so_far = self._so_far, None
            end_run(run, so_far)
        if not self._over:
            self._write(SessionEnd(self._session_s, halted=halted))
        if self._status is not None:
            self._status.awaiting()

    def _ended(self, result: RunResult) -> RunResult:
        """Record why the run ended, and reveal the master seed, since no cards are left to guess."""
        self._runner.end_workers()  # which is time of the run as well
        took, journal, replies = self._session_s, self._files.journal, self._files.replies
        self._over, told, said = True, self._config.seeds.master_seed, None
        if self._folder is not None and not self._files.problem:
            said = replies_hash(self._folder / REPLIES)
        self._write(
            SessionEnd(
                took,
                result.ending,
                told if self._sealed and told is not None else UNSET,
                UNSET if said is None else said,
            )
        )
        if self._sealed and journal is not None and self._folder is not None and journal.sync():
            forget(self._folder)
        lost = journal.problem if journal is not None else None
        warnings = [
            *self._warnings,
            lost,
            replies.problem,
            *result.warnings,
            *self._runner.problems,
            *self._observers.problems,
        ]
        found = concluded(
            result,
            self._header,
            journal,
            sealed=self._sealed and lost is not None,  # if that could not be written, the run can be resumed
            seconds=self._past.seconds + took,
            warnings=warnings,
            unaccounted=replies.ledger.unaccounted,
        )
        lines = self._observers.ended(found, self._folder)
        if self._observer.on_lines is not None:
            self._observer.on_lines(lines)
        return found

    def _on_exchange(self, exchange: Exchange) -> None:
        self._spending.add(exchange)
        if self._status is not None:
            self._status.report()

    def _on_match(self, match: MatchResult) -> None:
        if self._past.margins_of(match.number, len(match.seed_results)) is None:
            term = self._ladder.match_margins.term_of(match.number)
            self._write(Rated(match.number, match.round, match.margins, UNSET if term is None else term.label))
            self._observers.tell("match_over", match.number, match.participants, match.margins)
        if self._status is not None:
            self._status.match_ended(match)


def games_go_on(config: BenchmarkConfig, own: Collection[str] = (), *, recorded: bool) -> bool:
    """Return whether games that were cut off go on where they were when the run is resumed; else they are dealt anew.

    An agent that may remember must not see the same cards twice. So a game goes on only if all of it can be repeated
    without asking that agent, to the decision that was open: no one in the run may play it differently.

    `own` are the types of the caller's custom agents; `recorded` says whether the replies in those games are.
    """
    remembering = [each for each in config.participants if each.kind.remembers]
    if not remembering:
        return True
    kinds = {each.id: kind_of(each.type, own) for each in config.participants}
    known = {name for name, kind in kinds.items() if kind.recorded or kind.built_in} | config.models().keys()
    return recorded and all(kinds[each.id].recorded for each in remembering) and known.issuperset(kinds)
