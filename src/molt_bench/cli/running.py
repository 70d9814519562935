"""Running: from flags to a run's folder and back."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from rich.console import Console

from molt_bench.agents.llm.exchange import Recorder
from molt_bench.bench.benchmark import run_benchmark
from molt_bench.bench.config import BenchmarkConfig
from molt_bench.bench.entries import participants_from
from molt_bench.bench.loading import load_config, put, read_config_file, set_field
from molt_bench.bench.participants import check_participants
from molt_bench.bench.playing import Where
from molt_bench.bench.verify import played_again
from molt_bench.cli.folder import EXCHANGES, JOURNAL, config_of, journal_in, last_run, new_folder, opened, recorder_in
from molt_bench.cli.progress import watching
from molt_bench.cli.streams import print_json
from molt_bench.errors import JournalError, MoltBenchError
from molt_bench.journal import Journal, JournalContent, Sitting, games_in
from molt_bench.records import RunResult
from molt_bench.report.artifacts import ARTIFACTS, TIMED, leaderboard, summary, usage, write_artifacts
from molt_bench.report.terminal import print_result


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


def start(config: BenchmarkConfig, *, resume: bool, where: Where, quiet: bool, as_json: bool) -> None:
    """Run a benchmark in a new folder, or go on with the last one of this config."""
    if resume:
        folder = last_run(config)
        if folder is not None:
            go_on(str(folder), where=where, quiet=quiet, as_json=as_json)
            return
    folder = new_folder(config)
    journal = Journal(str(folder / JOURNAL), warn=_warn)
    recorder = Recorder(str(folder / EXCHANGES), warn=_warn) if config.models() else Recorder()
    _run(config, folder, journal, recorder, None, where=where, quiet=quiet, as_json=as_json)


def go_on(folder: str, *, where: Where, quiet: bool, as_json: bool) -> None:
    """Go on with a run that was cut off; nothing is played twice, nothing is paid twice."""
    path = journal_in(folder)
    journal, content = Journal.reopen(str(path), warn=_warn)
    config = config_of(path, content)
    if any(isinstance(line, Sitting) and line.stop_reason for line in content.lines):
        journal.close()
        rebuild(str(path.parent), as_json=as_json)
        return
    recorder = recorder_in(path.parent, content, read_only=False, warn=_warn)
    _run(config, path.parent, journal, recorder, content, where=where, quiet=quiet, as_json=as_json)


def rebuild(folder: str, *, as_json: bool) -> None:
    """Write all files of a run anew from its journal."""
    path = journal_in(folder).parent
    _finish(_result_of(path), path, as_json=as_json)


def verify_run(folder: str) -> None:
    """Play every game of a run again and compare."""
    again, _ = _played_again(folder)
    print(f"{folder}: all {len(games_in(again.lines)):,} games are identical when they are played again")


def replay_run(folder: str, *, output: str | None, as_json: bool) -> None:
    """Run a whole benchmark again from what was recorded, and compare its files byte by byte."""
    path = journal_in(folder).parent
    target = Path(output).absolute() if output is not None else None
    again, result = _played_again(folder)
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
        for warning in write_artifacts(result, target):
            _warn(warning)
    _print(result, output or folder, as_json=as_json)
    compared = {name: make(result) for name, make in ARTIFACTS.items() if name not in TIMED}
    there = {name: (path / name).read_text("utf-8") if (path / name).is_file() else None for name in compared}
    differing = [name for name, content in compared.items() if there[name] != content]
    if differing:
        raise MoltBenchError(f"{folder}: {', '.join(differing)} differ from what the recorded games give")
    exchanges = sum(each.exchanges for each in result.usage)
    print(
        f"Replayed {len(games_in(again.lines)):,} games and {exchanges:,} exchanges, asking no model: "
        "all files are identical, byte for byte.",
        file=sys.stderr if as_json else sys.stdout,
    )


def _played_again(folder: str) -> tuple[JournalContent, RunResult]:
    path = journal_in(folder).parent
    config, content = opened(folder)
    recorder = recorder_in(path, content, read_only=True, every_game=True)
    again = played_again(config, content, recorder)
    return again, run_benchmark(config, known=again, recorder=recorder, play=False)


def _run(
    config: BenchmarkConfig,
    folder: Path,
    journal: Journal,
    recorder: Recorder,
    known: JournalContent | None,
    *,
    where: Where,
    quiet: bool,
    as_json: bool,
) -> None:
    try:
        # What agents print is not the one object that is asked for.
        with watching(config, quiet=quiet or as_json) as watch, redirect_stdout(sys.stderr if as_json else sys.stdout):
            result = run_benchmark(
                config,
                journal=journal,
                known=known,
                recorder=recorder,
                executor=where.executor,
                workers=where.workers,
                ray_address=where.ray_address,
                games_at_once=where.games_at_once,
                keep_hands=False,
                watch=watch,
            )
    except MoltBenchError as error:
        recorder.close()
        if _forget_if_empty(journal, folder):
            raise
        if isinstance(error, JournalError):  # the run itself cannot go on as it is
            raise
        write_artifacts(_result_of(folder), folder)
        raise MoltBenchError(f"{error}; what was played is kept, go on with: {_resume_command(folder)}") from error
    except KeyboardInterrupt:
        recorder.close()
        if not _forget_if_empty(journal, folder):
            _finish(_result_of(folder), folder, as_json=as_json)
            print(f"Interrupted. Go on with:\n  {_resume_command(folder)}", file=sys.stderr)
        sys.exit(130)
    recorder.close()
    journal.close()
    _finish(result, folder, as_json=as_json)


def _result_of(folder: Path) -> RunResult:
    """Return the result of a run as its journal has it."""
    config, content = opened(str(folder))
    recorder = recorder_in(folder, content, read_only=True)
    return run_benchmark(config, known=content, recorder=recorder, keep_hands=False, play=False)


def _resume_command(folder: Path) -> str:
    return f"molt-bench resume {shlex.quote(str(folder))}"


def _forget_if_empty(journal: Journal, folder: Path) -> bool:
    """Close the journal; if not one line is in it, leave nothing behind, as if the run had never been started."""
    journal.close()
    path = Path(journal.path)
    if path.stat().st_size:
        return False
    path.unlink()
    (folder / EXCHANGES).unlink(missing_ok=True)
    folder.rmdir()
    return True


def _warn(warning: str) -> None:
    print(f"molt-bench: warning: {warning}", file=sys.stderr)


def _finish(result: RunResult, folder: Path, *, as_json: bool) -> None:
    warnings = [*result.warnings, *write_artifacts(result, folder)]
    _print(result, str(folder), as_json=as_json)
    for warning in warnings:
        _warn(warning)


def _print(result: RunResult, folder: str, *, as_json: bool) -> None:
    if as_json:
        content = {"runDir": folder, **leaderboard(result), "summary": summary(result)}
        if result.usage:
            content["usage"] = usage(result)
        print_json(content)
    else:
        print_result(result, Console(markup=False, emoji=False), folder=folder)
