"""The journal: append-only JSON lines, the single source of truth about a run.

The first line is the header with the config. Every finished game follows, written before the next decision, and at the
end why the run stopped. A last line torn by a crash is dropped; a damaged line before it is an error.

The lines are chained: each begins with the SHA-256 of the previous one. So any line removed, added or changed later is
detected, and the hash of the last line identifies the whole journal.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import msgspec

from molt_bench.errors import JournalError
from molt_bench.runs.journal_lines import FORMAT, Header, Line
from molt_bench.runs.line_file import LineFile, LineReader, Warn

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
            content = JournalReader(path).read()
        except JournalError:
            journal.close()
            raise
        journal._continue(content)
        return journal, content

    def catch_up(self) -> None:
        """Continue after what is in the file: an interruption may have come between a line and its hash."""
        self._continue(JournalReader(self.path).read())

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

    def read(self) -> JournalContent:
        """Read a whole journal."""
        header = self.header()
        return JournalContent(header, tuple(self.follow()), self.size, tuple(self.hashes))

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
