"""`molt-bench serve`: play a benchmark with agents that connect by themselves."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from molt_bench.cli.options import (
    ConfigOptions,
    RunOptions,
    StopOptions,
    about_options,
    config_options,
    resume_option,
    run_agents_option,
    run_options,
    stop_options,
)
from molt_bench.cli.parser import NOT_NEGATIVE, PORT, POSITIVE, Command, flag, grouped
from molt_bench.cli.streams import notice
from molt_bench.errors import MoltBenchError, how_to_install
from molt_bench.lazy_import import lazy_import
from molt_bench.runs.about import About

if TYPE_CHECKING:
    from molt_bench.cli import config_flags, run_lifecycle
    from molt_bench.runs import folder as run_folder
    from molt_bench.runs import master_seed
    from molt_bench.serve import invitation_file, live_run, public_address
else:
    config_flags = lazy_import("molt_bench.cli.config_flags")
    run_lifecycle = lazy_import("molt_bench.cli.run_lifecycle")
    run_folder, master_seed = lazy_import("molt_bench.runs.folder"), lazy_import("molt_bench.runs.master_seed")
    invitation_file = lazy_import("molt_bench.serve.invitation_file")
    live_run, public_address = lazy_import("molt_bench.serve.live_run"), lazy_import("molt_bench.serve.public_address")


@dataclass(frozen=True, kw_only=True)
class ConnectionOptions:
    """Where agents connect, and how long they are waited for."""

    host: str | None = flag("Address to listen on; by default, this machine only.", metavar="ADDRESS")
    port: int | None = flag("Port; by default, any free one.", type=PORT)
    join_timeout: float | None = flag(
        "How long to wait for everyone to join; by default, without limit.", metavar="SECONDS", type=POSITIVE
    )
    if_missing: Literal["end", "play"] = flag(
        "What to do if somebody is missing by then: end the run, or play without them.",
        default="end",
        type=click.Choice(["end", "play"]),
    )
    reconnect: float | None = flag(
        "How long an agent that lost its connection may stay away in each game; by default, as the config says, or 60.",
        metavar="SECONDS",
        type=NOT_NEGATIVE,
    )

    linger: float = flag(
        "How long the server stays after the end, until everybody has learnt of it.",
        default=60.0,
        metavar="SECONDS",
        type=NOT_NEGATIVE,
    )
    stay: bool = flag("Stay after the end until stopped, so that latecomers learn what happened.", default=False)
    public_url: str | None = flag(
        "URL under which guests reach the server, through a proxy or a tunnel.", metavar="URL"
    )
    trusted_proxy: tuple[str, ...] = flag(
        "Address of a proxy that may say which client it speaks for; may be repeated.",
        default=(),
        metavar="ADDRESS",
        multiple=True,
    )
    public_names: bool = flag("Show everybody in the lobby who is playing, before the run ends.", default=False)

    def settings(self, earlier: Path | None) -> "live_run.ServeOptions":
        """Return the settings of the server; `earlier` is the folder of a run whose invitations are used again."""
        return live_run.ServeOptions(
            host=self.host,
            port=self.port,
            join_timeout_s=self.join_timeout,
            reconnect_s=self.reconnect,
            public_url=None if self.public_url is None else public_address.public_url(self.public_url),
            trusted_proxies=self.trusted_proxy,
            public_names=self.public_names,
            earlier=earlier,
            if_missing=self.if_missing,
            linger_s=self.linger,
            stay=self.stay,
            say=partial(print, flush=True),
            note=notice,
        )


@click.command(cls=Command)
@config_options("Config file, or the folder of a run to continue.")
@stop_options
@run_options
@grouped(ConnectionOptions, "connection")
@about_options
@resume_option
@run_agents_option
def serve(
    config_file: ConfigOptions,
    stop: StopOptions,
    options: RunOptions,
    connection: ConnectionOptions,
    about: About,
    *,
    resume_last: bool,
    run_agents: bool,
) -> None:
    """Play a benchmark with agents that connect by themselves: invite them, play, and tell them when it is over.

    Examples:
      molt-bench serve live.yaml
      molt-bench serve --config live.yaml --host 0.0.0.0 --port 8700 --join-timeout 600
    """
    try:
        serving = live_run.served
    except ImportError as error:
        raise MoltBenchError(f"serve needs {error.name}, which is not installed: {how_to_install('live')}") from error
    secret = master_seed.secret_from(None)
    given = config_file.required()
    folder = Path(given) if Path(given, run_folder.JOURNAL).is_file() else None
    config = None if folder else config_flags.config_to_run(given, stop.fields(), stop.assignments)
    earlier = None
    if config is not None and resume_last:
        folder, stop = run_folder.last_run(config, secret), StopOptions()
        earlier = invitation_file.left_waiting(config) if folder is None else None
    live = partial(serving, options=connection.settings(earlier))
    if folder is not None:
        run_lifecycle.resume_run(
            str(folder), options, stop=stop, secret=secret, live=live, run_agents=run_agents, own=config
        )
        invitation_file.forget(folder)  # the run has ended, maybe in an earlier session that was killed right then
    elif config is not None:
        about.check()
        run_lifecycle.start_run(config, options, secret=secret, about=about, live=live)
