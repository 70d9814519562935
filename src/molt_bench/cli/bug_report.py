"""A bug of ours outside of a run: written to a log, and told in one line."""

from tempfile import NamedTemporaryFile

from molt_bench.blame import internal_error
from molt_bench.visible_text import printable


def reported(error: Exception) -> str:
    """Write an exception to a log, and return what to tell the user."""
    bug = internal_error(error)
    with NamedTemporaryFile("w", prefix="molt-bench-bug-", suffix=".log", delete=False) as log:
        log.write(printable(bug.trace))
    return f"{bug}; please report it with {log.name}"
