"""The folder of a run: what is where, and how it is opened."""

import json
import os
from datetime import datetime
from pathlib import Path

from msgspec import UNSET

from molt_bench._version import BENCH_VERSION
from molt_bench.agents.llm.exchange import Exchanges
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, JournalError
from molt_bench.runs.exchanges import ExchangeFile
from molt_bench.runs.header import config_hash
from molt_bench.runs.journal import Header, JournalContent, games_in, missing_games, read_journal, stop_reason_in
from molt_bench.runs.lines import Warn
from molt_bench.runs.master_seed import opened_seed, revealed, seed_hash, settled, with_master_seed
from molt_bench.runs.moved_files import moved_config

JOURNAL = "journal.jsonl"
EXCHANGES = "exchanges.jsonl"


def recorder_in(
    folder: Path, content: JournalContent, *, read_only: bool, every_game: bool = False, warn: Warn | None = None
) -> Exchanges:
    """Open the exchanges of a run that has begun.

    Args:
        folder: The folder of the run.
        content: What is in its journal.
        read_only: Whether nobody is to be asked.
        every_game: Whether the replies of finished games are needed as well.
        warn: Is told if the writing ends early.
    """
    finished = set() if every_game else {game.label for game in games_in(content.lines)}
    if not load_config(content.header.config).models():
        return Exchanges()
    return ExchangeFile.reopen(
        str(folder / EXCHANGES), read_only=read_only, warn=warn, unfinished=lambda game: game not in finished
    )


def opened(folder: str) -> tuple[BenchmarkConfig, JournalContent]:
    """Return the config of a run and what is in its journal."""
    path = journal_in(folder)
    content = read_journal(str(path))
    check_summary(path, content)
    return config_of(path, content), content


def journal_in(folder: str) -> Path:
    """Return where the journal of a run is."""
    try:
        path = Path(folder).absolute() / JOURNAL
        there = path.is_file()
    except OSError as error:
        raise ConfigError("RUN", folder, f"the folder of a run that can be read ({error.strerror})") from error
    if not there:
        raise ConfigError("RUN", folder, f"the folder of a run, with a {JOURNAL} in it")
    return path


def config_of(path: Path, content: JournalContent) -> BenchmarkConfig:
    """Return the config of a run; its relative paths start where the run was started."""
    header = content.header
    if config_hash(header.config) != header.config_hash:
        raise JournalError(f"{path} line 1: the config has been changed after the run")
    if header.bench_version != BENCH_VERSION:
        raise JournalError(
            f"{path} was written by molt-bench {header.version} (bench version {header.bench_version}), and this one "
            f"(bench version {BENCH_VERSION}) may play other games"
        )
    if Path(header.folder).is_dir():
        os.chdir(header.folder)
    config = load_config(header.config)
    if header.master_seed_hash is UNSET:
        return config
    return with_master_seed(config, opened_seed(header, revealed(content.lines), path.parent).value)


def check_summary(path: Path, content: JournalContent) -> None:
    """Check that a journal still begins as it did when the summary beside it was written.

    Raises:
        JournalError: Lines of it are missing or were changed since.
    """
    try:
        written = json.loads((path.parent / "summary.json").read_bytes())["journal"]
        lines, last = int(written["lines"]), str(written["sha256"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return
    if not 1 <= lines <= len(content.hashes) or content.hashes[lines - 1] != last:
        missing = missing_games([content.header, *content.lines])
        raise JournalError(
            f"{path} has {len(content.hashes):,} lines; it is not the journal of {lines:,} lines that summary.json was "
            f"written from{f': {missing}' if missing else ''}"
        )


def at_root(root: Path, header: Header) -> BenchmarkConfig:
    """Return the config of a run whose files are in another folder now, and start its relative paths there."""
    try:
        os.chdir(root)
    except OSError as error:
        raise ConfigError("--root", str(root), f"a folder that is there ({error.strerror})") from error
    return load_config(moved_config(header.config, header.folder, root))


def new_folder(config: BenchmarkConfig) -> Path:
    """Make the folder of a new run, named by the time."""
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


def _as_in_header(config: BenchmarkConfig, secret: str | None) -> BenchmarkConfig:
    """Return a config as the header of its run has it."""
    settled_config, seed = settled(config, secret=secret)
    return with_master_seed(settled_config, None) if seed.sealed else settled_config


def last_run(config: BenchmarkConfig, secret: str | None = None) -> Path | None:
    """Return the newest run of this config, and of this secret master seed, that has not come to its end."""
    wanted = config_hash(_as_in_header(config, secret).plain())
    for journal in sorted(Path(config.output_dir).glob(f"*/{JOURNAL}"), reverse=True):
        try:
            content = read_journal(str(journal))
        except JournalError:
            continue
        same_seed = secret is None or content.header.master_seed_hash == seed_hash(secret)
        if content.header.config_hash == wanted and same_seed and stop_reason_in(content.lines) is None:
            return journal.parent
    return None
