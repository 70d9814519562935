"""A run on disk: its config, games and result, for every command, also while it is played."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from typing import NamedTuple

from msgspec import UNSET, structs

from molt_bench._version import BENCH_VERSION
from molt_bench.agents.permission import BUILT_IN, Permission
from molt_bench.bench.dealer import Dealer
from molt_bench.bench.endings import INTERRUPTED, Ending, Interrupted
from molt_bench.bench.ladder import Ladder
from molt_bench.bench.result import RunResult
from molt_bench.bench.rounds import drive_run, play_nothing, rounds
from molt_bench.bench.seed_blocks import SeedBlocks
from molt_bench.bench.spending import Spending
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError
from molt_bench.files import write_whole
from molt_bench.runs.conclusion import by_another_version, concluded, naming_damage, recorded_seeds, warnings_ahead
from molt_bench.runs.folder import JOURNAL, REPLIES, SUMMARY, journal_in, summarized
from molt_bench.runs.header import config_hash, recorded_luck
from molt_bench.runs.journal import JournalContent, read_games, read_header, read_journal
from molt_bench.runs.journal_lines import Game as Game
from molt_bench.runs.journal_lines import Header, Line, Rated, SessionEnd, ending_in, games_in, halt_in
from molt_bench.runs.journal_past import config_of, past_of
from molt_bench.runs.line_file import Warn, being_written
from molt_bench.runs.master_seed import only_built_in, opened_seed, revealed, with_master_seed
from molt_bench.runs.replies import Replies, replies_hash, said_in
from molt_bench.runs.replies import Said as Said
from molt_bench.specs import GameLabel, Pair


class Run:
    """A run in its folder.

    Attributes:
        header: The first line of the journal.
        content: The whole journal, as far as it has been read.
        config: The config the run was started with, with the settings with which it went on, and its master seed.

    Args:
        folder: The folder.
        content: The contents of its journal.
        secret: The master seed, if given by the user: it may not be in the folder.

    Raises JournalError if the master seed is unknown or another one, ConfigError if the config is not valid any more.
    """

    def __init__(self, folder: Path, content: JournalContent, *, secret: str | None = None) -> None:
        self.folder = folder
        self.content = content
        self.header: Header = content.header
        self.config: BenchmarkConfig = config_of(content.header, content.lines)
        self._ladder: Ladder | None = None
        if self.header.master_seed_hash is not UNSET:
            seed = opened_seed(self.header, revealed(content.lines), folder, secret=secret)
            self.config = with_master_seed(self.config, seed)

    def _read(self, content: JournalContent) -> None:
        """Take a longer or a shorter journal: settings with which the run went on may be among its lines, or not."""
        seed = self.config.seeds.master_seed
        self.content, self.config = content, with_master_seed(config_of(content.header, content.lines), seed)

    @classmethod
    def open(
        cls, folder: str | Path, *, secret: str | None = None, same_version: bool = False, hands: bool = True
    ) -> "Run":
        """Open a run and check that it is unchanged since it was played.

        Without `hands`, those of rated matches are left in the journal, where `read_games` finds them.

        Raises ConfigError if there is no run in the folder, JournalError if it cannot be read, was changed, or with
        `same_version` is from another bench version.
        """
        path = journal_in(str(folder))
        content = read_journal(path, hands=hands)
        check_unchanged(path, content)
        if same_version:
            check_version(path, content.header)
        return cls(path.parent, content, secret=secret)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the journal after its header."""
        return self.content.lines

    @property
    def games(self) -> list[Game]:
        """The finished games."""
        return games_in(self.lines)

    def read_games(self) -> Iterator[tuple[int, Game]]:
        """Read the finished games from the journal, one at a time, each with the number of its line."""
        return read_games(self.folder / JOURNAL, self.content.line_count)

    @property
    def ending(self) -> Ending | None:
        """Why the run ended; None if it has not, or has since been extended."""
        return ending_in(self.lines)

    @property
    def sealed(self) -> bool:
        """Whether its master seed is still secret."""
        return self.header.master_seed_hash is not UNSET and revealed(self.lines) is None

    @property
    def going(self) -> bool:
        """Whether it is being played."""
        return being_written(self.folder / JOURNAL)

    @property
    def notes(self) -> list[str]:
        """What a reader should know: who wrote it, if another version did, and that it has not ended."""
        found = by_another_version(self.header)
        if self.ending is None:
            state = "is still going" if self.going else "has not ended"
            found.append(f"{self.folder}: the run {state}: this is what was finished so far")
        return found

    def write(self, name: str, content: bytes) -> None:
        """Write a file into its folder, whole or not at all; raises OSError if it cannot."""
        write_whole(self.folder / name, content)

    def feed_games(self, take: Callable[[Game, int], None]) -> None:
        """Hand over the finished games by match, seed pair and seating, each with the place of its seed pair, from 0.

        Raises JournalError, which names the line, for one that cannot have happened.
        """
        games, blocks = self.games, SeedBlocks(self.config, self.header.seeds)
        met: Counter[Pair] = Counter()
        seeds = {}
        for match, pair in sorted({game.match: game.participants for game in games}.items()):
            seeds[match] = blocks.block(pair, met[pair])
            met[pair] += 1
        with naming_damage(self.content):
            placed = [(seeds[game.match].index(game.record.seed), game) for game in games]
            # Which game finishes first depends on the workers, and sums on their order.
            for seed_index, game in sorted(placed, key=lambda each: (each[1].match, each[0], each[1].record.seating)):
                take(game, seed_index)

    def follow(self) -> bool:
        """Read what has been added to the journal; return whether anything was.

        Raises JournalError if it cannot be read, a line is damaged, or the file was replaced.
        """
        content = read_journal(self.folder / JOURNAL, after=self.content)
        grown = content.line_count > self.content.line_count
        if grown:
            self._read(content)
        return grown

    def until(self, lines: int) -> "Run":
        """Return the run as it was when its journal had so many lines."""
        run = copy(self)
        run._read(JournalContent(self.header, self.lines[: lines - 1], self.content.size, self.content.hashes[:lines]))
        return run

    @property
    def replies_are_recorded(self) -> bool | None:
        """Whether the file of replies is the one that the closed journal has the hash of; None if it has none."""
        last = self.lines[-1] if self.lines else None
        if not isinstance(last, SessionEnd) or last.replies_hash is UNSET:
            return None
        return last.replies_hash == replies_hash(self.folder / REPLIES)

    def replies(self, *, read_only: bool = True, every_game: bool = False, warn: Warn | None = None) -> Replies:
        """Open the replies of models, programs and servers; with `every_game`, also those in finished games.

        Raises JournalError if they were changed or removed since the journal was closed.
        """
        if not self.config.paid() and not any(each.kind.recorded for each in self.config.participants):
            return Replies()
        if not every_game and self.replies_are_recorded is False:  # a replay of the games finds out which was changed
            raise JournalError(f"{self.folder / REPLIES} is not what the run recorded: it was changed after the run")
        over = set() if every_game else {game.label for game in self.games}
        return Replies.reopen(str(self.folder / REPLIES), over=over, read_only=read_only, warn=warn)

    def said(self, game: GameLabel | None = None) -> Iterator[Said]:
        """Return what models were asked and what they said: all of it, or in one game."""
        path = self.folder / REPLIES
        return said_in(path, self.config.models(), game) if self.config.paid() and path.is_file() else iter(())

    @contextmanager
    def at_home(self, permission: Permission) -> Iterator[None]:
        """Work in the folder in which the run was started while agents that are permitted play.

        Their code may read files, and import modules, relative to it. Outside this context the folder never changes,
        nor where only built-in bots may be made.
        """
        home = Path(self.header.folder)
        if permission == BUILT_IN or only_built_in(self.config) or not home.is_dir():
            yield
            return
        try:
            before = os.getcwd()
        except OSError:  # it was removed
            before = os.sep
        os.chdir(home)
        try:
            yield
        finally:
            os.chdir(before)

    def result(self, *, recount: bool = False, keep_hands: bool = False, going: bool = False) -> RunResult:
        """Compute the result from the games so far; nothing of the run is executed.

        Args:
            recount: Whether luck is taken out of all games again, and compared with what the run found.
            keep_hands: Whether match results keep their individual hands.
            going: Whether the run is being played: matches that were rated in an earlier call are not rated again.

        Raises JournalError if the games do not belong to the config, or the run did not stop where the journal says.
        """
        config, content = self.config, self.content
        replies = self.replies() if config.paid() else Replies()
        another = by_another_version(self.header)
        past = structs.replace(past_of(self.header, self.lines), followed=bool(another), rated_only=True)
        if going:
            past = past.whole_rounds(torn=bool(self.lines) and isinstance(self.lines[-1], Rated))
        spending = Spending(config.paid())
        for exchange in replies.earlier:
            spending.add(exchange)
        listed = recorded_seeds(self.header)
        with naming_damage(content):
            used = {line.term for line in self.lines if isinstance(line, Rated) and line.term is not UNSET}
            luck = recorded_luck(self.header, used) if recount else {}
            ladder = Ladder(config, keep_hands=keep_hands, recount=recount, luck=luck)
            if going:
                ladder = self._ladder if self._ladder is not None and self._ladder.config == config else ladder
                self._ladder = ladder
            deal = Dealer(config, SeedBlocks(config, listed), resumptions=past.fresh_decks)
            result = drive_run(rounds(config, ladder, deal, past=past, spending=spending), play_nothing)
            if differing := ladder.match_margins.differing:
                raise JournalError(f"the journal's margins of match {differing[0]} are not what its games give")
        if result.ending == INTERRUPTED and (halted := halt_in(self.lines)):
            result = structs.replace(result, ending=Interrupted(halted))
        ahead = warnings_ahead(config, listed, self.lines, sealed=self.sealed)
        return concluded(
            result,
            self.header,
            content,
            sealed=self.sealed,
            seconds=past.seconds,
            warnings=[*another, *ahead, *result.warnings],
            unaccounted=replies.ledger.unaccounted,
        )


class Glance(NamedTuple):
    """What a look at a run tells without reading its games.

    Attributes:
        header: The first line of its journal.
        going: Whether it is being played.
    """

    header: Header
    going: bool

    @property
    def has_guests(self) -> bool:
        """Whether agents that come by themselves play in it."""
        return any(each.kind.comes for each in load_config(self.header.config).participants)


def glance(folder: str | Path) -> Glance:
    """Look at a run. Raises ConfigError if there is none in the folder, JournalError if it cannot be read."""
    journal = journal_in(str(folder))
    return Glance(read_header(journal), being_written(journal))


def check_version(path: Path, header: Header) -> None:
    """Check that this bench version wrote a journal; raises JournalError if another one did.

    Only its own version plays its games, and decides its rounds, as they were.
    """
    if header.bench_version != BENCH_VERSION:
        raise JournalError(
            f"{path} was written by molt-bench {header.version} (bench version {header.bench_version}), and this one "
            f"(bench version {BENCH_VERSION}) may play other games"
        )


def check_unchanged(path: Path, content: JournalContent) -> None:
    """Check that a journal has its own config, and still begins as when it was summarized.

    Its games may be left out of the content.
    """
    header = content.header
    if config_hash(header.config) != header.config_hash:
        raise JournalError(f"{path} line 1: the config has been changed after the run")
    written = summarized(path.parent)
    if written is None:
        return
    lines, last = written
    if not 1 <= lines <= len(content.hashes) or content.hashes[lines - 1] != last:
        if lines == len(content.hashes):
            raise JournalError(f"{path} is not the journal that {SUMMARY} was written from: lines were changed")
        raise JournalError(
            f"{path} has {len(content.hashes):,} lines; it is not the journal of {lines:,} lines that {SUMMARY} was "
            "written from"
        )
