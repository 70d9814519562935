"""The journal: append-only JSON lines, the one truth of a run.

The first line is the header with the config. Then comes every finished game, written out before the next decision, and
at the end why the run stopped. A last line that a crash has torn is dropped; a damaged line before it is an error.

The lines are chained: each begins with the SHA-256 of the one before it. So a line that was removed, added or changed
later is noticed, and the hash of the last line stands for the whole journal.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.errors import JournalError
from molt_bench.records import GameRecord
from molt_bench.runs.lines import LineFile, Warn, whole_lines
from molt_bench.seeds import Seed
from molt_bench.specs import GameLabel

#: Lines are chained since format 2. One of format 1 can still be looked at.
FORMAT: Final = 2
_READABLE: Final = (1, 2)


class Header(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line.

    Attributes:
        format: Version of the journal's format.
        bench_version: Version of everything that decides a result.
        version: Version of the program.
        config_hash: SHA-256 of the config, so that a changed one is noticed.
        config: The config.
        folder: Where the run was started: relative paths in the config start there.
        seeds: The seeds of the seed file, where there is one.
        source_hashes: SHA-256 of the files that agents of one's own come from, by participant.
        versions: Versions of Python and of the packages that decide a result.
        master_seed_hash: SHA-256 of a master seed that stays secret until the run ends; the config has null for it.
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
    master_seed_hash: str | UnsetType = UNSET


class Game(msgspec.Struct, frozen=True, tag="game", tag_field="line", rename="camel"):
    """One finished game.

    Attributes:
        match: Number of its match, from 1.
        participants: Ids of players A and B.
        record: What happened.
        seconds: How long the run had gone on when it was finished, all sittings together.
    """

    match: int
    participants: tuple[str, str]
    record: GameRecord
    seconds: float = 0.0

    @property
    def label(self) -> GameLabel:
        """Which game of the run it is."""
        return GameLabel(self.match, self.record.seed, self.record.seating)


class Sitting(msgspec.Struct, frozen=True, tag="sitting", tag_field="line", rename="camel"):
    """The end of one sitting at the run.

    Attributes:
        seconds: How long it went on.
        stop_reason: Why the run ended, if it did.
        master_seed: Then the master seed, where it was kept secret so far.
    """

    seconds: float
    stop_reason: str | None = None
    master_seed: Seed | UnsetType = UNSET


class Extension(msgspec.Struct, frozen=True, tag="extension", tag_field="line", rename="camel"):
    """The run goes on under another stop rule, on the same decks.

    Attributes:
        matches: Matches that were complete by then.
        stop: The section `stop` of the config from here on.
        under_way: The pairings of a round that had begun, which is played to its end as it was decided.
    """

    matches: int
    stop: dict[str, Any]
    under_way: list[tuple[str, str]] = []


class Resumption(msgspec.Struct, frozen=True, tag="resumption", tag_field="line", rename="camel"):
    """The run goes on with somebody at the table who may remember: games that had begun are dealt other cards."""


Line: TypeAlias = Header | Game | Sitting | Extension | Resumption

#: So many incomplete matches are named.
_NAMED: Final = 3
_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(Line)


class JournalContent(msgspec.Struct, frozen=True):
    """What a journal holds.

    Attributes:
        header: Its first line.
        lines: The others.
        size: Bytes up to the end of the last whole line.
        hashes: SHA-256 of every line, the header first.
    """

    header: Header
    lines: tuple[Line, ...]
    size: int
    hashes: tuple[str, ...] = ()

    @property
    def line_count(self) -> int:
        """Lines in it, the header included."""
        return len(self.hashes)

    @property
    def last_hash(self) -> str:
        """SHA-256 of the last line, which stands for all of it."""
        return self.hashes[-1] if self.hashes else ""


class Chain:
    """Reads the lines of a journal in their order, and checks that each follows the one before.

    Attributes:
        hashes: SHA-256 of every line so far.

    Args:
        path: Where the journal is, for messages.
        after: What has been read of it already.
    """

    def __init__(self, path: str, *, after: JournalContent | None = None) -> None:
        self.hashes: list[str] = list(after.hashes) if after is not None else []
        self._path = path
        self._header: Header | None = after.header if after is not None else None

    def read(self, text: bytes) -> Line:
        """Return the next line.

        Raises:
            JournalError: It is damaged, or does not follow the one before.
        """
        number, text = len(self.hashes) + 1, text.rstrip(b"\n")
        try:
            line: Line = _decoder.decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise JournalError(f"{self._path} line {number} is damaged: {error}") from error
        if (number == 1) is not isinstance(line, Header):
            raise JournalError(f"{self._path} line {number}: expected {_EXPECTED[number == 1]}")
        if isinstance(line, Header):
            self._begin(line)
        elif self._header and self._header.format > 1 and not text.startswith(_link(self.hashes[-1])):
            raise JournalError(
                f"{self._path} line {number} does not follow line {number - 1}: lines were removed, added or changed"
            )
        self.hashes.append(sha256(text).hexdigest())
        return line

    def _begin(self, header: Header) -> None:
        if header.format not in _READABLE:
            raise JournalError(f"{self._path} has format {header.format}; this version reads format {FORMAT}")
        self._header = header


_EXPECTED: Final = (
    "a game or the end of a sitting",
    "the header of a journal; if nothing was played yet, start it again",
)


def _link(hash_before: str) -> bytes:
    """Return what every line but the first begins with."""
    return b'{"prev":"%b",' % hash_before.encode()


class Journal:
    """A journal that is being written, by one process at a time. A full disk ends the writing, not the run.

    Attributes:
        path: Where it is.
        line_count: Lines in it.
        last_hash: SHA-256 of the last of them.
    """

    def __init__(self, path: str, *, warn: Warn | None = None) -> None:
        """Start a new journal; `warn` is told at once if the writing ends early."""
        self.path = path
        self.line_count = 0
        self.last_hash = ""
        self._file = LineFile(path, warn=warn)

    @classmethod
    def reopen(cls, path: str, *, warn: Warn | None = None) -> tuple["Journal", "JournalContent"]:
        """Go on with a journal: return it, cut to its last whole line, and what is in it."""
        lines = LineFile(path, new=False, warn=warn)  # first of all, so that nobody writes what is being read
        try:
            content = read_journal(path)
        except JournalError:
            lines.close()
            raise
        lines.cut(content.size)
        journal = cls.__new__(cls)
        journal.path, journal._file = path, lines
        journal.line_count, journal.last_hash = len(content.hashes), content.hashes[-1]
        return journal, content

    @property
    def problem(self) -> str | None:
        """Why the writing ended early, if it did."""
        return self._file.problem

    def write(self, line: Line) -> None:
        """Append a line and hand it to the system, so that it survives the end of this program."""
        text = _encoder.encode(line)
        if self.line_count:
            text = _link(self.last_hash) + text[1:]
        self._file.write(text)
        if self._file.problem is not None:
            return
        self.line_count, self.last_hash = self.line_count + 1, sha256(text).hexdigest()

    def sync(self) -> bool:
        """Have the system write everything to the disk itself; say whether all of it is there."""
        return self._file.sync()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_journal(path: str) -> JournalContent:
    """Read a journal.

    Raises:
        JournalError: There is none, a line in it is damaged, or lines were removed, added or changed.
    """
    texts, size = whole_lines(path)
    chain = Chain(path)
    lines: list[Line] = []
    if not texts:
        raise JournalError(f"{path} line 1: expected {_EXPECTED[True]}")
    try:
        lines += [chain.read(text) for text in texts]
    except JournalError as error:
        missing = missing_games(_readable_lines(texts))
        raise JournalError(f"{error}; {missing}") if missing else error from error.__cause__
    assert isinstance(lines[0], Header)
    return JournalContent(lines[0], tuple(lines[1:]), size, tuple(chain.hashes))


def read_lines(path: str) -> Iterator[Line]:
    """Read a journal line by line, so that it need not fit in memory; a last line that was torn off is left out.

    Raises:
        JournalError: It cannot be read, a line in it is damaged, or lines were removed, added or changed.
    """
    chain = Chain(path)
    try:
        with open(path, "rb") as file:
            for text in file:
                if not text.endswith(b"\n"):
                    return
                yield chain.read(text)
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from error


def read_header(path: str) -> Header:
    """Return the first line of a journal.

    Raises:
        JournalError: It cannot be read, or there is none.
    """
    header = next(read_lines(path), None)
    if not isinstance(header, Header):
        raise JournalError(f"{path} line 1: expected {_EXPECTED[True]}")
    return header


def _readable_lines(texts: Sequence[bytes]) -> list[Line]:
    """Return the lines that can be read at all, whether they follow each other or not."""
    found = []
    for text in texts:
        try:
            found.append(_decoder.decode(text))
        except (msgspec.DecodeError, ValueError, RecursionError):
            continue
    return found


def missing_games(lines: Sequence[Line]) -> str:
    """Say which matches lack some of their games, up to the last match that has any; nothing where none does."""
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


def stop_reason_in(lines: Sequence[Line]) -> str | None:
    """Return why a run has ended; None if it has not, or was extended since."""
    reason = None
    for line in lines:
        if isinstance(line, Extension):
            reason = None
        elif isinstance(line, Sitting):
            reason = line.stop_reason or reason
    return reason
