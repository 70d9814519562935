"""`styles.json`: the styles of a run's participants, counted once and stored with the run."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.errors import MoltBenchError, RulesError
from molt_bench.files import write_whole
from molt_bench.report.style import Style, StyleCount, combined
from molt_bench.runs.journal import Game
from molt_bench.runs.stored_run import StoredRun

STYLES: Final = "styles.json"


class StyleFile(msgspec.Struct, frozen=True, rename="camel"):
    """What `styles.json` holds.

    Attributes:
        lines: How many lines of the journal have been counted.
        sha256: The hash of the last of them: the styles are those of this journal.
        styles: The style of each participant, by id.
    """

    lines: int
    sha256: str
    styles: Mapping[str, Style]
    format: int = 1


def write_styles(folder: Path) -> list[str]:
    """Count the styles of a run and write them; return a warning if that failed."""
    path = folder / STYLES
    try:
        content = StoredRun.open(folder, check=False).content
        count = StyleCount()
        for line in content.lines:
            if isinstance(line, Game):
                count.add(line.participants, line.record)
        styles = {name: combined(parts) for name, parts in sorted(count.parts.items())}
        found = StyleFile(len(content.hashes), content.hashes[-1], styles)
        write_whole(path, msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
    except OSError as error:
        return [f"{path} could not be written: {error.strerror}"]
    except (MoltBenchError, RulesError, ValueError) as error:
        return [f"{path} could not be written: {error}"]
    return []


def read_styles(path: Path) -> StyleFile | None:
    """Return what a run has stored about styles; None if nothing, or nothing that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=StyleFile)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
