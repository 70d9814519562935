"""What people call a run and say about it: `about.yaml` in its folder, which anybody may write or change."""

from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from molt_bench.errors import ConfigError
from molt_bench.files import write_whole

ABOUT: Final = "about.yaml"
_LONGEST_NAME: Final = 200
_LONGEST_NOTE: Final = 10_000


class About(msgspec.Struct, frozen=True):
    """What people call a run and say about it. Neither changes a result.

    Attributes:
        name: The name of the run, on one line; empty if there is none.
        note: A note on it; empty if there is none.
    """

    name: str = ""
    note: str = ""

    def check(self) -> None:
        """Raise ConfigError if a name or a note is too long, or a name has several lines."""
        if len(self.name) > _LONGEST_NAME or len(self.name.splitlines()) > 1:
            raise ConfigError("--name", self.name[:60], f"one line of at most {_LONGEST_NAME} characters")
        if len(self.note) > _LONGEST_NOTE:
            raise ConfigError("--note", f"{self.note[:60]}...", f"at most {_LONGEST_NOTE:,} characters")


def write_about(folder: Path, about: About) -> None:
    """Write the name and the note of a run, if it has any; what else stands in the file stays.

    Raises OSError if it cannot be written.
    """
    others = {key: value for key, value in _read(folder).items() if key not in About.__struct_fields__}
    known = {key: text for key, text in msgspec.structs.asdict(about).items() if text} | others
    # A run that somebody sent may hold a link of this name, and what is written must not follow it.
    (folder / f".{ABOUT}.part").unlink(missing_ok=True)
    if known:
        write_whole(folder / ABOUT, yaml.safe_dump(known, sort_keys=False, allow_unicode=True).encode())
    else:
        (folder / ABOUT).unlink(missing_ok=True)


def read_about(folder: Path) -> About:
    """Return what is written about a run; what cannot be read is left out."""
    found = _read(folder)
    name, note = (str(found.get(key) or "").strip() for key in ("name", "note"))
    return About(" ".join(name.split())[:_LONGEST_NAME], note[:_LONGEST_NOTE])


def _read(folder: Path) -> dict[Any, Any]:
    """Return what stands in the file; nothing if that cannot be read."""
    try:
        with open(folder / ABOUT, "rb") as file:
            found = yaml.safe_load(file.read(8 * _LONGEST_NOTE).decode("utf-8", "replace"))
    except (OSError, yaml.YAMLError, RecursionError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
