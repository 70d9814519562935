"""A run being played: started, resumed, interrupted, finished."""

import shlex
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol, TypeAlias

from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.cast import LivePlayers
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.cli.config_flags import extension_from
from molt_bench.cli.consent import check_cost
from molt_bench.cli.options import RunOptions, StopOptions
from molt_bench.cli.output import exit_on_faults, exit_unrated, rebuild_run, write_result
from molt_bench.cli.progress import show_progress
from molt_bench.cli.streams import notice, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import JournalError, MoltBenchError, printable
from molt_bench.report.artifacts import write_artifacts
from molt_bench.runs.about import About, write_about
from molt_bench.runs.folder import new_folder
from molt_bench.runs.run_files import RunFiles
from molt_bench.runs.stored_run import StoredRun


class Host(LivePlayers, Protocol):
    """Seats live agents, and shows them how far the run is."""

    def watch(self, status: RunStatus) -> None:
        """Note how far the run is."""


#: Serves a run, given its folder and config, to the agents that come by themselves.
Hosting: TypeAlias = Callable[[Path, BenchmarkConfig], AbstractContextManager[Host]]


def start_run(
    config: BenchmarkConfig,
    options: RunOptions,
    *,
    secret: str | None,
    about: About,
    debug: bool,
    live: Hosting | None = None,
) -> None:
    """Play a benchmark in a new folder.

    Args:
        config: What to play.
        options: How it is played and printed.
        secret: Its master seed, if that is to stay secret.
        about: What the user calls the run.
        debug: Whether tracebacks of agents are printed.
        live: Serves the run to live agents; None for a run without them.
    """
    check_cost(config, options)
    folder = new_folder(config)
    write_about(folder, about)
    _play(config, folder, RunFiles.new(folder, config, secret=secret, warn=warn), options, debug=debug, live=live)


def resume_run(
    folder: str,
    options: RunOptions,
    *,
    stop: StopOptions | None = None,
    secret: str | None = None,
    debug: bool = False,
    live: Hosting | None = None,
) -> None:
    """Continue a run that was interrupted, or one that ended but has a new stop rule; no game is played twice."""
    files, stored = RunFiles.reopen(folder, secret=secret, warn=warn)
    try:
        files.extend = extension_from(stop or StopOptions(), stored)
    except MoltBenchError:
        files.close()
        raise
    if files.extend is None and stored.stop_reason is not None:
        files.close()
        exit_on_faults(rebuild_run(folder, options.printing()), options.fail_on_faults)
        return
    _play(stored.config, stored.folder, files, options, debug=debug, live=live)


def _play(
    config: BenchmarkConfig,
    folder: Path,
    files: RunFiles,
    options: RunOptions,
    *,
    debug: bool,
    live: Hosting | None = None,
) -> None:
    warned: list[str] = []

    def warn_once(warning: str) -> None:
        warned.append(warning)
        warn(warning)

    quiet = options.quiet or options.as_json
    try:
        with (
            live(folder, config) if live is not None else nullcontext() as host,
            show_progress(config, quiet=quiet) as watch,
        ):

            def on_status(status: RunStatus) -> None:
                if watch is not None:
                    watch(status)
                if host is not None:
                    host.watch(status)

            result = run_benchmark(
                config,
                files=files,
                keep_hands=False,
                preflight=not options.no_preflight,
                observer=Observer(on_status, warn_once, _show_traceback if debug else None, None if quiet else notice),
                live=host,
                executor=options.executor,
                workers=options.workers,
                ray_address=options.ray_address,
                games_at_once=options.games_at_once,
            )
    except MoltBenchError as error:
        if files.discard_if_empty() or isinstance(error, JournalError):  # it cannot be resumed as it is
            raise
        write_artifacts(StoredRun.open(folder).result(), folder)
        raise MoltBenchError(
            f"{error}; finished games are kept, resume with: {_resume_command(folder, config)}"
        ) from error
    except KeyboardInterrupt:
        if files.discard_if_empty():
            print("Interrupted before the first game: nothing is kept.", file=sys.stderr)
        else:
            write_result(StoredRun.open(folder).result(), folder, options.printing(), warned=warned)
            print(f"Interrupted. Resume with:\n  {_resume_command(folder, config)}", file=sys.stderr)
        sys.exit(130)
    files.close()
    write_result(result, folder, options.printing(), lost=files.problem, warned=warned)
    exit_on_faults(result, options.fail_on_faults)
    exit_unrated(result, _resume_command(folder, config))


def _resume_command(folder: Path, config: BenchmarkConfig) -> str:
    command = "serve" if any(each.kind.comes for each in config.participants) else "resume"
    return f"molt-bench {command} {shlex.quote(str(folder))}"


def _show_traceback(participant: str, trace: str) -> None:
    print(f"molt-bench: {participant} raised:\n{printable(trace)}", file=sys.stderr, end="", flush=True)
