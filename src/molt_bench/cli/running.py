"""Running: from flags to a run's folder and back."""

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.cast import check_participants
from molt_bench.arena.games import Where
from molt_bench.arena.replayed_games import played_again
from molt_bench.arena.status import Observer
from molt_bench.bench.result import RunResult
from molt_bench.bench.shortfall import opening_shortfall
from molt_bench.bench.stages import INTERRUPTED, another_stop
from molt_bench.cli.care import Care, show_raised
from molt_bench.cli.progress import watching
from molt_bench.cli.streams import print_json
from molt_bench.config.environment import unset_variables
from molt_bench.config.loader import load_config, put, read_config_file, set_field
from molt_bench.config.participants import participants_from
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.errors import ConfigError, JournalError, MoltBenchError
from molt_bench.report.artifacts import ARTIFACTS, TIMED, TIMES, leaderboard, summary, usage, write_artifacts
from molt_bench.report.terminal import print_result
from molt_bench.runs.folder import JOURNAL, journal_in, last_run, new_folder
from molt_bench.runs.journal import JournalContent, games_in, missing_games, stop_reason_in
from molt_bench.runs.lines import being_written, whole_lines
from molt_bench.runs.master_seed import guessable
from molt_bench.runs.moved_files import changed_code
from molt_bench.runs.past import stages_of
from molt_bench.runs.stored import RunFiles, StoredRun

_USUAL = Care()


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
    """Say in one line what a config will run, once everybody in it can be made; keys may still be missing."""
    check_participants(config, keys=False)
    names = ", ".join(participant.id for participant in config.participants)
    return (
        f"{len(config.participants)} participants ({names}), {config.seeds.per_match} seeds a match, "
        f"{config.game.hands_per_game} hands a game{_to_be_set(config)}"
    )


def _to_be_set(config: BenchmarkConfig) -> str:
    """Say which environment variables a run will need that are not set, and for whom."""
    needed: dict[str, list[str]] = {}
    for participant in config.participants:
        for variable in unset_variables(participant):
            needed.setdefault(variable, []).append(participant.id)
    listed = ", ".join(f"{variable} (for {', '.join(names)})" for variable, names in needed.items())
    return f"; not set yet, and needed for a run: {listed}" if listed else ""


def warn_ahead(config: BenchmarkConfig) -> None:
    """Print what a run of this config will fall short of."""
    for found in (opening_shortfall(config), guessable(config)):
        if found is not None:
            _warn(found)


def start(
    config: BenchmarkConfig,
    *,
    secret: str | None,
    resume: bool,
    where: Where,
    quiet: bool,
    as_json: bool,
    care: Care = _USUAL,
) -> None:
    """Run a benchmark in a new folder, or go on with the last one of this config; `secret` is its master seed."""
    if resume:
        folder = last_run(config, secret)
        if folder is not None:
            go_on(str(folder), secret=secret, where=where, quiet=quiet, as_json=as_json, care=care)
            return
    folder = new_folder(config)
    files = RunFiles.new(folder, config, secret=secret, warn=_warn)
    _run(config, folder, files, where=where, quiet=quiet, as_json=as_json, care=care)


def go_on(
    folder: str,
    *,
    secret: str | None = None,
    flags: Mapping[str, Any] | None = None,
    assignments: Sequence[str] = (),
    where: Where,
    quiet: bool,
    as_json: bool,
    care: Care = _USUAL,
) -> None:
    """Go on with a run that was cut off, or by another stop rule; nothing is played twice, nothing is paid twice."""
    files = RunFiles.reopen(folder, secret=secret, warn=_warn)
    assert files.stored is not None
    try:
        files.extend = _extension(files.stored, flags or {}, assignments)
    except MoltBenchError:
        files.close()
        raise
    if files.extend is None and files.stored.stop_reason is not None:
        files.close()
        care.end(rebuild(folder, as_json=as_json))
        return
    _run(files.stored.config, files.stored.folder, files, where=where, quiet=quiet, as_json=as_json, care=care)


def _extension(stored: StoredRun, flags: Mapping[str, Any], assignments: Sequence[str]) -> StopConfig | None:
    """Return the stop rule that flags ask for, on top of the one that holds; None where nothing is asked for."""
    if not assignments and all(value is None for value in flags.values()):
        return None
    now = stored.config.model_copy(update={"stop": stages_of(stored.config, stored.lines)[-1].stop})
    values = now.plain()
    for field, value in flags.items():
        if value is not None:
            put(values, field, value)
    for assignment in assignments:
        set_field(values, assignment)
    return another_stop(now, load_config(values))


def rebuild(folder: str, *, as_json: bool) -> RunResult:
    """Write all files of a run anew from its journal; those of one that is still going are its own to write."""
    journal = journal_in(folder)
    going = being_written(journal)
    if going and not whole_lines(str(journal))[0]:
        raise JournalError(f"{folder}: the run has only just begun, and there is nothing to report yet")
    result = StoredRun.open(folder).result()
    # Looked at twice: one that has ended meanwhile has written more than was read, one that has begun will.
    if not going and not being_written(journal):
        _finish(result, journal.parent, as_json=as_json)
        return result
    if result.stop_reason == INTERRUPTED:
        result = msgspec.structs.replace(result, stop_reason="not yet, the run is still going")
    _print(result, str(journal.parent), as_json=as_json)
    for warning in (*result.warnings, "the run is still going: this is how it stands, and nothing was written"):
        _warn(warning)
    return result


def verify_run(folder: str, *, root: str | None) -> None:
    """Play every game of a run again and compare; its files are below the root, where one is named."""
    again, _ = _played_again(folder, root)
    said = f"{folder}: all {len(games_in(again.lines)):,} games are identical when they are played again"
    if stop_reason_in(again.lines) is None:
        missing = missing_games([again.header, *again.lines])
        said += f"; it has not ended{f': {missing}' if missing else ''}"
    print(said)


def replay_run(folder: str, *, output: str | None, root: str | None, as_json: bool) -> None:
    """Run a whole benchmark again from what was recorded, and compare its files byte by byte."""
    path = journal_in(folder).parent
    target = Path(output).absolute() if output is not None else None
    if target is not None and being_written(target / JOURNAL):
        raise ConfigError("--output", output, "another folder, since a run is still going in this one")
    going = being_written(path / JOURNAL)
    again, result = _played_again(folder, root)
    if target is not None:
        target.mkdir(parents=True, exist_ok=True)
        for warning in write_artifacts(result, target):
            _warn(warning)
    _print(result, output or folder, as_json=as_json)
    if going:
        _warn("the run is still going: its files are not compared yet")
        return
    compared = {name: make(result) for name, make in ARTIFACTS.items()}
    there = {name: _text_of(path / name) for name in compared}
    differing = [name for name, content in compared.items() if _timeless(name, there[name]) != _timeless(name, content)]
    if differing:
        raise MoltBenchError(f"{folder}: {', '.join(differing)} differ from what the recorded games give")
    exchanges = sum(each.exchanges for each in result.usage)
    print(
        f"Replayed {len(games_in(again.lines)):,} games and {exchanges:,} exchanges, asking no model: "
        "all files are identical, byte for byte.",
        file=sys.stderr if as_json else sys.stdout,
    )


def _text_of(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None
    except OSError:
        return None


def _timeless(name: str, content: str | None) -> object:
    """Return a file without what holds times, which differ from run to run."""
    if name not in TIMED or content is None:
        return content
    try:
        return {key: value for key, value in json.loads(content).items() if key not in TIMES}
    except (ValueError, AttributeError, RecursionError):
        return content


def _played_again(folder: str, root: str | None) -> tuple[JournalContent, RunResult]:
    stored = StoredRun.open(folder, root=root)
    remembering = next((each.id for each in stored.config.participants if each.may_remember), None)
    if remembering is not None and stored.stop_reason is None:
        raise JournalError(
            f"{folder}: the run has not ended, and {remembering!r} may remember the cards of games that are played "
            "again: first go on to its end"
        )
    for name in changed_code(stored.here, stored.header.source_hashes):
        _warn(f"the code of {name!r} is not the one that the run was played with")
    again = played_again(stored.here, stored.content, stored.exchanges(every_game=True))
    return again, stored.result(content=again, keep_hands=True)


def _run(
    config: BenchmarkConfig, folder: Path, files: RunFiles, *, where: Where, quiet: bool, as_json: bool, care: Care
) -> None:
    said: list[str] = []

    def warn(warning: str) -> None:
        said.append(warning)
        _warn(warning)

    try:
        # What agents print is not the one object that is asked for.
        with watching(config, quiet=quiet or as_json) as watch, redirect_stdout(sys.stderr if as_json else sys.stdout):
            result = run_benchmark(
                config,
                files=files,
                keep_hands=False,
                preflight=care.preflight,
                observer=Observer(watch, warn, show_raised if care.debug else None),
                executor=where.executor,
                workers=where.workers,
                ray_address=where.ray_address,
                games_at_once=where.games_at_once,
            )
    except MoltBenchError as error:
        if files.discard_if_empty():
            raise
        if isinstance(error, JournalError):  # the run itself cannot go on as it is
            raise
        write_artifacts(StoredRun.open(folder).result(), folder)
        raise MoltBenchError(f"{error}; what was played is kept, go on with: {_resume_command(folder)}") from error
    except KeyboardInterrupt:
        if not files.discard_if_empty():
            _finish(StoredRun.open(folder).result(), folder, as_json=as_json, said=said)
            print(f"Interrupted. Go on with:\n  {_resume_command(folder)}", file=sys.stderr)
        sys.exit(130)
    files.close()
    _finish(result, folder, as_json=as_json, lost=files.problem, said=said)
    care.end(result)


def _resume_command(folder: Path) -> str:
    return f"molt-bench resume {shlex.quote(str(folder))}"


def _warn(warning: str) -> None:
    print(f"molt-bench: warning: {warning}", file=sys.stderr)


def _finish(
    result: RunResult, folder: Path, *, as_json: bool, lost: str | None = None, said: Sequence[str] = ()
) -> None:
    """Write all files and print the result.

    Args:
        result: The result.
        folder: The folder of the run.
        as_json: Whether to print one JSON object.
        lost: Why the journal is not whole, if it is not.
        said: Warnings that were said before, and are not said again.
    """
    unwritten = write_artifacts(result, folder)
    _print(result, str(folder), as_json=as_json)
    for warning in [*result.warnings, *unwritten]:
        if warning not in said:
            _warn(warning)
    if lost and unwritten:
        print(f"molt-bench: the results are not on disk: {lost}", file=sys.stderr)
        sys.exit(1)


def _print(result: RunResult, folder: str, *, as_json: bool) -> None:
    if as_json:
        content = {"runDir": folder, **leaderboard(result), "summary": summary(result)}
        if result.usage:
            content["usage"] = usage(result)
        print_json(content)
    else:
        print_result(result, Console(markup=False, emoji=False), folder=folder)
