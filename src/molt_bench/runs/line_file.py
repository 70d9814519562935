"""Append-only line files: each line is handed to the system before the next step, by one process at a time.

A file that is still growing can be read, and others can tell that it is being written.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from time import sleep
from typing import Final, Literal, TypeAlias

from molt_bench.errors import JournalError

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

#: Called as soon as a file can no longer be written.
Warn: TypeAlias = Callable[[str], None]
#: Attempts to lock a file, and seconds between them.
_TRIES: Final = 10
_TRY_AGAIN_S: Final = 0.05


class LineFile:
    """A file written line by line, by one process at a time. A full disk ends the writing, for good, and is warned of.

    Raises JournalError if it cannot be opened, or another process is writing it.

    Attributes:
        problem: Why lines are missing from the file, if any are.

    Args:
        path: Path of the file.
        new: Whether to create the file; otherwise `cut` sets where writing continues.
        warn: Called when a line cannot be written.
        then: What follows from that, for the message.
    """

    def __init__(
        self, path: str, *, new: bool = True, warn: Warn | None = None, then: str = "the run went on in memory"
    ) -> None:
        self.path = path
        self.problem: str | None = None
        self._warn = warn
        self._then = then
        self._file = _locked(path, "xb" if new else "r+b")

    def cut(self, size: int) -> None:
        """Truncate the file to this many bytes, and continue writing there."""
        self._file.truncate(size)
        self._file.seek(size)

    def append(self, line: bytes) -> bool:
        """Append a line and hand it to the system, so that it survives the end of this program; return whether it is.

        All of it is written, or nothing.
        """
        if self._file.closed or self.problem is not None:
            return False
        start, left = self._file.tell(), memoryview(line + b"\n")
        try:
            while left:
                left = left[self._file.write(left) or 0 :]
        except OSError as error:
            with suppress(OSError):
                self.cut(start)
            self.problem = f"{self.path} could not be written ({error.strerror}): {self._then}"
            if self._warn is not None:
                self._warn(self.problem)
            return False
        return True

    def sync(self) -> bool:
        """Flush what is written to disk; return whether every line is there."""
        with suppress(OSError, ValueError):  # it may be closed
            os.fsync(self._file.fileno())
        return self.problem is None and not self._file.closed

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):
            self._file.close()


def lines_after(path: str | Path, size: int = 0) -> Iterator[bytes]:
    """Yield every complete line of a file after its first so many bytes, without its end.

    Raises JournalError if the file cannot be read, or is shorter.
    """
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size < size:
                raise JournalError(f"{path} was replaced while it was read")
            file.seek(size)
            for line in file:
                if line.endswith(b"\n"):
                    yield line[:-1]
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from error


def being_written(path: str | Path) -> bool:
    """Return whether a program is currently writing a file: it holds a lock on the file while it does."""
    if fcntl is None:
        return False
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _locked(path: str, mode: Literal["xb", "r+b"]) -> FileIO:
    """Open a file for this process only. Every write goes to the system, so nothing is left over in this process."""
    try:
        file = open(path, mode, buffering=0)  # noqa: SIM115 - it stays open while it is being written
    except OSError as error:
        raise JournalError(f"{path} cannot be written: {error.strerror}") from error
    for attempt in range(1, _TRIES + 1 if fcntl else 0):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError as error:  # a reader may hold a lock for a moment to check for a writer
            if attempt == _TRIES:
                file.close()
                raise JournalError(f"{path} is being written by another process") from error
            sleep(_TRY_AGAIN_S)
    return file
