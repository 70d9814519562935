"""The journal: append-only JSON lines, the single source of truth about a run.

The first line is the header with the config. Every finished game follows, written before the next decision, and at the
end why the run stopped. A last line torn by a crash is dropped; a damaged line before it is an error.

The lines are chained: each begins with the SHA-256 of the previous one. So any line removed, added or changed later is
detected, and the hash of the last line identifies the whole journal.
"""

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.bench.endings import Ending
from molt_bench.errors import JournalError
from molt_bench.plugin import Registered
from molt_bench.records import GameRecord, Margins
from molt_bench.runs.line_file import LineFile, LineReader, Replaced, Warn
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel

#: One that says otherwise is not read.
FORMAT: Final = 1

#: Matches are numbered from 1.
MatchNumber: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line.

    Attributes:
        bench_version: Version of everything that affects a result.
        version: Version of the program.
        config_hash: SHA-256 of the config, to detect changes.
        folder: Where the run was started; relative paths in the config start there.
        seeds: The seeds from the seed file, if there is one.
        source_hashes: SHA-256 of the source files of custom agents, by participant.
        versions: Versions of Python and of the packages that affect a result.
        luck: The plug-ins that take out luck, in the order in which they are asked.
        master_seed_hash: SHA-256 of a master seed that is secret until the run ends; the config then has null.
    """

    format: int
    bench_version: int
    version: str
    config_hash: str
    config: dict[str, Any]
    folder: str = "."
    seeds: list[Seed] | None = None
    source_hashes: dict[str, str] = {}
    versions: dict[str, str] = {}
    luck: tuple[Registered, ...] = ()
    master_seed_hash: str | UnsetType = UNSET


class Game(msgspec.Struct, frozen=True, tag="game", tag_field="line", rename="camel"):
    """One finished game of a match, and how long the run had taken by then, over all sessions."""

    match: MatchNumber
    record: GameRecord
    seconds: float = 0.0

    @property
    def participants(self) -> tuple[str, str]:
        """Ids of players A and B."""
        return self.record.players

    @property
    def label(self) -> GameLabel:
        """Which game of the run it is."""
        return GameLabel(self.match, self.record.seed, self.record.seating)


class SessionEnd(msgspec.Struct, frozen=True, tag="sitting", tag_field="line", rename="camel"):
    """The end of one session of the run: how long it took, and why the run ended, if it did.

    Attributes:
        master_seed: There if the run has ended, and it was secret until then.
        vouched: SHA-256 of what else is in the folder by then, by the names of the files: see `derived_files`.
        halted: Why the run could not go on, as with a key that is refused; it can be resumed.
    """

    seconds: float
    ending: Ending | None = None
    master_seed: Seed | UnsetType = UNSET
    vouched: dict[str, str] | UnsetType = UNSET
    halted: str | UnsetType = UNSET


class Extension(msgspec.Struct, frozen=True, tag="extension", tag_field="line", rename="camel"):
    """The run continues under another stop rule, on the same decks.

    Attributes:
        matches: Matches complete by then.
        stop: The `stop` section of the config from here on.
        under_way: Pairings of a round in progress, which is completed as scheduled.
    """

    matches: int
    stop: dict[str, Any]
    under_way: list[tuple[str, str]] = []


class Resumption(msgspec.Struct, frozen=True, tag="resumption", tag_field="line", rename="camel"):
    """The run continues with an agent that may remember: games already started are dealt different cards."""


class Rated(msgspec.Struct, frozen=True, tag="margins", tag_field="line", rename="camel"):
    """The margins of a match as it was rated, before the next round was decided.

    So whoever reads the run takes no luck out of its hands again. `verify` does, and compares. `term` is the plug-in
    that took the luck out, with its version, if one did.
    """

    match: MatchNumber
    margins: Margins
    term: str | UnsetType = UNSET


class Change(msgspec.Struct, frozen=True, tag="change", tag_field="line", rename="camel"):
    """Settings with which the run goes on from here, by their paths; nothing that was played depends on them."""

    settings: dict[str, Any]


Line: TypeAlias = Header | Game | SessionEnd | Extension | Resumption | Rated | Change

_FIRST_LINE: Final = "the header of a journal; if nothing was played yet, start it again"
#: Maximum number of incomplete matches named.
_NAMED: Final = 3
_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(Line)


class JournalContent(msgspec.Struct, frozen=True):
    """The contents of a journal.

    Attributes:
        header: Its first line.
        lines: All other lines.
        size: Bytes up to the end of the last complete line.
        hashes: SHA-256 of every line, header first.
    """

    header: Header
    lines: tuple[Line, ...]
    size: int
    hashes: tuple[str, ...] = ()

    @property
    def line_count(self) -> int:
        """Number of lines, header included."""
        return len(self.hashes)

    @property
    def last_hash(self) -> str:
        """SHA-256 of the last line, which identifies the whole journal."""
        return self.hashes[-1] if self.hashes else ""


def _link(hash_before: str) -> bytes:
    """Return the prefix of every line but the first."""
    return b'{"prev":"%b",' % hash_before.encode()


class Journal(LineFile):
    """A journal that is being written, by one process at a time. A full disk stops the writing, not the run.

    Attributes:
        line_count: Number of lines in the file.
        last_hash: SHA-256 of the last of them.
    """

    def __init__(self, path: str, *, new: bool = True, warn: Warn | None = None) -> None:
        super().__init__(path, new=new, warn=warn)
        self.line_count = 0
        self.last_hash = ""
        self._link_to = ""

    @classmethod
    def reopen(cls, path: str, *, warn: Warn | None = None) -> tuple["Journal", JournalContent]:
        """Continue a journal: return it, cut after its last complete line, and its contents."""
        journal = cls(path, new=False, warn=warn)  # first of all, so that no other process writes while this reads
        try:
            content = JournalReader(path).read()
        except JournalError:
            journal.close()
            raise
        journal._continue(content)
        return journal, content

    def keep(self, lines: int) -> JournalContent:
        """Drop all lines after the first so many, and return what is left."""
        file = LineReader(self.path)
        deque(islice(file.more(), lines), maxlen=0)
        self.cut(file.size)
        content = JournalReader(self.path).read()
        self._continue(content)
        return content

    def _continue(self, content: JournalContent) -> None:
        self.cut(content.size)
        self.line_count, self.last_hash = content.line_count, content.last_hash
        self._link_to = content.last_hash

    def write(self, line: Line) -> None:
        """Append a line and hand it to the system, so that it survives the end of this program."""
        text = _encoder.encode(line)
        if self._link_to:
            text = _link(self._link_to) + text[1:]
        self._link_to = sha256(text).hexdigest()
        self.append(text)

    def _written(self, line: bytes) -> None:
        # The next line will begin with the hash of the last one, which is this one unless others wait.
        last = sha256(line).hexdigest() if self._held else self._link_to
        self.line_count, self.last_hash = self.line_count + 1, last

    def catch_up(self) -> None:
        """Read from the file what was written last: an interruption may have come between a line and its hash."""
        file, count, last = LineReader(self.path), 0, b""
        for count, (_, last) in enumerate(file.more(), start=1):  # noqa: B007 - the last ones are used
            pass
        self.cut(file.size)
        if self._held and last == self._held[0]:
            self._held.popleft()
        if count:
            self.line_count, self.last_hash = count, sha256(last).hexdigest()
        self._link_to = sha256(self._held[-1]).hexdigest() if self._held else self.last_hash
        self.write_held()


class JournalReader:
    """Reads a journal line by line, so that it need not fit in memory, and later what was added to it.

    Attributes:
        hashes: SHA-256 of every line read so far.

    Args:
        path: Path of the journal.
        after: What was read of it before.
    """

    def __init__(self, path: str, *, after: JournalContent | None = None) -> None:
        self.hashes: list[str] = [] if after is None else [*after.hashes]
        self._path = path
        self._file = LineReader(path, size=0 if after is None else after.size)
        self._header = None if after is None else after.header

    @property
    def size(self) -> int:
        """Bytes up to the end of the last line read."""
        return self._file.size

    def follow(self) -> Iterator[Line]:
        """Yield every line that has not been read yet; a torn last line is left out.

        Raises:
            JournalError: The file cannot be read, or a line is damaged, or does not follow the one before.
            Replaced: What was read is no longer there.
        """
        for _, text in self._file.more():
            yield self._parsed(text)

    def header(self) -> Header:
        """Return the first line, whether or not it was read before."""
        for _ in self.follow() if self._header is None else ():
            break
        if self._header is None:
            raise JournalError(f"{self._path} line 1: expected {_FIRST_LINE}")
        return self._header

    def read(self, *, games: bool = True) -> JournalContent:
        """Read a whole journal; without its `games`, it need not fit in memory."""
        try:
            header = self.header()
            lines = tuple(line for line in self.follow() if games or not isinstance(line, Game))
        except Replaced:
            raise
        except JournalError as error:
            missing = missing_games(_readable_lines(self._path))
            raise JournalError(f"{error}; {missing}") if missing else error from error.__cause__
        return JournalContent(header, lines, self.size, tuple(self.hashes))

    def _parsed(self, text: bytes) -> Line:
        number = len(self.hashes) + 1
        try:
            line: Line = _decoder.decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise JournalError(f"{self._path} line {number} is damaged: {error}") from error
        if (number == 1) is not isinstance(line, Header):
            expected = _FIRST_LINE if number == 1 else "a game or the end of a session"
            raise JournalError(f"{self._path} line {number}: expected {expected}")
        if isinstance(line, Header):
            if line.format != FORMAT:
                raise JournalError(f"{self._path} has format {line.format}; this version reads format {FORMAT}")
            self._header = line
        elif not text.startswith(_link(self.hashes[-1])):
            raise JournalError(
                f"{self._path} line {number} does not follow line {number - 1}: lines were removed, added or changed"
            )
        self.hashes.append(sha256(text).hexdigest())
        return line


def _readable_lines(path: str) -> list[Line]:
    """Return the lines that can be parsed, whether or not they follow each other."""
    found: list[Line] = []
    with suppress(JournalError):
        for _, text in LineReader(path).more():
            with suppress(msgspec.DecodeError, ValueError, RecursionError):
                found.append(_decoder.decode(text))
    return found


def missing_games(lines: Sequence[Line]) -> str:
    """Return which matches lack some of their games, up to the last match that has any; empty if none do."""
    header = next((line for line in lines if isinstance(line, Header)), None)
    try:
        per_match = 2 * int(header.config["seeds"]["perMatch"]) if header is not None else 0
    except (KeyError, TypeError, ValueError):
        return ""
    played = Counter(game.match for game in games_in(lines))
    short = [number for number in range(1, min(max(played, default=0), len(lines)) + 1) if played[number] < per_match]
    said = [f"match {number} has {played[number]} of its {per_match} games" for number in short[:_NAMED]]
    return ", ".join(said) + (f" and {len(short) - _NAMED:,} more matches lack some" if len(short) > _NAMED else "")


def games_in(lines: Sequence[Line]) -> list[Game]:
    """Return the games among the lines of a journal."""
    return [line for line in lines if isinstance(line, Game)]


def ending_in(lines: Sequence[Line]) -> Ending | None:
    """Return why a run has ended; None if it has not, or has since been extended."""
    ending = None
    for line in lines:
        if isinstance(line, Extension):
            ending = None
        elif isinstance(line, SessionEnd):
            ending = line.ending or ending
    return ending


def halt_in(lines: Sequence[Line]) -> str | None:
    """Return why the last session of a run could not go on; None if it was not halted, or another one has begun."""
    last = lines[-1] if lines else None
    return last.halted if isinstance(last, SessionEnd) and last.halted is not UNSET else None
