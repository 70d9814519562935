"""An open run: read from its folder as far as it has come, then followed.

Nothing of the run is executed: agents that are the user's own programs or files are never made here. The effect of luck
on a match is taken from the run's `matches.json` where the journal vouches for it, since computing it takes some time.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from math import inf
from pathlib import Path
from time import monotonic, time_ns
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from molt_bench.agents.kinds import built_in_policies
from molt_bench.agents.llm.types import Exchange
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.result import RunResult
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.spending import Spending
from molt_bench.bench.stated_odds import MatchAccount
from molt_bench.bench.stop_rules import opening_shortfall
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError, RulesError
from molt_bench.files import inside
from molt_bench.records import GameRecord, MatchResult, SeedResult
from molt_bench.report.analysis import MBB_PER_BB100
from molt_bench.runs.conclusion import session_warnings
from molt_bench.runs.derived_files import DerivedMatch, check_record, derived_matches
from molt_bench.runs.exchanges import ExchangeHeader, read_exchange
from molt_bench.runs.folder import EXCHANGES, JOURNAL
from molt_bench.runs.header import recorded_harnesses, stated_in
from molt_bench.runs.journal import Extension, Game, Line, Rated, Sitting, halt_in
from molt_bench.runs.line_file import Tail, being_written
from molt_bench.runs.master_seed import with_master_seed
from molt_bench.runs.stored_run import StoredRun
from molt_bench.seeds import Seed
from molt_bench.specs import SEATINGS, Seating
from molt_bench.view.run_grades import RunGrades
from molt_bench.view.run_styles import RunStyles

Status: TypeAlias = Literal["running", "finished", "interrupted"]
#: Names a hand and its seating: match, seed, seating, number of the hand.
Place: TypeAlias = tuple[int, Seed, Seating, int]
#: Where an exchange is in its file, and how long its line is.
Span: TypeAlias = tuple[int, int]


class Standing(msgspec.Struct, frozen=True, gc=False):
    """The win rate of one participant after a match, over the opponents met so far, and half of its 95% interval."""

    mean: float | None
    half_width: float


class OpenRun:
    """One run, read as far as it has come.

    Attributes:
        pairs: The participants of every match, by its number.
        standings: Everybody's win rate after every match.
        skills: The system prompts of language models.
        at_showdown: Chips that player A won at showdown in each seed pair of a match, where that was counted.
        exchanges: The exchanges of every hand without their texts, and where those are in their file.
    """

    def __init__(self, folder: Path) -> None:
        self.id = folder.name
        self.folder = folder
        self._stored = StoredRun.open(folder, versions=None)
        check_record(folder, EXCHANGES, self._stored.content)
        self._exchange_file = Tail(folder / EXCHANGES)
        self.header = self._stored.header
        # The master seed is not shown before the run reveals it.
        self.config: BenchmarkConfig = load_config(self.header.config)
        self.plain = self.config.plain()
        # The viewer never runs the user's own code.
        policies = built_in_policies(each.spec() for each in self.config.participants)
        self.ladder = Ladder(self.config, policies, keep_hands=False, stated=stated_in(self.header))
        self._decks = SeedBlocks(self._stored.config.seeds, self.ladder.meetings, self.header.seeds)
        self._extensions: list[Extension] = []
        self._accounts: dict[int, MatchAccount] = {}
        self.games: dict[tuple[int, Seed, Seating], Game] = {}
        self._lines: dict[tuple[int, Seed, Seating], int] = {}
        self.pairs: dict[int, tuple[str, str]] = {}
        self.standings: list[dict[str, Standing]] = []
        self._models = self.config.models()
        self.spending = Spending(self._models)
        self.skills: dict[str, str] = {}
        self.exchanges: dict[Place, list[tuple[Exchange, Span]]] = defaultdict(list)
        self.status: Status = "running"
        self.stop_reason: str | None = None
        self.halted: str | None = None
        self.styles = RunStyles(folder)
        self.grades = RunGrades(folder, [each.id for each in self.config.participants])
        self.seconds = 0.0
        self._counted = False
        self._unread: deque[Exchange] = deque()
        self._blocks: dict[int, list[Seed]] = {}
        self._meetings: dict[int, int] = {}  # how often the two of a match have met before it
        self.at_showdown: dict[int, list[int]] = {}
        self._sittings = 0.0
        self._session_warnings: list[str] = []
        self._resting = False  # whether the last line is the end of a session: when the next one began is not known
        self._status_changes = 0
        self._derived: dict[int, DerivedMatch] | None = None  # what the folder says of the matches; None if not read
        self._take([*enumerate(self._stored.lines, start=2)])

    @property
    def participants(self) -> list[dict[str, Any]]:
        """All participants, as in the config."""
        return list(self.plain["participants"])

    @property
    def version(self) -> int:
        """A number that grows with every change."""
        work = len(self.ladder.matches) + self.styles.games + self.grades.games
        return self.journal_size + self._exchange_file.size + work + self._status_changes

    @property
    def journal_size(self) -> int:
        """Bytes of the journal that have been read."""
        return self._stored.content.size

    @property
    def journal_hash(self) -> str:
        """What identifies the journal up to there."""
        return self._stored.content.last_hash

    @property
    def unrated(self) -> int:
        """How many matches are still to be rated; the last may still be in progress."""
        return 0 if self._blocked() else len(self.pairs) - len(self.ladder.matches)

    @property
    def counting(self) -> bool:
        """Whether the result is not known yet: the run has ended, and not all of its matches have been rated since.

        What a run in progress shows is never final, so it may lag behind.
        """
        self._counted = self._counted or self._blocked()
        return not self._counted and self.status != "running"

    @property
    def pending(self) -> str | None:
        """What is still to be counted, in words."""
        behind = self.unrated
        if behind:
            return f"{behind:,} of {behind + len(self.ladder.matches):,} matches are still to be rated"
        if self.styles.pending:
            return f"styles of {self.styles.pending:,} of {len(self.games):,} games are still to be counted"
        if self.grades.pending:
            return f"{self.grades.pending:,} of {len(self.games):,} games are still to be graded"
        return None

    def read(self) -> None:
        """Read what is new. It may be called while another thread is counting.

        Raises:
            Replaced: The journal is another one now.
        """
        self._take(self._stored.more())
        self._take_exchanges()
        self._derived = self._derived or None  # a run that has ended since may have written it
        self.styles.use_stored(self._stored.content)
        self.grades.look()
        now: Status = (
            "finished" if self.stop_reason else "running" if being_written(self.folder / JOURNAL) else "interrupted"
        )
        if now != self.status:
            self.status, self._status_changes = now, self._status_changes + 1

    def count_next(self) -> bool:
        """Rate one more match, or else count the styles of one more game, or grade it; return whether there was one."""
        return self._rate_next() or self._count_style() or self._grade_next()

    def catch_up(self, *, within_s: float | None = None) -> None:
        """Read what is new; then count for about so many seconds, or to the end."""
        deadline = None if within_s is None else monotonic() + within_s
        self.read()
        while (deadline is None or monotonic() < deadline) and self.count_next():
            pass

    def seeds_of(self, match: int) -> list[Seed]:
        """Return the seeds of a match in the order in which they are dealt."""
        if match in self._blocks:
            return self._blocks[match]
        if len(self._meetings) != len(self.pairs):
            met: Counter[tuple[str, str]] = Counter()
            for number in sorted(self.pairs):
                self._meetings[number] = met[self.pairs[number]]
                met[self.pairs[number]] += 1
        return self._decks.block(self.pairs[match], self._meetings[match])

    def sides(self, match: int, seed: Seed) -> list[Game]:
        """Return the finished games of a seed that may be shown; the one with player A in seat 0 comes first."""
        return [game for game in self.played(match, seed) if not self.hidden(game)]

    def played(self, match: int, seed: Seed) -> list[Game]:
        """Return the finished games of a seed, whether or not they may be shown."""
        found = [self.games.get((match, seed, seating)) for seating in SEATINGS]
        return [game for game in found if game is not None]

    def hidden(self, game: Game) -> bool:
        """Return whether the cards of a game must stay hidden: the seed is secret, and others will be dealt them."""
        if self.header.master_seed_hash is UNSET or self.config.seeds.master_seed is not None:
            return False
        seed = game.record.seed
        return self._decks.shared or any((game.match, seed, seating) not in self.games for seating in SEATINGS)

    def own_decks(self, match: int, seed: Seed) -> bool:
        """Return whether the two seatings of a seed were dealt different cards."""
        return any(game.record.spec.deck_seed is not UNSET for game in self.played(match, seed))

    @contextmanager
    def reading(self, games: Iterable[Game]) -> Iterator[None]:
        """Turn an error in a hand of these games into a JournalError that names the line of the journal."""
        try:
            yield
        except (RulesError, ValueError) as error:
            for game in games:
                why = game.record.unreadable()
                if why is not None:
                    number = self._lines[game.match, game.record.seed, game.record.seating]
                    raise JournalError(f"{self.folder / JOURNAL} line {number} is damaged: {why}") from error
            raise

    @property
    def exchange_size(self) -> int:
        """Bytes of the file of exchanges that have been read."""
        return self._exchange_file.size

    def exchange_text(self, span: Span) -> str:
        """Read again what a model said."""
        line = self.exchange_at(span)
        return line.text if line is not None else ""

    def exchange_at(self, span: Span) -> Exchange | None:
        """Read an exchange again, with what went over the wire."""
        line = read_exchange(self._exchange_file.line_at(*span), str(self.folder / EXCHANGES))
        return line if isinstance(line, Exchange) else None

    def result(self) -> RunResult:
        """Return the result so far."""
        ladder = self.ladder
        problems = (
            opening_shortfall(self.config),
            *self._session_warnings,
            ladder.misfit(),
            *ladder.signalled(),
            *ladder.helpless(),
            *ladder.unused_policies(),
            *ladder.model_draws.warnings(),
        )
        return RunResult(
            config=self.config,
            matches=tuple(ladder.matches),
            leaderboard=tuple(ladder.leaderboard()),
            convergence=tuple(ladder.convergence),
            suspicion=ladder.suspicion.findings(),
            stop_reason=self.stop_reason or "",
            seeds=(),
            seconds=self.seconds,
            warnings=tuple(problem for problem in problems if problem),
            usage=self.spending.usage(),
            harnesses=recorded_harnesses(self.header),
        )

    @property
    def elapsed_s(self) -> float:
        """Seconds that the run has taken; of a run in progress also those since its last finished game."""
        if self.status != "running" or self._resting:
            return self.seconds
        with suppress(OSError):
            since = time_ns() - (self.folder / JOURNAL).stat().st_mtime_ns
            return self.seconds + max(0, since) / 1e9
        return self.seconds

    def _take(self, lines: Sequence[tuple[int, Line]]) -> None:
        for number, line in lines:
            self._resting = isinstance(line, Sitting)
            self.halted = halt_in([line])
            if isinstance(line, Game):
                self._take_game(line, number)
            elif isinstance(line, Sitting):
                self._sittings += line.seconds
                self.seconds = max(self.seconds, self._sittings)
                self.stop_reason = line.stop_reason or self.stop_reason
                self._session_warnings += session_warnings([line])
                if line.master_seed is not UNSET:
                    self._configure(with_master_seed(self.config, line.master_seed))
            elif isinstance(line, Rated):
                self._accounts[line.match] = line.account
            elif isinstance(line, Extension):
                self.stop_reason = None
                self._extensions.append(line)
                self._configure(load_config({**self.plain, "stop": line.stop}))

    def _configure(self, config: BenchmarkConfig) -> None:
        self.config, self.plain = config, config.plain()

    def _take_game(self, game: Game, number: int) -> None:
        if game.participants not in self.ladder.meetings:
            raise JournalError(f"{self.folder / JOURNAL} line {number}: nobody of the config plays this game")
        place = game.match, game.record.seed, game.record.seating
        self.games[place] = game
        self._lines[place] = number
        self.pairs[game.match] = game.participants
        self.seconds = max(self.seconds, game.seconds)
        self.styles.take(game)
        self.grades.take(game)

    def _take_exchanges(self) -> None:
        if not self._models or not inside(self.folder, self._exchange_file.path):
            return
        path = str(self.folder / EXCHANGES)
        for start, text in self._exchange_file.more():
            line = read_exchange(text, f"{path} at byte {start}")
            if isinstance(line, ExchangeHeader):
                self.skills = line.skills
                continue
            if line.participant not in self._models:
                raise JournalError(f"{path} at byte {start}: {line.participant!r} is no model")
            self.spending.add(line)
            place = (line.game.match, line.game.seed, line.game.seating, line.hand)
            bare = msgspec.structs.replace(line, text="", wire=UNSET)
            self._unread.append(bare)
            self.exchanges[place].append((bare, (start, len(text))))

    def _blocked(self) -> bool:
        """Return whether the next match to be rated is still being played, or rated by the run."""
        number = len(self.ladder.matches) + 1
        if number not in self.pairs:
            return True
        # What its agents say about their dice is not asked here: the run writes what came of it.
        if self.header.stated_policies is not UNSET and number not in self._accounts and self.status == "running":
            return True
        return any(len(self.played(number, seed)) < 2 for seed in self.seeds_of(number))

    def _rate_next(self) -> bool:
        """Rate one more match; return whether there was one."""
        if self._blocked():
            return False
        while self._unread:  # only here, since reading goes on while a match is being rated
            self.ladder.model_draws.add(self._unread.popleft())
        number = len(self.ladder.matches) + 1
        seeds = self.seeds_of(number)
        games = [self.played(number, seed) for seed in seeds]
        found = [SeedResult(seed, (one.record, two.record)) for seed, (one, two) in zip(seeds, games, strict=True)]
        result = MatchResult(tuple(found), self.config.match.draw_threshold)
        derived = self._derived  # another thread may forget it meanwhile
        if derived is None:
            derived = self._derived = derived_matches(self.folder, self._stored.content)
        stored = derived.get(number)
        self._blocks[number] = seeds
        while self._extensions and self._extensions[0].matches < number:
            self.ladder.judge_by(load_config({**self.plain, "stop": self._extensions.pop(0).stop}).stop)
        decided = stored.round if stored else (number - 1) // self.config.matches_per_round() + 1
        with self.reading(chain.from_iterable(games)):
            margins = self._accounts.get(number) or (stored.margins if stored else None)
            self.ladder.rate(self.pairs[number], result, margins=margins, decided=decided)
        self.standings.append({name: self._standing(name) for name in self.ladder.margins.participants})
        return True

    def _standing(self, name: str) -> Standing:
        won = self.ladder.margins.so_far(name)
        if won is None:
            return Standing(None, inf)
        return Standing(won.mean / MBB_PER_BB100, won.half_width() / MBB_PER_BB100)

    def _count_style(self) -> bool:
        game = self.styles.next()
        if game is None:
            return False
        with self.reading([game]):
            self.styles.count(game)
        return True

    def _grade_next(self) -> bool:
        game = self.grades.next()
        if game is None:
            return False
        with self.reading([game]):
            self.grades.grade(game, self.seeds_of(game.match).index(game.record.seed))
        return True


def seating_of(record: GameRecord) -> int:
    """Return 0 if player A sat in seat 0, and 1 if player B did."""
    return SEATINGS.index(record.seating)
