"""Append-only line files: each line is handed to the system before the next step; a torn last line is dropped.

A file that is still growing can be followed, line by line.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import IO, Final, TypeAlias

from molt_bench.errors import JournalError

#: Called as soon as a file can no longer be written.
Warn: TypeAlias = Callable[[str], None]

#: Attempts to lock a file, and seconds between them.
_TRIES: Final = 10
_TRY_AGAIN_S: Final = 0.05


class LineFile:
    """A file written line by line, by one process at a time. A full disk stops the writing, not the run.

    Raises JournalError if it cannot be written, or another process is writing it.

    Attributes:
        problem: Why writing ended early, if it did.

    Args:
        path: Path of the file.
        new: Whether to create the file; otherwise `cut` sets where writing continues.
        warn: Called if writing ends early.
        meanwhile: What happens then, for that message.
    """

    def __init__(
        self,
        path: str,
        *,
        new: bool = True,
        warn: Warn | None = None,
        meanwhile: str = "the run went on in memory",
    ) -> None:
        self.path = path
        self.problem: str | None = None
        self._warn = warn
        self._meanwhile = meanwhile
        self._file: IO[bytes] | None = _locked(path, "xb" if new else "r+b")

    def cut(self, size: int) -> None:
        """Truncate the file to this many bytes, and continue writing there."""
        if self._file is not None:
            self._file.truncate(size)
            self._file.seek(size)

    def append(self, line: bytes) -> None:
        """Append a line and hand it to the system, so that it survives the end of this program."""
        if self._file is None:
            return
        try:
            self._file.write(line + b"\n")
            self._file.flush()
        except OSError as error:
            self.problem = f"{self.path} could not be written ({error.strerror}): {self._meanwhile}"
            with suppress(OSError):
                self._file.close()
            self._file = None
            if self._warn is not None:
                self._warn(self.problem)

    def flush(self) -> None:
        """Hand to the system what an interruption may have left in this process."""
        with suppress(OSError):
            if self._file is not None:
                self._file.flush()

    def sync(self) -> bool:
        """Flush everything to disk; return whether all of it is there."""
        with suppress(OSError):
            if self._file is not None:
                os.fsync(self._file.fileno())
        return self.problem is None and self._file is not None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _locked(path: str, mode: str) -> IO[bytes]:
    """Open a file for this process only."""
    try:
        file = open(path, mode)  # noqa: SIM115 - it stays open while it is being written
    except OSError as error:
        raise JournalError(f"{path} cannot be written: {error.strerror}") from error
    try:
        import fcntl  # not on every system

        for attempt in range(1, _TRIES + 1):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:  # a reader may hold a lock for a moment to check for a writer
                if attempt == _TRIES:
                    raise
                sleep(_TRY_AGAIN_S)
    except ImportError:
        pass  # a system without such locks
    except OSError as error:
        file.close()
        raise JournalError(f"{path} is being written by another process") from error
    return file


def being_written(path: str | Path) -> bool:
    """Return whether a program is currently writing a line file: it holds a lock on the file while it does."""
    try:
        import fcntl  # not on every system
    except ImportError:
        return False  # a system without such locks
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def whole_lines(path: str) -> tuple[list[bytes], int]:
    """Return the complete lines of a file, and their size in bytes; raises JournalError if it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from error
    size = data.rfind(b"\n") + 1
    return data[:size].split(b"\n")[:-1], size


class Replaced(JournalError):  # noqa: N818 - not an error: a run was restarted in its place
    """The file is no longer the one read so far: it has to be read from the start."""


class Tail:
    """A line file that may still be growing, or not exist yet; `size` bytes and `lines` lines have been read."""

    def __init__(self, path: Path, *, size: int = 0, lines: int = 0) -> None:
        self.path = path
        self.size = size
        self.lines = lines
        self._seen: tuple[int, int, int] | None = None

    def more(self) -> list[tuple[int, bytes]]:
        """Return every new complete line and its offset; raises Replaced if what was read is no longer there."""
        try:
            with open(self.path, "rb") as file:
                state = _state(file.fileno())
                if state == self._seen:
                    return []
                if state[1] < self.size or (self._seen is not None and state[0] != self._seen[0]):
                    raise Replaced(f"{self.path} was replaced while it was read")
                file.seek(self.size)
                data = file.read()
        except FileNotFoundError:
            if self._seen is not None:
                raise Replaced(f"{self.path} is gone") from None
            return []
        except OSError as error:
            raise JournalError(f"{self.path} cannot be read: {error.strerror}") from error
        self._seen = state
        found, at = [], self.size
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            found.append((at, line))
            at += len(line)
        self.size = at
        self.lines += len(found)
        return found

    def line_at(self, start: int, length: int) -> bytes:
        """Read a line again."""
        try:
            with open(self.path, "rb") as file:
                file.seek(start)
                return file.read(length)
        except OSError as error:
            raise JournalError(f"{self.path} cannot be read: {error.strerror}") from error


def _state(descriptor: int) -> tuple[int, int, int]:
    found = os.fstat(descriptor)
    return found.st_ino, found.st_size, found.st_mtime_ns
