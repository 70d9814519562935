"""Folders: which runs there are to look at, and nothing beside them."""

import os
import re
from datetime import datetime
from pathlib import Path
from typing import Final

from molt_bench.errors import ConfigError
from molt_bench.runs.folder import JOURNAL

_STAMP: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)")


class Runs:
    """The runs in a folder, or the one run that a folder is.

    Attributes:
        root: The folder; nothing outside it is ever read.
        single: Whether it is itself a run.

    Raises:
        ConfigError: There is no such folder.
    """

    def __init__(self, folder: str | Path) -> None:
        path = Path(folder)
        if not path.is_dir():
            raise ConfigError("DIR", str(folder), "a folder of runs, or the folder of a run")
        self.root = path.resolve()
        self.single = inside(self.root, self.root / JOURNAL)

    def ids(self) -> list[str]:
        """Return the names of all runs, newest first."""
        if self.single:
            return [self.root.name]
        try:
            names = [entry.name for entry in os.scandir(self.root) if _readable(entry.name)]
        except OSError as error:
            raise ConfigError("DIR", str(self.root), f"a folder that can be read ({error.strerror})") from error
        found = [name for name in names if inside(self.root, self.root / name / JOURNAL)]
        return sorted(found, key=lambda name: (self.started(name) or "", name), reverse=True)

    def folder(self, run: str) -> Path | None:
        """Return where a run is, if there is one of this name."""
        if self.single:
            return self.root if run == self.root.name else None
        if not _readable(run) or run in (".", "..") or {"/", "\\", "\0"} & {*run}:
            return None
        folder = self.root / run
        return folder if inside(self.root, folder / JOURNAL) else None

    def started(self, run: str) -> str | None:
        """Return when a run was started, by the name of its folder."""
        return started(run)


def started(run: str) -> str | None:
    """Return the time that the name of a folder says, in ISO 8601 with the zone of this machine; None for no time.

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


def inside(root: Path, file: Path) -> bool:
    """Say whether there is such a file, and whether it lies within the folder, links followed."""
    try:
        return file.is_file() and file.resolve().is_relative_to(root)
    except (OSError, RuntimeError, ValueError):
        return False


def _readable(name: str) -> bool:
    """Say whether a name can be written in an address: one with broken bytes cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return bool(name)
