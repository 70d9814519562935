"""Running: from flags to a run's folder and back."""

import json
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from molt_bench._version import BENCH_VERSION
from molt_bench.bench.benchmark import check_participants, config_hash, run_benchmark
from molt_bench.bench.config import BenchmarkConfig, participants_from
from molt_bench.bench.loading import load_config, put, read_config_file, set_field
from molt_bench.bench.verify import first_difference
from molt_bench.cli.progress import watching
from molt_bench.errors import ConfigError, JournalError, MoltBenchError
from molt_bench.journal import Journal, JournalContent, Sitting, read_journal
from molt_bench.records import RunResult
from molt_bench.report.artifacts import leaderboard, summary, write_artifacts
from molt_bench.report.terminal import print_result

JOURNAL = "journal.jsonl"


def config_from(file: str | None, flags: Mapping[str, Any], assignments: Sequence[str]) -> BenchmarkConfig:
    """Return the config of a file, with flags on top, and `--set` on top of those."""
    values = read_config_file(file) if file is not None else {}
    for path, value in flags.items():
        if value is not None:
            put(values, path, participants_from(value) if path == "participants" else value)
    for assignment in assignments:
        set_field(values, assignment)
    return load_config(values)


def describe(config: BenchmarkConfig) -> str:
    """Say in one line what a config will run, once everybody in it can be made."""
    check_participants(config)
    names = ", ".join(participant.id for participant in config.participants)
    return (
        f"{len(config.participants)} participants ({names}), {config.seeds.per_match} seeds a match, "
        f"{config.game.hands_per_game} hands a game"
    )


def start(config: BenchmarkConfig, *, resume: bool, games_at_once: int, quiet: bool, as_json: bool) -> None:
    """Run a benchmark in a new folder, or go on with the last one of this config."""
    if resume:
        folder = _last_run(config)
        if folder is not None:
            go_on(str(folder), games_at_once=games_at_once, quiet=quiet, as_json=as_json)
            return
    folder = _new_folder(config)
    journal = Journal(str(folder / JOURNAL), warn=_warn)
    _run(config, folder, journal, None, games_at_once=games_at_once, quiet=quiet, as_json=as_json)


def go_on(folder: str, *, games_at_once: int, quiet: bool, as_json: bool) -> None:
    """Go on with a run that was cut off; nothing is played twice."""
    path = _journal_in(folder)
    journal, content = Journal.reopen(str(path), warn=_warn)
    config = _config_of(path, content)
    if any(isinstance(line, Sitting) and line.stop_reason for line in content.lines):
        journal.close()
        rebuild(str(path.parent), as_json=as_json)
        return
    _run(config, path.parent, journal, content, games_at_once=games_at_once, quiet=quiet, as_json=as_json)


def rebuild(folder: str, *, as_json: bool) -> None:
    """Write all files of a run anew from its journal."""
    path = _journal_in(folder).parent
    _finish(_result_of(path), path, as_json=as_json)


def verify_run(folder: str) -> None:
    """Play every game of a run again and compare."""
    config, content = _opened(folder)
    run_benchmark(config, known=content, play=False)  # the games are those that the config plays
    games, difference = first_difference(config, content)
    if difference is not None:
        raise JournalError(difference)
    print(f"{folder}: all {games:,} games are identical when they are played again")


def _run(
    config: BenchmarkConfig,
    folder: Path,
    journal: Journal,
    known: JournalContent | None,
    *,
    games_at_once: int,
    quiet: bool,
    as_json: bool,
) -> None:
    try:
        with watching(config, quiet=quiet or as_json) as watch:
            result = run_benchmark(config, journal=journal, known=known, games_at_once=games_at_once, watch=watch)
    except MoltBenchError as error:
        if _forget_if_empty(journal, folder):
            raise
        write_artifacts(_result_of(folder), folder)
        raise MoltBenchError(f"{error}; what was played is kept, go on with: {_resume_command(folder)}") from error
    except KeyboardInterrupt:
        if not _forget_if_empty(journal, folder):
            _finish(_result_of(folder), folder, as_json=as_json)
            print(f"Interrupted. Go on with:\n  {_resume_command(folder)}", file=sys.stderr)
        sys.exit(130)
    journal.close()
    _finish(result, folder, as_json=as_json)


def _result_of(folder: Path) -> RunResult:
    """Return the result of a run as its journal has it."""
    config, content = _opened(str(folder))
    return run_benchmark(config, known=content, play=False)


def _resume_command(folder: Path) -> str:
    return f"molt-bench resume {shlex.quote(str(folder))}"


def _forget_if_empty(journal: Journal, folder: Path) -> bool:
    """Close the journal; if not one line is in it, leave nothing behind, as if the run had never been started."""
    journal.close()
    path = Path(journal.path)
    if path.stat().st_size:
        return False
    path.unlink()
    folder.rmdir()
    return True


def _warn(warning: str) -> None:
    print(f"molt-bench: warning: {warning}", file=sys.stderr)


def _finish(result: RunResult, folder: Path, *, as_json: bool) -> None:
    warnings = [*result.warnings, *write_artifacts(result, folder)]
    if as_json:
        content = {"runDir": str(folder), **leaderboard(result), "summary": summary(result)}
        print(json.dumps(content, ensure_ascii=False))
    else:
        print_result(result, Console(markup=False, emoji=False), folder=str(folder))
    for warning in warnings:
        _warn(warning)


def _opened(folder: str) -> tuple[BenchmarkConfig, JournalContent]:
    path = _journal_in(folder)
    content = read_journal(str(path))
    return _config_of(path, content), content


def _journal_in(folder: str) -> Path:
    path = Path(folder).absolute() / JOURNAL
    if not path.is_file():
        raise ConfigError("RUN", folder, f"the folder of a run, with a {JOURNAL} in it")
    return path


def _config_of(path: Path, content: JournalContent) -> BenchmarkConfig:
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
    return load_config(header.config)


def _new_folder(config: BenchmarkConfig) -> Path:
    name = datetime.now().astimezone().strftime("%Y-%m-%dT%H-%M-%S")
    for attempt in range(1, 1000):
        folder = Path(config.output_dir) / (name if attempt == 1 else f"{name}-{attempt}")
        try:
            folder.mkdir(parents=True)
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


def _last_run(config: BenchmarkConfig) -> Path | None:
    """Return the newest run of this config that has not come to its end."""
    wanted = config_hash(config.plain())
    for journal in sorted(Path(config.output_dir).glob(f"*/{JOURNAL}"), reverse=True):
        try:
            content = read_journal(str(journal))
        except JournalError:
            continue
        ended = any(isinstance(line, Sitting) and line.stop_reason for line in content.lines)
        if content.header.config_hash == wanted and not ended:
            return journal.parent
    return None
