"""The reader of a run: its games and exchanges, read from its folder as far as it has come, then followed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time_ns
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET

from molt_bench.bench.endings import Ending
from molt_bench.bench.result import EndedStage
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.spending import Spending
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError, RulesError
from molt_bench.files import inside
from molt_bench.llm.types import Exchange
from molt_bench.records import GameRecord, Margins
from molt_bench.runs.file_lock import being_written
from molt_bench.runs.folder import JOURNAL, REPLIES
from molt_bench.runs.journal_lines import Extension, Game, Line, Rated, SessionEnd, halt_in
from molt_bench.runs.line_file import LineReader, Replaced
from molt_bench.runs.master_seed import with_master_seed
from molt_bench.runs.replies import Skill, read_line
from molt_bench.runs.run import Run
from molt_bench.seeds import Seed
from molt_bench.specs import SEATINGS, Seating

Status: TypeAlias = Literal["running", "finished", "interrupted"]
#: Where an exchange is in its file, and how long its line is.
Span: TypeAlias = tuple[int, int]


class RunReader:
    """One run, read as far as it has come. Nothing of it is executed.

    Attributes:
        pairs: The participants of every match, by its number.
        in_order: All games, in the order of the journal.
        skills: The system prompts of language models.
        exchanges: The exchanges of every hand (match, seed, seating, number) without their texts, and where those are.
    """

    def __init__(self, folder: Path) -> None:
        self.id = folder.name
        self.folder = folder
        self._stored = Run.open(folder)
        self._stored.check_replies()
        self._replies = LineReader(folder / REPLIES)
        self.header = self._stored.header
        # The master seed is not shown before the run reveals it.
        self.config: BenchmarkConfig = load_config(self.header.config)
        self.plain = self.config.plain()
        self._pairings = dict.fromkeys(self.config.pairings(), 0)
        self._decks = SeedBlocks(self._stored.config, self.header.seeds)
        self._extensions: list[Extension] = []
        #: Its earlier stages, as in a result.
        self.stages: list[EndedStage] = []
        self._margins: dict[int, Margins] = {}
        self._rated: list[int] = []  # matches in the order in which the run rated them
        self._rated_anew = False  # whether one of them was rated when it was cut short, and again since
        self.games: dict[tuple[int, Seed, Seating], Game] = {}
        self._lines: dict[tuple[int, Seed, Seating], int] = {}
        self.pairs: dict[int, tuple[str, str]] = {}
        self.in_order: list[Game] = []
        self._models = self.config.paid()
        self.spending = Spending(self._models)
        self.skills: dict[str, str] = {}
        self.exchanges: dict[tuple[int, Seed, Seating, int], list[tuple[Exchange, Span]]] = defaultdict(list)
        self.status: Status = "running"
        self.ending: Ending | None = None
        self.halted: str | None = None
        self.seconds = 0.0
        self._blocks: dict[int, list[Seed]] = {}
        self._meetings: dict[int, int] = {}  # how often the two of a match have met before it
        self._sittings = 0.0
        self._resting = False  # whether the last line is the end of a session: when the next one began is not known
        self._status_changes = 0
        self._take([*enumerate(self._stored.lines, start=2)])
        self._rated_anew = False

    @property
    def participants(self) -> list[dict[str, Any]]:
        """All participants, as in the config."""
        return list(self.plain["participants"])

    @property
    def journal_size(self) -> int:
        """Bytes of the journal that have been read."""
        return self._stored.content.size

    @property
    def journal_lines(self) -> int:
        """Lines of the journal that have been read."""
        return self._stored.content.line_count

    @property
    def journal_hash(self) -> str:
        """What identifies the journal up to there."""
        return self._stored.content.last_hash

    def read(self) -> None:
        """Read what is new. It may be called while another thread is counting.

        Raises:
            Replaced: The journal is another one now, or says something else of a match.
        """
        self._take(self._stored.follow())
        if self._rated_anew:
            raise Replaced(f"{self.folder / JOURNAL} has a match that was rated anew")
        self._take_exchanges()
        running = self.ending is None and being_written(self.folder / JOURNAL)
        now: Status = "finished" if self.ending is not None else "running" if running else "interrupted"
        if now != self.status:
            self.status, self._status_changes = now, self._status_changes + 1

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
        return any((game.match, seed, seating) not in self.games for seating in SEATINGS)

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

    def seed_index(self, game: Game) -> int:
        """Return the place of a game's seed in its match, from 0."""
        return self.seeds_of(game.match).index(game.record.seed)

    @property
    def replies_size(self) -> int:
        """Bytes of the file of replies that have been read."""
        return self._replies.size

    def exchange_at(self, span: Span) -> Exchange | None:
        """Read an exchange again, with what was asked and thought."""
        line = read_line(self._replies.line_at(*span), str(self.folder / REPLIES))
        return line if isinstance(line, Exchange) else None

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
            self._resting = isinstance(line, SessionEnd)
            self.halted = halt_in([line])
            if isinstance(line, Game):
                self._take_game(line, number)
            elif isinstance(line, SessionEnd):
                self._sittings += line.seconds
                self.seconds = max(self.seconds, self._sittings)
                self.ending = line.ending or self.ending
                if line.master_seed is not UNSET:
                    self._configure(with_master_seed(self.config, line.master_seed))
            elif isinstance(line, Rated):
                if line.match in self._margins:
                    self._rated_anew = True
                else:
                    self._rated.append(line.match)
                self._margins[line.match] = line.margins
            elif isinstance(line, Extension):
                self.stages.append(EndedStage(line.matches, self.ending, self.config.stop))
                self.ending = None
                self._extensions.append(line)
                self._configure(load_config({**self.plain, "stop": line.stop}))

    def _configure(self, config: BenchmarkConfig) -> None:
        self.config, self.plain = config, config.plain()

    def _take_game(self, game: Game, number: int) -> None:
        if game.participants not in self._pairings:
            raise JournalError(f"{self.folder / JOURNAL} line {number}: nobody of the config plays this game")
        place = game.match, game.record.seed, game.record.seating
        self.games[place] = game
        self._lines[place] = number
        self.pairs[game.match] = game.participants
        self.seconds = max(self.seconds, game.seconds)
        self.in_order.append(game)

    def _take_exchanges(self) -> None:
        if not self._models or not inside(self.folder, self._replies.path):
            return
        path = str(self.folder / REPLIES)
        for start, text in self._replies.more():
            line = read_line(text, f"{path} at byte {start}")
            if isinstance(line, Skill):
                self.skills[line.participant] = line.text
            if not isinstance(line, Exchange):
                continue
            if line.participant not in self._models:
                raise JournalError(f"{path} at byte {start}: {line.participant!r} is no model")
            self.spending.add(line)
            if line.outcome == "cut":  # it was asked for again, and is paid for
                continue
            place = (line.game.match, line.game.seed, line.game.seating, line.hand)
            bare = msgspec.structs.replace(line, text="", asked=(), thoughts="")
            self.exchanges[place].append((bare, (start, len(text))))


def seating_of(record: GameRecord) -> int:
    """Return 0 if player A sat in seat 0, and 1 if player B did."""
    return SEATINGS.index(record.seating)
