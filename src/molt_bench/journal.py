"""The journal: append-only JSON lines, the one truth of a run.

The first line is the header with the config. Then comes every finished game, written out before the next decision, and
at the end why the run stopped. A last line that a crash has torn is dropped; a damaged line before it is an error.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import msgspec

from molt_bench.errors import JournalError
from molt_bench.lines import LineFile, Warn, whole_lines
from molt_bench.records import GameRecord
from molt_bench.seeds import Seed

FORMAT: Final = 1


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


class Sitting(msgspec.Struct, frozen=True, tag="sitting", tag_field="line", rename="camel"):
    """The end of one sitting at the run: for how long it went on, and why it ended for good, if it did."""

    seconds: float
    stop_reason: str | None = None


Line: TypeAlias = Header | Game | Sitting

_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(Line)


class JournalContent(msgspec.Struct, frozen=True):
    """What a journal holds.

    Attributes:
        header: Its first line.
        lines: The others.
        size: Bytes up to the end of the last whole line.
    """

    header: Header
    lines: tuple[Line, ...]
    size: int


class Journal:
    """A journal that is being written, by one process at a time. A full disk ends the writing, not the run.

    Attributes:
        path: Where it is.
    """

    def __init__(self, path: str, *, warn: Warn | None = None) -> None:
        """Start a new journal; `warn` is told at once if the writing ends early."""
        self.path = path
        self._lines = LineFile(path, warn=warn)

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
        journal.path, journal._lines = path, lines
        return journal, content

    @property
    def problem(self) -> str | None:
        """Why the writing ended early, if it did."""
        return self._lines.problem

    def write(self, line: Line) -> None:
        """Append a line and hand it to the system, so that it survives the end of this program."""
        self._lines.write(_encoder.encode(line))

    def close(self) -> None:
        """Close the file."""
        self._lines.close()


def read_journal(path: str) -> JournalContent:
    """Read a journal.

    Raises:
        JournalError: There is none, or a line in it is damaged.
    """
    texts, size = whole_lines(path)
    lines = [_decoded(path, number, text) for number, text in enumerate(texts, start=1)]
    if not lines or not isinstance(lines[0], Header):
        raise JournalError(
            f"{path} line 1: expected the header of a journal; if nothing was played yet, start it again"
        )
    header = lines[0]
    if header.format != FORMAT:
        raise JournalError(f"{path} has format {header.format}; this version reads format {FORMAT}")
    return JournalContent(header, tuple(lines[1:]), size)


def _decoded(path: str, number: int, text: bytes) -> Line:
    try:
        line: Line = _decoder.decode(text)
    except (msgspec.DecodeError, ValueError) as error:
        raise JournalError(f"{path} line {number} is damaged: {error}") from error
    return line


def games_in(lines: Sequence[Line]) -> list[Game]:
    """Return the games among the lines of a journal."""
    return [line for line in lines if isinstance(line, Game)]
