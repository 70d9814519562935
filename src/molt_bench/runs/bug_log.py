"""The log of a bug of ours: the traceback, kept in the folder of the run that it ended."""

from contextlib import suppress
from pathlib import Path
from typing import Final

from molt_bench._version import __version__
from molt_bench.errors import InternalError

BUG_LOG: Final = "bug.log"
#: Most bytes of a log.
_KEPT: Final = 256 * 1024


def write_bug(folder: Path, error: InternalError) -> Path:
    """Add the traceback of a bug to the log of a run, and return its path; a full disk is no second error."""
    path = folder / BUG_LOG
    text = f"=== molt-bench {__version__} ===\n{error.trace or error}\n"
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.stat().st_size < _KEPT:
            with path.open("ab") as file:
                file.write(text.encode("utf-8", "backslashreplace")[-_KEPT:])
    return path
