"""`molt-bench serve`: play a benchmark with agents that connect by themselves."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from molt_bench.cli.consent import RunAgents
from molt_bench.cli.options import (
    ConfigOptions,
    RunOptions,
    StopOptions,
    is_debug,
    not_negative,
    port_number,
    positive,
)
from molt_bench.errors import MoltBenchError, how_to_install


class ServedOptions(ConfigOptions, frozen=True, kw_only=True):
    """The config file, or the folder of a run."""

    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", show_default=False, help="Config file, or the folder of a run to go on with."),
    ] = None


def serve(
    context: typer.Context,
    config: ServedOptions,
    stop: StopOptions,
    options: RunOptions,
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address to listen on; by default, this machine only.")
    ] = None,
    port: Annotated[int | None, typer.Option(callback=port_number, help="Port; by default, any free one.")] = None,
    join_timeout: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS", callback=positive, help="How long to wait for everybody; by default, for ever."
        ),
    ] = None,
    if_missing: Annotated[
        Literal["end", "play"], typer.Option(help="What to do without somebody then: end, or play all the same.")
    ] = "end",
    reconnect: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            callback=not_negative,
            help="For how long in a game an agent that lost its connection may be late.",
        ),
    ] = 60.0,
    name: Annotated[str, typer.Option(help="A name for the run; it changes no result.")] = "",
    note: Annotated[str, typer.Option(help="A note on the run, for its readers.")] = "",
    *,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the last unfinished run of this config.")] = False,
    run_agents: RunAgents = False,
) -> None:
    """Play a benchmark with agents that connect by themselves: invite them, play, tell them the end.

    Examples:
      molt-bench serve live.yaml
      molt-bench serve --config live.yaml --host 0.0.0.0 --port 8700 --join-timeout 600
    """
    # Imported here, so that the help is quick.
    from molt_bench.cli.config_flags import config_to_run
    from molt_bench.cli.live_run import resume_run, start_run
    from molt_bench.runs.about import About
    from molt_bench.runs.folder import JOURNAL, last_run
    from molt_bench.runs.master_seed import secret_from

    try:
        from molt_bench.serve.invitation_file import forget, left_waiting
        from molt_bench.serve.live_run import ServeOptions, served
    except ImportError as error:
        raise MoltBenchError(f"serve needs {error.name}, which is not installed: {how_to_install('live')}") from error
    secret = secret_from(None)
    given = config.required()
    folder = Path(given) if (Path(given) / JOURNAL).is_file() else None
    checked = None if folder is not None else config_to_run(given, stop.fields(), stop.set_ or [])
    earlier = None
    if checked is not None and resume:
        folder, stop = last_run(checked, secret), StopOptions()
        earlier = left_waiting(checked) if folder is None else None
    how = ServeOptions(
        host=host,
        port=port,
        join_timeout_s=join_timeout,
        reconnect_s=reconnect,
        earlier=earlier,
        if_missing=if_missing,
        say=partial(print, flush=True),
    )
    live = partial(served, options=how)
    if folder is not None:
        resume_run(
            str(folder),
            options,
            stop=stop,
            secret=secret,
            debug=is_debug(context),
            live=live,
            run_agents=run_agents,
            own=checked,
        )
        forget(folder)  # the run has ended, maybe in an earlier session that was killed right then
    elif checked is not None:
        about = About(name.strip(), note.strip())
        about.check()
        start_run(checked, options, secret=secret, about=about, debug=is_debug(context), live=live)
