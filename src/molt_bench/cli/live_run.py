"""A run being played: started, resumed, interrupted, finished."""

import shlex
import sys
from contextlib import redirect_stdout
from pathlib import Path

import msgspec

from molt_bench.agents.llm.exchange import Exchanges
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.cli.config_flags import extension_from
from molt_bench.cli.options import RunOptions, StopOptions
from molt_bench.cli.progress import show_progress
from molt_bench.cli.result import exit_on_faults, read_run, rebuild_run, write_result
from molt_bench.cli.streams import warn
from molt_bench.config.sections import BenchmarkConfig, StopConfig
from molt_bench.errors import JournalError, MoltBenchError, printable
from molt_bench.report.artifacts import write_artifacts
from molt_bench.runs.exchanges import ExchangeFile
from molt_bench.runs.folder import EXCHANGES, JOURNAL, check_summary, config_of, journal_in, new_folder, recorder_in
from molt_bench.runs.journal import Journal, JournalContent, stop_reason_in
from molt_bench.runs.master_seed import SEED_FILE


class _LiveRun(msgspec.Struct, frozen=True):
    """The folder of a run, the files that are written as it is played, and what it already holds."""

    folder: Path
    journal: Journal
    recorder: Exchanges
    known: JournalContent | None = None


def start_run(config: BenchmarkConfig, options: RunOptions, *, secret: str | None, debug: bool) -> None:
    """Play a benchmark in a new folder; `secret` is its master seed, if that is to stay secret."""
    folder = new_folder(config)
    journal = Journal(str(folder / JOURNAL), warn=warn)
    recorder = ExchangeFile(str(folder / EXCHANGES), warn=warn) if config.models() else Exchanges()
    _play(config, _LiveRun(folder, journal, recorder), options, secret=secret, debug=debug)


def resume_run(folder: str, options: RunOptions, *, stop: StopOptions | None = None, debug: bool = False) -> None:
    """Continue a run that was interrupted, or one that ended but has a new stop rule; no game is played twice."""
    path = journal_in(folder)
    journal, content = Journal.reopen(str(path), warn=warn)
    try:
        check_summary(path, content)
        config = config_of(path, content)
        extend = extension_from(stop or StopOptions(), config, content)
    except MoltBenchError:
        journal.close()
        raise
    if extend is None and stop_reason_in(content.lines) is not None:
        journal.close()
        exit_on_faults(rebuild_run(str(path.parent), as_json=options.as_json), options.fail_on_faults)
        return
    recorder = recorder_in(path.parent, content, read_only=False, warn=warn)
    _play(config, _LiveRun(path.parent, journal, recorder, content), options, extend=extend, debug=debug)


def _play(
    config: BenchmarkConfig,
    run: _LiveRun,
    options: RunOptions,
    *,
    secret: str | None = None,
    extend: StopConfig | None = None,
    debug: bool,
) -> None:
    warned: list[str] = []

    def warn_once(warning: str) -> None:
        warned.append(warning)
        warn(warning)

    # With --json, standard output is for one object: what agents print goes to standard error.
    stdout = sys.stderr if options.as_json else sys.stdout
    try:
        with show_progress(config, quiet=options.quiet or options.as_json) as watch, redirect_stdout(stdout):
            result = run_benchmark(
                config,
                journal=run.journal,
                known=run.known,
                recorder=run.recorder,
                executor=options.executor,
                workers=options.workers,
                ray_address=options.ray_address,
                games_at_once=options.games_at_once,
                keep_hands=False,
                watch=watch,
                warn=warn_once,
                secret=secret,
                extend=extend,
                preflight=not options.no_preflight,
                raised=_show_traceback if debug else None,
            )
    except MoltBenchError as error:
        if _discard_if_empty(run) or isinstance(error, JournalError):  # it cannot be resumed as it is
            raise
        write_artifacts(read_run(run.folder).result, run.folder)
        raise MoltBenchError(f"{error}; finished games are kept, resume with: {_resume_command(run)}") from error
    except KeyboardInterrupt:
        if not _discard_if_empty(run):
            write_result(read_run(run.folder).result, run.folder, as_json=options.as_json, warned=warned)
            print(f"Interrupted. Resume with:\n  {_resume_command(run)}", file=sys.stderr)
        sys.exit(130)
    run.recorder.close()
    run.journal.close()
    lost = run.journal.problem or run.recorder.problem
    write_result(result, run.folder, as_json=options.as_json, lost=lost, warned=warned)
    exit_on_faults(result, options.fail_on_faults)


def _discard_if_empty(run: _LiveRun) -> bool:
    """Close the files of a run; if its journal is empty, delete the run and return True."""
    run.recorder.close()
    run.journal.close()
    path = Path(run.journal.path)
    if path.stat().st_size:
        return False
    path.unlink()
    for name in (EXCHANGES, SEED_FILE):
        (run.folder / name).unlink(missing_ok=True)
    run.folder.rmdir()
    return True


def _resume_command(run: _LiveRun) -> str:
    return f"molt-bench resume {shlex.quote(str(run.folder))}"


def _show_traceback(participant: str, trace: str) -> None:
    print(f"molt-bench: {participant} raised:\n{printable(trace)}", file=sys.stderr, end="", flush=True)
