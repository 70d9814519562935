"""The lifecycle of a run: its cost agreed to, started, resumed, interrupted, finished."""

import os
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import Final, NoReturn

from molt_bench import cli
from molt_bench.agents.human import replay
from molt_bench.agents.permission import BUILT_IN, OWN, Permission
from molt_bench.arena.announced_agents import outsiders
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.cast import check_participants
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.bench.result import RunResult
from molt_bench.blame import internal_error
from molt_bench.cli.config_flags import changed_by
from molt_bench.cli.options import RunOptions, StopOptions, is_debug
from molt_bench.cli.permission import ask_permission
from molt_bench.cli.progress import show_progress
from molt_bench.cli.run_result import UNRATED, exit_by_result, rebuild_run, write_result
from molt_bench.cli.streams import VisibleConsole, agreed, can_ask, notice, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, InternalError, JournalError, MoltBenchError
from molt_bench.llm.types import Unaccounted
from molt_bench.plugin import Host, HostedRun, Hosting
from molt_bench.report.artifacts import write_artifacts
from molt_bench.runs.bug_log import write_bug
from molt_bench.runs.folder import last_run, new_folder, resume_command, summarized
from molt_bench.runs.master_seed import forget, only_built_in
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from molt_bench.seeds import load_seeds
from molt_bench.study.before_a_run import outlay_of, too_little, what_the_budget_shows, what_the_limit_buys
from molt_bench.visible_text import on_one_line, printable

_UNWRITTEN: Final = "the run has ended, but not all its files were written: they are now, and no game is played"


def start_or_go_on(
    config: BenchmarkConfig,
    options: RunOptions,
    *,
    secret: str | None,
    resume_last: bool = False,
    live: Hosting | None = None,
) -> None:
    """Play a benchmark, or with `resume_last` go on with the last unfinished run of its config."""
    unfinished = last_run(config, secret) if resume_last else None
    if unfinished is not None:
        resume_run(str(unfinished), options, secret=secret, own=config, live=live)
        return
    if resume_last and options.talks:
        notice("no run of this config is unfinished, so a new one begins")
    start_run(config, options, secret=secret, live=live)


def start_run(
    config: BenchmarkConfig,
    options: RunOptions,
    *,
    secret: str | None,
    live: Hosting | None = None,
) -> None:
    """Play a benchmark in a new folder; `secret` is its master seed if that is to stay secret."""
    if config.paid():
        check_cost(config, options)
    folder = new_folder(config)
    ahead = what_the_budget_shows(config) if options.talks else None
    files = RunFiles.new(folder, config, secret=secret, warn=warn)
    hosted = None if live is None else live(HostedRun(folder, config))
    _play(config, files, folder, options, hosted, ahead=ahead)


def resume_run(
    folder: str,
    options: RunOptions,
    *,
    stop: StopOptions | None = None,
    secret: str | None = None,
    live: Hosting | None = None,
    run_agents: bool = False,
    own: BenchmarkConfig | None = None,
) -> None:
    """Continue a run that was interrupted, or one that ended but has a new stop rule; no game is played twice.

    With `run_agents`, the user permits the agents that the run names. `own` is the user's own config, if the
    run was found by it: then its agents are the user's.
    """
    stored = Run.open(folder, secret=secret, same_version=True)
    if own is not None:
        _check_seed_file(own.seeds.file, stored)
    stop = stop or StopOptions()
    if stored.ending is not None and "stop" not in changed_by(stop, stored)[0]:
        _finish(stored, options)
        return
    permission = _permission(stored, run_agents=run_agents, own=own)
    files, stored = RunFiles.reopen(folder, secret=secret, warn=warn)  # nothing was changed before
    files.permission = permission
    try:
        files.settings, stored.config = changed_by(stop, stored)
        if stop.forget_unaccounted:
            known = files.replies
            known.ledger.forget(sum((exchange.lost for exchange in known.earlier), Unaccounted()))
    except MoltBenchError:
        files.close()
        raise
    games = [game.record for game in stored.games]
    hosted = None if live is None else live(HostedRun(stored.folder, stored.config, games))
    _play(stored.config, files, stored.folder, options, hosted)


def _check_seed_file(path: str | None, stored: Run) -> None:
    """Check that the file of seeds in the user's own config has not changed since a run of it began; it may be gone."""
    if path is not None and os.path.exists(path) and load_seeds(path) != stored.header.seeds:
        raise JournalError(f"the seed file {path} has been changed since the run began")


def _finish(stored: Run, options: RunOptions) -> None:
    """Write the files of a run that has ended again, and print its result."""
    if summarized(stored.folder) != (stored.content.line_count, stored.content.last_hash):
        notice(f"{stored.folder}: {_UNWRITTEN}")
    if not stored.sealed:
        forget(stored.folder)
    with _saying_what_is_left(stored.folder):
        result = rebuild_run(str(stored.folder), options.printing())
    exit_by_result(result, str(stored.folder), options)


def _permission(stored: Run, *, run_agents: bool, own: BenchmarkConfig | None) -> Permission:
    """Return which agents may be made to go on with a run."""
    if only_built_in(stored.config):
        return BUILT_IN
    # Relative paths in the config mean the same files only where the run began.
    if own is not None and os.path.realpath(stored.header.folder) == os.path.realpath(os.curdir):
        return OWN
    return ask_permission(stored, outsiders(stored), run_agents=run_agents)


def _play(
    config: BenchmarkConfig,
    files: RunFiles,
    folder: Path,
    options: RunOptions,
    hosted: AbstractContextManager[Host] | None,
    *,
    ahead: str | None = None,
) -> None:
    """Play a run and write its result; `ahead` is said once all are there, before the first game."""
    files.began = cli.began
    warned: list[str] = []
    lines: list[Iterator[str]] = []
    untold = [ahead] if ahead is not None else []

    def warn_once(warning: str) -> None:
        warned.append(warning)
        warn(warning)

    with ExitStack() as hosting:  # guests are told how it ended while the result is printed
        try:
            host = None if hosted is None else hosting.enter_context(hosted)
            with show_progress(config, quiet=not options.talks or bool(config.people())) as watch:

                def on_status(status: RunStatus) -> None:
                    while untold:
                        notice(untold.pop())
                    if watch is not None:
                        watch(status)
                    if host is not None:
                        for name in status.ladder.left:
                            host.dismiss(name, status.ladder.failures[name].forfeited)

                result = run_benchmark(
                    config,
                    files=files,
                    keep_hands=False,
                    preflight=not options.no_preflight,
                    observer=Observer(
                        on_status=on_status,
                        on_warning=warn_once,
                        on_traceback=_show_traceback if is_debug() else None,
                        on_notice=notice if options.talks else None,
                        on_lines=lines.append,
                    ),
                    live=host,
                    executor=options.executor,
                    workers=options.workers,
                    games_at_once=options.games_at_once,
                )
            if host is not None:
                host.close("the run is over")
        except (MoltBenchError, OSError) as error:
            _end(error, folder, files, config)
        except Exception as error:
            _end(internal_error(error), folder, files, config)
        except KeyboardInterrupt:
            _end_interrupted(folder, files, config, options, warned)
        files.close()
        with _saying_what_is_left(folder):
            write_result(result, folder, options.printing(), lost=files.problem, warned=warned)
            if options.talks:
                _say_more(result, folder, chain.from_iterable(lines))
    exit_by_result(result, str(folder), options)


def _say_more(result: RunResult, folder: Path, lines: Iterable[str]) -> None:
    """Say what plug-ins have to say, and show a person what the others held."""
    for line in lines:
        VisibleConsole().print(on_one_line(line), soft_wrap=True, markup=False)
    for person in result.config.people():
        replay([game.record for game in Run.open(folder).games], person)


def _end_interrupted(
    folder: Path, files: RunFiles, config: BenchmarkConfig, options: RunOptions, warned: list[str]
) -> NoReturn:
    """End a run that the user interrupted: write what there is, and say how it goes on."""
    if files.discard_if_empty():
        print("Interrupted before the first game: nothing is kept.", file=sys.stderr)
    else:
        run = Run.open(folder)
        with _saying_what_is_left(folder):
            write_result(run.result(), folder, options.printing(), warned=warned)
        if run.ending is None:
            print(f"Interrupted. Resume with:\n  {resume_command(str(folder), config)}", file=sys.stderr)
    sys.exit(130)


@contextmanager
def _saying_what_is_left(folder: Path) -> Iterator[None]:
    """Say what to do if the user interrupts while the last files are written: the journal is complete by then."""
    try:
        yield
    except KeyboardInterrupt:
        print(
            "Interrupted while files were written. Every game is kept; write them again with:\n  molt-bench report "
            f"{shlex.quote(str(folder))}",
            file=sys.stderr,
        )
        sys.exit(130)


def _end(error: MoltBenchError | OSError, folder: Path, files: RunFiles, config: BenchmarkConfig) -> NoReturn:
    """End a run that cannot go on: write what there is, and say in one line why, and how it goes on.

    A bug of ours is written to a log first.
    """
    empty = files.discard_if_empty()
    said = str(error)
    if isinstance(error, InternalError):
        said = f"{said}; please report it with {shlex.quote(str(write_bug(folder, error)))}"
    elif empty or isinstance(error, JournalError):  # it cannot be resumed as it is
        raise error
    if empty:
        raise MoltBenchError(said) from error
    write_artifacts(Run.open(folder).result(), folder)
    command = resume_command(str(folder), config)
    raise MoltBenchError(f"{said}; finished games are kept, resume with: {command}") from error


def _show_traceback(participant: str, trace: str) -> None:
    print(f"molt-bench: {participant} raised:\n{printable(trace)}", file=sys.stderr, end="", flush=True)


def check_cost(config: BenchmarkConfig, options: RunOptions) -> None:
    """Say what a limit buys; without one, ask whether the run may cost what it will, or refuse without a terminal.

    Raises ConfigError if the run must not begin; ends the program if the limit does not buy one seed pair.
    """
    check_participants(config)  # whatever else is wrong comes first
    limits = config.stop.budget
    if limits is None or (limits.max_cost_usd is None and limits.max_tokens is None):
        outlay = None if options.no_cost_limit else outlay_of(config)
        if outlay is None:
            return
        field, example = ("stop.budget.maxTokens", "1000000") if outlay.unpriced else ("stop.budget.maxCostUsd", "5")
        if not can_ask() or not agreed(f"This run has no limit of cost ({field}): {outlay.said}. Go on?"):
            expected = f"a limit, as with --set {field}={example}, or --no-cost-limit: {outlay.said}"
            raise ConfigError(field, None, expected)
        return
    bought, short = what_the_limit_buys(config), None if options.no_cost_limit else too_little(config)
    if bought is not None and options.talks:
        notice(bought)
    if short is not None:
        notice(f"{short}: no model was asked (--no-cost-limit begins all the same)")
        sys.exit(UNRATED)
