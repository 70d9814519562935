"""Tailing: the lines that a growing file has got since one last looked."""

from pathlib import Path

from molt_bench.errors import JournalError


class Replaced(JournalError):  # noqa: N818 - not a mistake: a run was started again in its place
    """The file is not the one that was read so far: it has to be read anew."""


class Tail:
    """A file of lines that may still be written.

    Attributes:
        path: Where it is.
        size: Bytes that were read, up to the end of the last whole line.
        lines: Lines that were read.

    Args:
        path: Where it is; there may be none yet.
        size: Bytes that were read already.
        lines: Lines that were read already.
    """

    def __init__(self, path: Path, *, size: int = 0, lines: int = 0) -> None:
        self.path = path
        self.size = size
        self.lines = lines
        self._seen: tuple[int, int, int] | None = None

    def more(self) -> list[tuple[int, bytes]]:
        """Return every whole line that is new, and where it begins.

        Raises:
            Replaced: What was read is not there any more.
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
