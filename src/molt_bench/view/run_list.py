"""The list of runs in a folder; nothing outside the folder is ever read."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from molt_bench.errors import ConfigError
from molt_bench.files import inside
from molt_bench.runs.folder import JOURNAL

_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)")


class RunList:
    """The runs in a folder, or the one that a folder is; each has a journal."""

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder)
        if not path.is_dir():
            raise ConfigError("DIR", str(folder), "a folder of runs, or the folder of a run")
        self.root = path.resolve()
        self.is_run = inside(self.root, self.root / JOURNAL)

    def ids(self) -> list[str]:
        """Return the names of all runs, newest first."""
        if self.is_run:
            return [self.root.name]
        try:
            names = [entry.name for entry in os.scandir(self.root) if _readable(entry.name)]
        except OSError as error:
            raise ConfigError("DIR", str(self.root), f"a folder that can be read ({error.strerror})") from error
        found = [name for name in names if inside(self.root, self.root / name / JOURNAL)]
        return sorted(found, key=lambda name: (started(name) or "", name), reverse=True)

    def folder(self, name: str) -> Path | None:
        """Return the folder of the run of this name, or None if there is none."""
        if self.is_run:
            return self.root if name == self.root.name else None
        if not _readable(name) or name in (".", "..") or {"/", "\\", "\0"} & {*name}:
            return None
        folder = self.root / name
        return folder if inside(self.root, folder / JOURNAL) else None


def started(run: str) -> str | None:
    """Return the time in the name of a folder, in ISO 8601 with the time zone of this machine; None without a time.

    >>> (started("2026-11-15T10-08-05-2") or "")[:19], started("mine")
    ('2026-11-15T10:08:05', None)
    """
    found = _STAMP.match(run)
    if found is None:
        return None
    try:
        moment = datetime.fromisoformat("{}T{}:{}:{}".format(*found.groups()))
    except ValueError:
        return None
    return moment.astimezone().isoformat()


def files_state(paths: Iterable[Path]) -> tuple[int, ...]:
    """Return numbers that change with any of these files."""
    found: list[int] = []
    for path in paths:
        with suppress(OSError):  # it was removed since
            state = path.stat()
            found += [state.st_ino, state.st_size, state.st_mtime_ns]
    return tuple(found)


def _readable(name: str) -> bool:
    """Return whether a name can be part of a URL; one that is not valid Unicode cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name)
