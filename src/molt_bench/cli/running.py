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

from molt_bench.agents.llm.exchange import Exchanges
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.cast import check_participants
from molt_bench.arena.games import Where
from molt_bench.arena.replayed_games import played_again
from molt_bench.bench.shortfall import opening_shortfall
from molt_bench.bench.stages import INTERRUPTED, another_stop
from molt_bench.cli.care import Care, show_raised
from molt_bench.cli.progress import watching
from molt_bench.cli.streams import print_json
from molt_bench.config.loader import load_config, put, read_config_file, set_field
from molt_bench.config.participants import participants_from
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.errors import ConfigError, JournalError, MoltBenchError
from molt_bench.records import RunResult
from molt_bench.report.artifacts import ARTIFACTS, TIMED, TIMES, leaderboard, summary, usage, write_artifacts
from molt_bench.report.terminal import print_result
from molt_bench.runs.exchanges import ExchangeFile
from molt_bench.runs.folder import (
    EXCHANGES,
    JOURNAL,
    at_root,
    check_summary,
    config_of,
    journal_in,
    last_run,
    new_folder,
    opened,
    recorder_in,
)
from molt_bench.runs.journal import Journal, JournalContent, games_in, missing_games, stop_reason_in
from molt_bench.runs.lines import being_written, whole_lines
from molt_bench.runs.master_seed import SEED_FILE, guessable, with_master_seed
from molt_bench.runs.moved_files import changed_code
from molt_bench.runs.stage_lines import stages_of

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
        for variable in participant.unset_variables():
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
            go_on(str(folder), where=where, quiet=quiet, as_json=as_json, care=care)
            return
    folder = new_folder(config)
    journal = Journal(str(folder / JOURNAL), warn=_warn)
    recorder = ExchangeFile(str(folder / EXCHANGES), warn=_warn) if config.models() else Exchanges()
    _run(config, folder, journal, recorder, None, where=where, quiet=quiet, as_json=as_json, care=care, secret=secret)


def go_on(
    folder: str,
    *,
    flags: Mapping[str, Any] | None = None,
    assignments: Sequence[str] = (),
    where: Where,
    quiet: bool,
    as_json: bool,
    care: Care = _USUAL,
) -> None:
    """Go on with a run that was cut off, or by another stop rule; nothing is played twice, nothing is paid twice."""
    path = journal_in(folder)
    journal, content = Journal.reopen(str(path), warn=_warn)
    try:
        check_summary(path, content)
        config = config_of(path, content)
        extend = _extension(config, content, flags or {}, assignments)
    except MoltBenchError:
        journal.close()
        raise
    if extend is None and stop_reason_in(content.lines) is not None:
        journal.close()
        care.end(rebuild(str(path.parent), as_json=as_json))
        return
    recorder = recorder_in(path.parent, content, read_only=False, warn=_warn)
    _run(
        config,
        path.parent,
        journal,
        recorder,
        content,
        where=where,
        quiet=quiet,
        as_json=as_json,
        care=care,
        extend=extend,
    )


def _extension(
    config: BenchmarkConfig, content: JournalContent, flags: Mapping[str, Any], assignments: Sequence[str]
) -> StopConfig | None:
    """Return the stop rule that flags ask for, on top of the one that holds; None where nothing is asked for."""
    if not assignments and all(value is None for value in flags.values()):
        return None
    now = config.model_copy(update={"stop": stages_of(config, content.lines)[-1].stop})
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
    result = _result_of(journal.parent)
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
    path = journal_in(folder).parent
    place = Path(root).absolute() if root is not None else None
    config, content = opened(folder)
    remembering = next((each.id for each in config.participants if each.may_remember), None)
    if remembering is not None and stop_reason_in(content.lines) is None:
        raise JournalError(
            f"{folder}: the run has not ended, and {remembering!r} may remember the cards of games that are played "
            "again: first go on to its end"
        )
    here = config if place is None else with_master_seed(at_root(place, content.header), config.seeds.master_seed)
    for name in changed_code(here, content.header.source_hashes):
        _warn(f"the code of {name!r} is not the one that the run was played with")
    recorder = recorder_in(path, content, read_only=True, every_game=True)
    again = played_again(here, content, recorder)
    result = run_benchmark(here, known=again, recorder=recorder, play=False)
    # Files that are elsewhere now are named as they were.
    named = {
        "participants": config.plain()["participants"],
        "seeds": {**result.config["seeds"], "file": config.seeds.file},
    }
    return again, msgspec.structs.replace(result, config={**result.config, **named})


def _run(
    config: BenchmarkConfig,
    folder: Path,
    journal: Journal,
    recorder: Exchanges,
    known: JournalContent | None,
    *,
    where: Where,
    quiet: bool,
    as_json: bool,
    care: Care,
    secret: str | None = None,
    extend: StopConfig | None = None,
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
                journal=journal,
                known=known,
                recorder=recorder,
                executor=where.executor,
                workers=where.workers,
                ray_address=where.ray_address,
                games_at_once=where.games_at_once,
                keep_hands=False,
                watch=watch,
                warn=warn,
                secret=secret,
                extend=extend,
                preflight=care.preflight,
                raised=show_raised if care.debug else None,
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
            _finish(_result_of(folder), folder, as_json=as_json, said=said)
            print(f"Interrupted. Go on with:\n  {_resume_command(folder)}", file=sys.stderr)
        sys.exit(130)
    recorder.close()
    journal.close()
    _finish(result, folder, as_json=as_json, lost=journal.problem or recorder.problem, said=said)
    care.end(result)


def _result_of(folder: Path) -> RunResult:
    """Return the result of a run as its journal has it."""
    config, content = opened(str(folder))
    recorder = recorder_in(folder, content, read_only=True)
    with redirect_stdout(sys.stderr):  # agents asked for their policy may print
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
    for name in (EXCHANGES, SEED_FILE):
        (folder / name).unlink(missing_ok=True)
    folder.rmdir()
    return True


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
