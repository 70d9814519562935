"""`molt-bench serve`: play a benchmark with agents that connect by themselves."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import click

from molt_bench.cli import config_flags, run_or_resume
from molt_bench.cli.completion import agent_lists
from molt_bench.cli.options import (
    ConfigOptions,
    RunOptions,
    StopOptions,
    config_options,
    resume_option,
    run_agents_option,
    run_options,
    stop_options,
)
from molt_bench.cli.parser import NOT_NEGATIVE, PORT, POSITIVE, Command, flag, grouped
from molt_bench.cli.streams import notice
from molt_bench.runs import folder as run_folder
from molt_bench.runs import master_seed
from molt_bench.serve import invitations, live_run, public_address


@dataclass(frozen=True, kw_only=True)
class GuestOptions:
    """Who plays, where agents connect, and how long they are waited for."""

    participants: str | None = flag(
        "Who plays, such as live,tag; without a file, or in place of those it names.",
        metavar="LIST",
        shell_complete=agent_lists,
    )
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
    reconnect: float = flag(
        "How long an agent that lost its connection may stay away in each game.",
        metavar="SECONDS",
        default=60.0,
        type=NOT_NEGATIVE,
    )
    linger: float = flag(
        "How long the server stays up after the end, until every agent knows that the run is over.",
        default=60.0,
        metavar="SECONDS",
        type=NOT_NEGATIVE,
    )
    stay: bool = flag("Stay up after the end until stopped, for agents that come back late.", default=False)
    public_url: str | None = flag(
        "URL under which guests reach the server, through a proxy or a tunnel.", metavar="URL"
    )

    def settings(self, earlier: Path | None) -> live_run.ServeOptions:
        """Return the settings of the server; `earlier` is the folder of a run whose invitations are used again."""
        return live_run.ServeOptions(
            host=self.host,
            port=self.port,
            join_timeout_s=self.join_timeout,
            reconnect_s=self.reconnect,
            public_url=None if self.public_url is None else public_address.public_url(self.public_url),
            earlier=earlier,
            if_missing=self.if_missing,
            linger_s=self.linger,
            stay=self.stay,
            say=partial(print, flush=True),
            note=notice,
        )


@click.command(cls=Command)
@config_options
@stop_options
@run_options
@grouped(GuestOptions, "guests")
@resume_option
@run_agents_option
def serve(
    config_file: ConfigOptions,
    stop: StopOptions,
    options: RunOptions,
    guests: GuestOptions,
    *,
    resume_last: bool,
    run_agents: bool,
) -> None:
    """Play a benchmark with agents that connect over the network: invite them, wait, and play.

    FILE may be the folder of a run, which goes on.

    Examples:
      molt-bench serve live.yaml
      molt-bench serve --participants live,tag --max-matches 2
      molt-bench serve --config live.yaml --host 0.0.0.0 --port 8700 --join-timeout 600
    """
    secret = master_seed.secret_from(None)
    file, participants = config_file.path(), guests.participants
    if file is None and participants is None:
        raise click.BadParameter(
            "a config is needed: FILE, or --config FILE, or --participants LIST", param_hint="FILE"
        )
    config, folder, earlier = None, None, None
    if file is not None and Path(file, run_folder.JOURNAL).is_file():
        if participants is not None:
            raise click.BadParameter("a run has its participants already", param_hint="--participants")
        folder = Path(file)
    else:
        config = config_flags.config_to_run(file, {**stop.fields(), "participants": participants}, stop.assignments)
        if resume_last:
            folder, stop = run_folder.last_run(config, secret), StopOptions()
            earlier = invitations.left_waiting(config) if folder is None else None
    live = partial(live_run.served, options=guests.settings(earlier))
    if folder is not None:
        run_or_resume.resume_run(
            str(folder), options, stop=stop, secret=secret, live=live, run_agents=run_agents, own=config
        )
        invitations.forget(folder)  # the run has ended, maybe in an earlier session that was killed right then
    elif config is not None:
        if resume_last and earlier is None and options.talks:
            notice("no run of this config is unfinished, so a new one begins")
        run_or_resume.start_run(config, options, secret=secret, live=live)
