"""The files that a run writes: created for a new run, reopened for one that is continued."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

import msgspec

from molt_bench.agents.permission import BUILT_IN, OWN, Permission
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError
from molt_bench.runs.folder import INVITATIONS, JOURNAL, REPLIES, journal_in
from molt_bench.runs.journal import Journal
from molt_bench.runs.line_file import Warn
from molt_bench.runs.master_seed import SEED_FILE
from molt_bench.runs.replies import Replies
from molt_bench.runs.run import Run, check_unchanged, check_version


class RunFiles(msgspec.Struct):
    """The files that a run writes, and the run that it continues.

    Attributes:
        journal: Receives every finished game; None keeps them in memory only.
        replies: Holds the replies of models, programs and servers.
        stored: The run to continue; None for a new one.
        settings: Settings with which it continues that are other ones than before, by their paths.
        secret: The master seed of a new run, kept secret until the run ends.
        began: When the program began, by the monotonic clock: what it took since then is time of the run.
        permission: Which agents may be made; of a run that is continued, only built-in bots without a permission.
    """

    journal: Journal | None = None
    replies: Replies = msgspec.field(default_factory=Replies)
    stored: Run | None = None
    settings: Mapping[str, Any] = {}
    secret: str | None = None
    permission: Permission = OWN
    began: float | None = None

    @classmethod
    def new(cls, folder: Path, config: BenchmarkConfig, *, secret: str | None = None, warn: Warn | None = None) -> Self:
        """Create the files of a new run; `warn` is called if writing ends early."""
        journal = Journal(str(folder / JOURNAL), warn=warn)
        recorded = config.paid() or any(each.kind.recorded for each in config.participants)
        return cls(journal, Replies(str(folder / REPLIES) if recorded else None, warn=warn), secret=secret)

    @classmethod
    def reopen(cls, folder: str | Path, *, secret: str | None = None, warn: Warn | None = None) -> tuple[Self, Run]:
        """Reopen the files of a run to continue it; no other process can write them from now on.

        Raises ConfigError if there is no run in the folder, JournalError if it cannot be continued, or another
        bench version wrote it.
        """
        path = journal_in(str(folder))
        with ExitStack() as opened:  # closes what is open already if the rest cannot be
            journal, content = Journal.reopen(str(path), warn=warn)
            opened.callback(journal.close)
            check_unchanged(path, content)
            check_version(path, content.header)
            stored = Run(path.parent, content, secret=secret)
            replies = stored.replies(read_only=False, warn=warn)
            opened.callback(replies.close)
            models = stored.config.models().keys()
            played = any(not models.isdisjoint(game.participants) for game in stored.games)
            if played and not replies.earlier:  # to play everything again would be expensive
                raise JournalError(f"{path.parent / REPLIES} is missing or empty: put it back, or start a new run")
            opened.pop_all()
        return cls(journal, replies, stored, permission=BUILT_IN), stored

    @property
    def problem(self) -> str | None:
        """Why writing ended early, if it did."""
        journal = self.journal.problem if self.journal is not None else None
        return journal or self.replies.problem

    def close(self) -> None:
        """Close the files."""
        self.replies.close()
        if self.journal is not None:
            self.journal.close()

    def discard_if_empty(self) -> bool:
        """Close the files; if nothing was written, remove them as if the run had never started, and return True."""
        self.close()
        path = Path(self.journal.path) if self.journal is not None else None
        if path is None or path.stat().st_size:
            return False
        remove_empty(path.parent)
        return True


def remove_empty(folder: Path) -> None:
    """Remove the folder of a run in which nothing was written, as if the run had never started."""
    for name in (JOURNAL, REPLIES, SEED_FILE, INVITATIONS):
        (folder / name).unlink(missing_ok=True)
    folder.rmdir()
