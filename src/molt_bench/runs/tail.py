"""Tailing: the lines added to a growing file since the last read."""

from pathlib import Path

from molt_bench.errors import JournalError


class Replaced(JournalError):  # noqa: N818 - not an error: a run was restarted in its place
    """The file is no longer the one read so far: it has to be read from the start."""


class Tail:
    """A line file that may still be growing.

    Attributes:
        path: Path of the file.
        size: Bytes read, up to the end of the last complete line.
        lines: Lines read.

    Args:
        path: Path of the file; it may not exist yet.
        size: Bytes already read.
        lines: Lines already read.
    """

    def __init__(self, path: Path, *, size: int = 0, lines: int = 0) -> None:
        self.path = path
        self.size = size
        self.lines = lines
        self._seen: tuple[int, int, int] | None = None

    def more(self) -> list[tuple[int, bytes]]:
        """Return every new complete line, and its offset.

        Raises:
            Replaced: What was read is no longer there.
            JournalError: It cannot be read.
        """
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
    import os

    found = os.fstat(descriptor)
    return found.st_ino, found.st_size, found.st_mtime_ns
