"""One session of a run: played with its progress shown, and ended, interrupted or failed with all that it has."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import NoReturn

from molt_bench import cli
from molt_bench.agents.human import replay
from molt_bench.arena.benchmark import run_benchmark
from molt_bench.arena.status import Observer, RunStatus
from molt_bench.bench.result import RunResult
from molt_bench.blame import internal_error
from molt_bench.cli.console import VisibleConsole
from molt_bench.cli.options import RunOptions, is_debug
from molt_bench.cli.progress import show_progress
from molt_bench.cli.run_result import exit_by_result, write_result
from molt_bench.cli.streams import notice, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import InternalError, JournalError, MoltBenchError
from molt_bench.plugin import Host
from molt_bench.report.artifacts import write_artifacts
from molt_bench.runs.bug_log import write_bug
from molt_bench.runs.folder import resume_command
from molt_bench.runs.run import Run
from molt_bench.runs.run_files import RunFiles
from molt_bench.visible_text import on_one_line, printable


class Session:
    """A session of a run in its folder."""

    def __init__(self, config: BenchmarkConfig, files: RunFiles, folder: Path, options: RunOptions) -> None:
        self._config, self._files, self._folder, self._options = config, files, folder, options
        self._warned = list[str]()
        self._lines = list[Iterator[str]]()

    def play(self, hosted: AbstractContextManager[Host] | None, *, ahead: str | None = None) -> None:
        """Play the run and write its result; `ahead` is said once all are there, before the first game."""
        self._files.began = cli.began
        with ExitStack() as hosting:  # guests are told how it ended while the result is printed
            try:
                host = None if hosted is None else hosting.enter_context(hosted)
                result = self._played(host, [ahead] if ahead is not None else [])
            except (MoltBenchError, OSError) as error:
                self._fail(error)
            except Exception as error:
                self._fail(internal_error(error))
            except KeyboardInterrupt:
                self._interrupt()
            self._files.close()
            with saying_what_is_left(self._folder):
                printing = self._options.printing()
                write_result(result, self._folder, printing, lost=self._files.problem, warned=self._warned)
                if self._options.talks:
                    self._say_more()
        exit_by_result(result, str(self._folder), self._options)

    def _played(self, host: Host | None, untold: list[str]) -> RunResult:
        options = self._options
        with show_progress(self._config, quiet=not options.talks or bool(self._config.people())) as watch:

            def on_status(status: RunStatus) -> None:
                while untold:
                    notice(untold.pop())
                if watch is not None:
                    watch(status)
                if host is not None:
                    for name in status.ladder.left:
                        host.dismiss(name, status.ladder.failures[name].forfeited)

            result = run_benchmark(
                self._config,
                files=self._files,
                keep_hands=False,
                preflight=not options.no_preflight,
                observer=Observer(
                    on_status=on_status,
                    on_warning=self._warn,
                    on_traceback=_show_traceback if is_debug() else None,
                    on_notice=notice if options.talks else None,
                    on_lines=self._lines.append,
                ),
                live=host,
                executor=options.executor,
                workers=options.workers,
                games_at_once=options.games_at_once,
            )
        if host is not None:
            host.close("the run is over")
        return result

    def _warn(self, warning: str) -> None:
        self._warned.append(warning)
        warn(warning)

    def _say_more(self) -> None:
        """Say what plug-ins have to say, and show a person what the others held."""
        for line in chain.from_iterable(self._lines):
            VisibleConsole().print(on_one_line(line), soft_wrap=True, markup=False)
        for person in self._config.people():
            replay([game.record for game in Run.open(self._folder).games], person)

    def _interrupt(self) -> NoReturn:
        """End a run that the user interrupted: write what there is, and say how it goes on."""
        if self._files.discard_if_empty():
            print("Interrupted before the first game: nothing is kept.", file=sys.stderr)
        else:
            run = Run.open(self._folder)
            with saying_what_is_left(self._folder):
                write_result(run.result(), self._folder, self._options.printing(), warned=self._warned)
            if run.ending is None:
                command = resume_command(str(self._folder), self._config)
                print(f"Interrupted. Resume with:\n  {command}", file=sys.stderr)
        sys.exit(130)

    def _fail(self, error: MoltBenchError | OSError) -> NoReturn:
        """End a run that cannot go on: write what there is, and say in one line why, and how it goes on.

        A bug of ours is written to a log first.
        """
        empty = self._files.discard_if_empty()
        said = str(error)
        if isinstance(error, InternalError):
            said = f"{said}; please report it with {shlex.quote(str(write_bug(self._folder, error)))}"
        elif empty or isinstance(error, JournalError):  # it cannot be resumed as it is
            raise error
        if not empty:
            write_artifacts(Run.open(self._folder).result(), self._folder)
            command = resume_command(str(self._folder), self._config)
            said = f"{said}; finished games are kept, resume with: {command}"
        raise MoltBenchError(said) from error


@contextmanager
def saying_what_is_left(folder: Path) -> Iterator[None]:
    """Say what to do if the user interrupts while the last files are written: the journal is complete by then."""
    try:
        yield
    except KeyboardInterrupt:
        command = f"molt-bench report {shlex.quote(str(folder))}"
        print(
            f"Interrupted while files were written. Every game is kept; write them again with:\n  {command}",
            file=sys.stderr,
        )
        sys.exit(130)


def _show_traceback(participant: str, trace: str) -> None:
    print(f"molt-bench: {participant} raised:\n{printable(trace)}", file=sys.stderr, end="", flush=True)
