"""What the closing line of a journal vouches for: the margins of the matches, and the record of replies.

The line has their SHA-256 (`vouched`), so the hash chain covers them: a record that was edited since is not believed. A
hash in another file would be no evidence, since whoever edits one of them can edit both. Runs that have not ended have
no such line.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import UNSET

from molt_bench.errors import JournalError
from molt_bench.runs.folder import REPLIES
from molt_bench.runs.journal import JournalContent
from molt_bench.runs.journal_lines import Line, SessionEnd
from molt_bench.runs.replies import replies_hash


def vouched_in(lines: Sequence[Line]) -> Mapping[str, str]:
    """Return what the closing line of a journal vouches for; nothing if there is none, or the journal goes on."""
    last = lines[-1] if lines else None
    return last.vouched if isinstance(last, SessionEnd) and last.vouched is not UNSET else {}


def replies_are_recorded(folder: Path, content: JournalContent) -> bool:
    """Return whether the replies are those for which the closed journal vouches, or it does not say."""
    return vouched_in(content.lines).get(REPLIES) in (None, replies_hash(folder / REPLIES))


def check_replies(folder: Path, content: JournalContent) -> None:
    """Raise JournalError if the replies were changed or removed since the journal was closed."""
    if not replies_are_recorded(folder, content):
        raise JournalError(f"{folder / REPLIES} is not what the run recorded: it was changed after the run")
