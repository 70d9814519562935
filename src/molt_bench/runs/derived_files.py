"""What the closing line of a journal vouches for: the margins of the matches, and the records of answers.

The line has their SHA-256 (`vouched`), so the hash chain covers them: a record that was edited since is not believed. A
hash in another file would be no evidence, since whoever edits one of them can edit both. Runs that have not ended have
no such line.
"""

from collections.abc import Mapping, Sequence
from hashlib import file_digest
from pathlib import Path

from msgspec import UNSET

from molt_bench.errors import JournalError
from molt_bench.runs.journal import JournalContent, Line, SessionEnd


def vouched_in(lines: Sequence[Line]) -> Mapping[str, str]:
    """Return what the closing line of a journal vouches for; nothing if there is none, or the journal goes on."""
    last = lines[-1] if lines else None
    return last.vouched if isinstance(last, SessionEnd) and last.vouched is not UNSET else {}


def file_hashes(folder: Path, *names: str) -> dict[str, str]:
    """Return the hashes of those files of a run that are there, for its closing line."""
    found = {name: _hash_of(folder / name) for name in names}
    return {name: digest for name, digest in found.items() if digest is not None}


def is_recorded(folder: Path, name: str, content: JournalContent) -> bool:
    """Return whether a record is as it was when the journal was closed, or the journal does not say."""
    return vouched_in(content.lines).get(name) in (None, _hash_of(folder / name))


def check_record(folder: Path, name: str, content: JournalContent) -> None:
    """Raise JournalError if a record was changed or removed since the journal was closed."""
    if not is_recorded(folder, name, content):
        raise JournalError(f"{folder / name} is not what the run recorded: it was changed after the run")


def _hash_of(path: Path) -> str | None:
    try:
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
