"""The journal: append-only JSON lines, the single source of truth about a run.

The first line is the header with the config. Every finished game follows, written before the next decision, and at the
end why the run stopped. A last line torn by a crash is dropped; a damaged line before it is an error.

The lines are chained: each begins with the SHA-256 of the previous one. So any line removed, added or changed later is
detected, and the hash of the last line identifies the whole journal.
"""

from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.errors import JournalError
from molt_bench.runs.journal_lines import FORMAT, Game, Header, Line, Rated
from molt_bench.runs.line_file import LineFile, Warn, lines_after

_FIRST_LINE: Final = "the header of a journal; if nothing was played yet, start it again"
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
    """A journal that is being written, by one process at a time. A full disk ends the writing, not the run.

    Attributes:
        line_count: Number of lines in the file.
        last_hash: SHA-256 of the last of them.
    """

    def __init__(self, path: str, *, new: bool = True, warn: Warn | None = None) -> None:
        super().__init__(path, new=new, warn=warn)
        self.line_count = 0
        self.last_hash = ""

    @classmethod
    def reopen(cls, path: str, *, warn: Warn | None = None) -> tuple["Journal", JournalContent]:
        """Continue a journal: return it, cut after its last complete line, and its contents."""
        journal = cls(path, new=False, warn=warn)  # first of all, so that no other process writes while this reads
        try:
            content = read_journal(path)
        except JournalError:
            journal.close()
            raise
        journal._continue(content)
        return journal, content

    def catch_up(self) -> None:
        """Continue after what is in the file: an interruption may have come between a line and its hash."""
        self._continue(read_journal(self.path))

    def _continue(self, content: JournalContent) -> None:
        self.cut(content.size)
        self.line_count, self.last_hash = content.line_count, content.last_hash

    def write(self, line: Line) -> None:
        """Append a line and hand it to the system, so that it survives the end of this program."""
        text = _encoder.encode(line)
        if self.last_hash:
            text = _link(self.last_hash) + text[1:]
        if self.append(text):
            self.line_count, self.last_hash = self.line_count + 1, sha256(text).hexdigest()


def read_journal(path: str | Path, *, after: JournalContent | None = None, hands: bool = True) -> JournalContent:
    """Read a whole journal, or what was added `after` it was read before; a torn last line is left out.

    Without `hands`, a rated match keeps none of them, so that memory hardly grows with the run.
    Raises JournalError if the file cannot be read, or a line is damaged, or does not follow the one before.
    """
    header = read_header(path) if after is None else after.header
    lines = [] if after is None else [*after.lines]
    hashes = [] if after is None else [*after.hashes]
    size = 0 if after is None else after.size
    unrated: dict[int, list[int]] = defaultdict(list)
    for text in lines_after(path, size):
        number = len(hashes) + 1
        if number > 1:
            line = _parsed(path, number, text)
            if isinstance(line, Header):
                raise JournalError(f"{path} line {number}: expected a game or the end of a session")
            if not text.startswith(_link(hashes[-1])):
                raise JournalError(
                    f"{path} line {number} does not follow line {number - 1}: lines were removed, added or changed"
                )
            lines.append(line)
            if isinstance(line, Game):
                unrated[line.match].append(len(lines) - 1)
            elif isinstance(line, Rated) and not hands:
                for at in unrated.pop(line.match, ()):
                    lines[at] = _without_hands(lines[at])
        hashes.append(sha256(text).hexdigest())
        size += len(text) + 1
    return JournalContent(header, tuple(lines), size, tuple(hashes))


def _without_hands(line: Line) -> Line:
    return msgspec.structs.replace(line, record=line.record.without_hands()) if isinstance(line, Game) else line


def read_games(path: str | Path, lines: int) -> Iterator[tuple[int, Game]]:
    """Yield every finished game among the first so many lines of a journal, with the number of its line.

    Memory holds one game at a time.
    """
    for number, text in islice(enumerate(lines_after(path), start=1), lines):
        line = _parsed(path, number, text)
        if isinstance(line, Game):
            yield number, line


def read_header(path: str | Path) -> Header:
    """Read the first line of a journal; raises JournalError if it is none."""
    text = next(lines_after(path), None)
    line = None if text is None else _parsed(path, 1, text)
    if not isinstance(line, Header):
        raise JournalError(f"{path} line 1: expected {_FIRST_LINE}")
    if line.format != FORMAT:
        raise JournalError(f"{path} has format {line.format}; this version reads format {FORMAT}")
    return line


def _parsed(path: str | Path, number: int, text: bytes) -> Line:
    try:
        line: Line = _decoder.decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise JournalError(f"{path} line {number} is damaged: {error}") from error
    return line
