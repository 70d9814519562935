"""Append-only line files: each line is handed to the system before the next step; a torn last line is dropped.

A file that is still growing can be followed, line by line.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final, Generic, TypeAlias, TypeVar

from molt_bench.errors import JournalError
from molt_bench.runs.file_lock import locked_file

T = TypeVar("T")

#: Called as soon as a file can no longer be written.
Warn: TypeAlias = Callable[[str], None]

#: Most bytes of lines that are held in memory for want of room; beyond that, writing ends for good.
_MOST_HELD_BYTES: Final = 256 * 2**20


class LineFile:
    """A file written line by line, by one process at a time. A full disk stops the writing, not the run.

    A line that cannot be written is held in memory, and written before the next one once there is room again.

    Raises JournalError if it cannot be written, or another process is writing it.

    Attributes:
        problem: Why lines are missing from the file, if any are.
        opened: Whether it has been opened.

    Args:
        path: Path of the file.
        new: Whether to create the file; otherwise `cut` sets where writing continues. None leaves that to `open`.
        warn: Called when a line cannot be written.
        meanwhile: What happens then, for that message.
    """

    def __init__(
        self,
        path: str,
        *,
        new: bool | None = True,
        warn: Warn | None = None,
        meanwhile: str = "the run went on in memory",
    ) -> None:
        self.path = path
        self.problem: str | None = None
        self.opened = False
        self._warn = warn
        self._meanwhile = meanwhile
        self._held: deque[bytes] = deque()
        self._held_bytes = 0
        self._file: FileIO | None = None
        if new is not None:
            self.open(new=new)

    def open(self, *, new: bool) -> None:
        """Create the file, or open it to be continued; no other process can write it from now on."""
        self._file, self.opened = locked_file(self.path, "xb" if new else "r+b"), True

    def cut(self, size: int) -> None:
        """Truncate the file to this many bytes, and continue writing there."""
        if self._file is not None:
            self._file.truncate(size)
            self._file.seek(size)

    def append(self, line: bytes) -> None:
        """Append a line and hand it to the system, so that it survives the end of this program."""
        if self._file is not None:
            self._held.append(line)
            self._held_bytes += len(line)
            self.write_held()

    @property
    def held(self) -> int:
        """Number of lines that could not be written yet."""
        return len(self._held)

    def count_held(self, beginning: bytes) -> int:
        """Return how many of those begin so."""
        return sum(line.startswith(beginning) for line in self._held)

    def write_held(self) -> None:
        """Write the lines that are held in memory, as far as there is room."""
        while self._held and self._file is not None:
            try:
                self._put(self._file, self._held[0] + b"\n")
            except OSError as error:
                self._stuck(error)
                return
            self._held_bytes -= len(self._held[0])
            self._written(self._held.popleft())
        if self._file is not None:
            self.problem = None

    def _put(self, file: FileIO, data: bytes) -> None:
        """Write all of the data or nothing; raises OSError if there is no room."""
        start, left = file.tell(), memoryview(data)
        try:
            while left:
                left = left[file.write(left) or 0 :]
        except OSError:
            with suppress(OSError):
                self.cut(start)
            raise

    def _stuck(self, error: OSError) -> None:
        told = self.problem is not None
        self.problem = f"{self.path} could not be written ({error.strerror}): {self._meanwhile}"
        if self._held_bytes > _MOST_HELD_BYTES:
            self._held.clear()
            self._end()
        if self._warn is not None and not told:
            self._warn(self.problem)

    def _written(self, line: bytes) -> None:
        """Take note of a line that is in the file."""

    def sync(self) -> bool:
        """Flush what is written to disk, from any thread; return whether every line is there."""
        file = self._file
        with suppress(OSError, ValueError):  # it may be closed meanwhile
            if file is not None:
                os.fsync(file.fileno())
        return self.problem is None and self._file is not None

    def close(self) -> None:
        """Close the file; what is held in memory is lost if there is still no room for it."""
        self.write_held()
        self._end()

    def _end(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None


class LineStore(LineFile, Generic[T]):
    """A file of lines that is read whole and then continued: the lines of earlier sessions, and those of this one.

    It is created with its first line, unless it was before. With `read_only`, nothing is written. `read` parses a line,
    and is told its place.
    """

    def __init__(
        self,
        path: Path,
        read: Callable[[bytes, str], T],
        *,
        read_only: bool,
        meanwhile: str,
        warn: Warn | None = None,
    ) -> None:
        super().__init__(str(path), new=None, warn=warn, meanwhile=meanwhile)
        self._read = read
        self._read_only = read_only

    def earlier(self) -> Iterator[tuple[str, T]]:
        """Yield every line of earlier sessions, with its place, and continue the file after them, if there is one.

        Raises JournalError if the file cannot be read or written, or a line is damaged.
        """
        if not Path(self.path).exists():
            return
        if not self._read_only:
            self.open(new=False)  # first, so that no other process writes while this reads
        lines = LineReader(self.path)
        for number, (_, text) in enumerate(lines.more(), start=1):
            place = f"{self.path} line {number}"
            yield place, self._read(text, place)
        self.cut(lines.size)
        self.sync()  # a session that was killed may have left lines that only the system has

    def create(self) -> None:
        """Create the file, unless it is open, or nothing is written."""
        if not self.opened and not self._read_only:
            self.open(new=True)

    def append(self, line: bytes) -> None:
        """Write a line, and hand it to the system, if there is room."""
        self.create()
        super().append(line)


class Replaced(JournalError):  # noqa: N818 - not an error: a run was restarted in its place
    """The file is no longer the one read so far: it has to be read from the start."""


class LineReader:
    """Reads the complete lines of a file, and later those that were added; `size` bytes have been read."""

    def __init__(self, path: str | Path, *, size: int = 0) -> None:
        self.path = Path(path)
        self.size = size
        self._inode: int | None = None

    def more(self) -> Iterator[tuple[int, bytes]]:
        """Yield every complete line that has not been read yet, without its end, and where it begins.

        Raises:
            JournalError: The file cannot be read.
            Replaced: What was read is no longer there.
        """
        try:
            with open(self.path, "rb") as file:
                now = os.fstat(file.fileno())
                if now.st_size < self.size or self._inode not in (None, now.st_ino):
                    raise Replaced(f"{self.path} was replaced while it was read")
                self._inode = now.st_ino
                file.seek(self.size)
                for line in file:
                    if not line.endswith(b"\n"):
                        return
                    start, self.size = self.size, self.size + len(line)
                    yield start, line[:-1]
        except OSError as error:
            if self._inode is not None and isinstance(error, FileNotFoundError):
                raise Replaced(f"{self.path} is gone") from None
            raise JournalError(f"{self.path} cannot be read: {error.strerror}") from error

    def line_at(self, start: int, length: int) -> bytes:
        """Read a line again."""
        try:
            with open(self.path, "rb") as file:
                file.seek(start)
                return file.read(length)
        except OSError as error:
            raise JournalError(f"{self.path} cannot be read: {error.strerror}") from error
