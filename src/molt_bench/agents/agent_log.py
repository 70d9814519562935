"""The log of one participant of a run: what its program writes to standard error, and what its code raises."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from molt_bench.files import file_name

#: Bytes kept for each participant of a run.
KEPT: Final = 64 * 1024
#: Bytes in which the last line is searched.
_TAIL: Final = 2048
_LINE_LENGTH: Final = 200
_DROPPED: Final = b"\n[more was dropped]\n"


class AgentLog:
    """The log of one participant. Many games share its file; without one, only the last line is kept."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._tail = b""

    def add(self, data: bytes) -> None:
        """Add what was written."""
        self._tail = (self._tail + data)[-_TAIL:]
        if self._path is not None:
            append(self._path, data)

    def forget_line(self) -> None:
        """Forget the last line, since another process starts."""
        self._tail = b""

    @property
    def last_line(self) -> str:
        """The last line that is not blank, in printable characters."""
        lines = self._tail.decode("utf-8", "replace").split("\n")
        line = next((line.strip() for line in reversed(lines) if line.strip()), "")[:_LINE_LENGTH]
        return "".join(char if char.isprintable() else "?" for char in line)


def log_path(folder: Path, participant: str) -> Path:
    """Return the path of a participant's log."""
    return folder / f"{file_name(participant)}.log"


def append(path: Path, data: bytes) -> None:
    """Append to a log up to the limit, if that can be; then a last line says that more was dropped."""
    with suppress(OSError):  # a full disk must not end a game
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "ab") as file:
            room = KEPT - file.tell()
            if room >= 0:
                file.write(data[:room] if len(data) <= room else data[:room] + _DROPPED)
