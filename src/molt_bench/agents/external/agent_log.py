"""The log of one participant of a run: what its program writes to standard error, kept up to a limit."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from molt_bench.files import file_name

#: Bytes kept for each participant of a run; the rest is only counted.
KEPT: Final = 64 * 1024
#: Bytes in which the last line is searched.
_TAIL: Final = 2048
_LINE_LENGTH: Final = 200


class AgentLog:
    """The log of one participant. Many games share its file; without one, only the last line is kept."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._tail = b""

    def add(self, data: bytes) -> None:
        """Add what was written."""
        self._tail = (self._tail + data)[-_TAIL:]
        if self._path is not None:
            with suppress(OSError):  # a full disk must not end a game
                _append(self._path, data)

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


def _append(path: Path, data: bytes) -> None:
    """Append to a log; bytes beyond the limit are counted in its last line."""
    try:
        file = open(path, "r+b")  # noqa: SIM115 - closed below, whichever way it was opened
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = open(path, "w+b")  # noqa: SIM115
    with file:
        size = file.seek(0, os.SEEK_END)
        room = max(0, KEPT - size)
        file.write(data[:room])
        dropped = len(data) - room
        if dropped <= 0:
            return
        file.seek(KEPT)
        earlier = re.search(rb"(\d+) more bytes", file.read(_TAIL))
        file.seek(KEPT)
        file.write(b"\n[%d more bytes were dropped]\n" % (dropped + (int(earlier[1]) if earlier else 0)))
        file.truncate()
