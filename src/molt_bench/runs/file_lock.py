"""The lock on a file of a run: one process writes it, and others can tell that it is being written."""

from io import FileIO
from pathlib import Path
from time import sleep
from typing import Final, Literal

from molt_bench.errors import JournalError

try:
    import fcntl
except ImportError:  # a system without such locks
    fcntl = None  # type: ignore[assignment]

#: Attempts to lock a file, and seconds between them.
_TRIES: Final = 10
_TRY_AGAIN_S: Final = 0.05


def locked_file(path: str, mode: Literal["xb", "r+b"]) -> FileIO:
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
