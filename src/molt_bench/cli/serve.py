"""`molt-bench serve`: play a benchmark with agents that connect by themselves."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import click

from molt_bench.cli import config_flags, run_or_resume
from molt_bench.cli.completion import agent_lists
from molt_bench.cli.live_options import ConnectionOptions
from molt_bench.cli.options import (
    PATH,
    ConfigOptions,
    RunOptions,
    StopOptions,
    about_options,
    resume_option,
    run_agents_option,
    run_options,
    stop_options,
)
from molt_bench.cli.parser import Command, grouped
from molt_bench.cli.streams import notice, warn
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import MoltBenchError
from molt_bench.runs import folder as run_folder
from molt_bench.runs import master_seed
from molt_bench.runs.about import About
from molt_bench.serve import invitations, live_run

#: The exit status of a run that the user interrupted.
_INTERRUPTED: Final = 130


@dataclass(frozen=True)
class _Wanted:
    """One run to serve: its folder if it goes on, and its config if that is the user's own."""

    name: str
    folder: Path | None
    config: BenchmarkConfig | None


@dataclass(frozen=True)
class ServedRuns:
    """Which runs are served, one after another."""

    files: tuple[str, ...]
    config: str | None
    participants: str | None

    def wanted(self, stop: StopOptions) -> list[_Wanted]:
        """Return the runs; what is wrong with any of them is raised before the first begins."""
        if self.files and self.config is not None:
            raise click.BadParameter("cannot be used with FILE, which is the same", param_hint="--config")
        given: list[str | None] = [*self.files] if self.config is None else [self.config]
        if not given and self.participants is None:
            raise click.BadParameter(
                "a config is needed: FILE, or --config FILE, or --participants LIST", param_hint="FILE"
            )
        flags = {**stop.fields(), "participants": self.participants}
        found = []
        for file in given or [None]:
            ConfigOptions(file, None).path()  # which refuses a list of agents
            folder = Path(file) if file is not None and Path(file, run_folder.JOURNAL).is_file() else None
            if folder is not None and self.participants is not None:
                raise click.BadParameter("a run has its participants already", param_hint="--participants")
            config = None if folder else config_flags.config_to_run(file, flags, stop.assignments)
            found.append(_Wanted(file or str(self.participants), folder, config))
        return found


@click.command(cls=Command)
@grouped(
    ServedRuns,
    "runs",
    click.argument(
        "files",
        metavar="[FILE]...",
        nargs=-1,
        type=PATH,
        help="Config file, or the folder of a run to continue; several are played one after another.",
    ),
    click.option("--config", metavar="FILE", type=PATH, help="The same as FILE."),
    click.option(
        "--participants",
        metavar="LIST",
        shell_complete=agent_lists,
        help="Who plays, such as live,tag; without a file, or in place of those it names.",
    ),
)
@stop_options
@run_options
@grouped(ConnectionOptions, "connection")
@about_options
@resume_option
@run_agents_option
def serve(
    runs: ServedRuns,
    stop: StopOptions,
    options: RunOptions,
    connection: ConnectionOptions,
    about: About,
    *,
    resume_last: bool,
    run_agents: bool,
) -> None:
    """Play a benchmark with agents that connect over the network: invite them, wait, and play.

    Examples:
      molt-bench serve live.yaml
      molt-bench serve --participants live,tag --max-matches 2
      molt-bench serve --config live.yaml --host 0.0.0.0 --port 8700 --join-timeout 600
    """
    secret = master_seed.secret_from(None)

    def play(wanted: _Wanted, *, stay: bool, on_stop: Callable[[], None]) -> None:
        folder, config, earlier, new_stop = wanted.folder, wanted.config, None, stop
        if config is not None and resume_last:
            folder, new_stop = run_folder.last_run(config, secret), StopOptions()
            earlier = invitations.left_waiting(config) if folder is None else None
        live = partial(live_run.served, options=connection.settings(earlier, stay=stay, on_stop=on_stop))
        if folder is not None:
            run_or_resume.resume_run(
                str(folder), options, stop=new_stop, secret=secret, live=live, run_agents=run_agents, own=config
            )
            invitations.forget(folder)  # the run has ended, maybe in an earlier session that was killed right then
        elif config is not None:
            if resume_last and earlier is None:
                options.printing().notice("no run of this config is unfinished, so a new one begins")
            about.check()
            run_or_resume.start_run(config, options, secret=secret, about=about, live=live)

    _one_after_another(runs.wanted(stop), play, stay=connection.stay)


def _one_after_another(runs: Sequence[_Wanted], play: Callable[..., None], *, stay: bool) -> None:
    """Play runs in their order; one that fails does not keep the next from being played, unless the user ends it.

    The server of the last one may `stay`. The exit status is that of the first that failed.
    """
    failed, stopped = 0, False

    def stop() -> None:
        nonlocal stopped
        stopped = True

    for number, wanted in enumerate(runs, start=1):
        if len(runs) == 1:
            return play(wanted, stay=stay, on_stop=stop)
        notice(f"Run {number} of {len(runs)}: {wanted.name}")
        try:
            play(wanted, stay=stay and number == len(runs), on_stop=stop)
        except SystemExit as end:
            if end.code == _INTERRUPTED:
                raise
            failed = failed or int(end.code or 0)
        except MoltBenchError as error:
            warn(f"{wanted.name}: {error}")
            failed = failed or error.status
        if stopped and number < len(runs):
            sys.exit(_INTERRUPTED)
    return sys.exit(failed) if failed else None
