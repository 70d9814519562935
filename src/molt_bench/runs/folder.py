"""The folder of a run: the names of its files, and how a run's folder is created and found."""

import os
import shlex
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.files import is_there
from molt_bench.runs.header import config_hash
from molt_bench.runs.journal import read_journal
from molt_bench.runs.journal_lines import ending_in
from molt_bench.runs.master_seed import seed_hash, settled, with_master_seed

JOURNAL: Final = "journal.jsonl"
REPLIES: Final = "replies.jsonl"
INVITATIONS: Final = "invitations.json"
LEADERBOARD: Final = "leaderboard.json"
SUMMARY: Final = "summary.json"


def journal_in(folder: str) -> Path:
    """Return the path of a run's journal."""
    try:
        path = Path(folder).absolute() / JOURNAL
        there = is_there(path)
    except OSError as error:
        raise ConfigError("RUN", folder, f"the folder of a run that can be read ({error.strerror})") from error
    if not there:
        raise ConfigError("RUN", folder, f"the folder of a run, with a {JOURNAL} in it")
    _check_entries(path.parent)
    return path


def _check_entries(folder: Path) -> None:
    """Check that everything in the folder of a run is in it: no link leads out of it, and nothing can block a reader.

    A link in a stranger's folder would have a private file read, published or written over. Raises JournalError.
    """
    try:
        root = folder.resolve()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_symlink() and not Path(entry.path).resolve().is_relative_to(root):
                    raise JournalError(
                        f"{entry.path} is a link that leads out of the folder of the run: copy the file there"
                    )
                if not entry.is_symlink() and not entry.is_file() and not entry.is_dir():
                    raise JournalError(f"{entry.path} is neither a file nor a folder, and may block its readers")
    except (OSError, RuntimeError) as error:
        raise JournalError(f"{folder} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def resume_command(folder: str, config: BenchmarkConfig, flags: str = "") -> str:
    """Return the command that goes on with a run; with agents that are not built in, it has to permit them."""
    kinds = [each.kind for each in config.participants]
    command = "serve" if any(kind.comes for kind in kinds) else "resume"
    permission = "--run-agents" if any(kind.foreign for kind in kinds) else ""
    return " ".join(filter(None, ["molt-bench", command, shlex.quote(folder), flags, permission]))


def new_folder(config: BenchmarkConfig) -> Path:
    """Create the folder of a new run, named after the current time."""
    name = datetime.now().astimezone().strftime("%Y-%m-%dT%H-%M-%S")
    for attempt in range(1, 1000):
        folder = Path(config.output_dir) / (name if attempt == 1 else f"{name}-{attempt}")
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700)
        except FileExistsError:
            if not folder.is_dir():
                break
            continue
        except OSError as error:
            raise ConfigError(
                "outputDir", config.output_dir, f"a folder that can be written ({error.strerror})"
            ) from error
        return folder
    raise ConfigError("outputDir", config.output_dir, "a folder that can be written")


class _Origin(msgspec.Struct):
    lines: int
    sha256: str


class _Summary(msgspec.Struct):
    journal: _Origin


def summarized(folder: Path) -> tuple[int, str] | None:
    """Return how many lines the journal had when the files of a run were last written, and the hash of the last one.

    The summary says so, which is written after all others; None if it is missing or cannot be read.
    """
    try:
        written = msgspec.json.decode((folder / SUMMARY).read_bytes(), type=_Summary).journal
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
    return written.lines, written.sha256


def last_run(config: BenchmarkConfig, secret: str | None = None) -> Path | None:
    """Return the newest run of this config that is left to be finished and, if given, of this secret master seed.

    That is one that has not ended; or the newest of all, if it has ended, but not all of its files were written.
    """
    config, sealed = settled(config, secret=secret)
    config = with_master_seed(config, None) if sealed else config
    wanted, newest = config_hash(config.plain()), True
    for journal in sorted(Path(config.output_dir).glob(f"*/{JOURNAL}"), reverse=True):
        try:
            content = read_journal(journal)
        except JournalError:
            continue
        same_seed = secret is None or content.header.master_seed_hash == seed_hash(secret)
        if content.header.config_hash != wanted or not same_seed:
            continue
        written = summarized(journal.parent) == (content.line_count, content.last_hash)
        if ending_in(content.lines) is None or (newest and not written):
            return journal.parent
        newest = False
    return None
