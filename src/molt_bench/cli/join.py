"""`molt-bench join`: one of our agents at a live server."""

import sys
from typing import Annotated

import typer

from molt_bench.cli.agent_argument import agent_from, maker_of
from molt_bench.cli.options import Params, positive


def join(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="The invitation, as `molt-bench serve` printed it; - reads it from standard input, so that no list of "
            "processes shows it.",
        ),
    ],
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL or llm:MODEL.")
    ],
    param: Params = None,
    patience: Annotated[
        float, typer.Option(metavar="SECONDS", callback=positive, help="How long to look for a server that is gone.")
    ] = 600.0,
    *,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing while it plays.")] = False,
) -> None:
    """Play with an agent at a live server, on this machine or another, until its run is over."""
    # Imported here, so that the help is quick.
    from molt_bench.play.event_loop import run_in_new_loop
    from molt_bench.serve.guest import play_as_guest

    make = maker_of(agent_from(agent, param or []))
    invitation = sys.stdin.readline() if url == "-" else url

    def say(line: str) -> None:
        if not quiet:
            print(line, flush=True)

    try:
        reason = run_in_new_loop(play_as_guest(invitation, make, patience_s=patience, say=say))
    except KeyboardInterrupt:
        print("Interrupted. The same command joins again; until then the clock runs.", file=sys.stderr)
        sys.exit(130)
    say(f"The run has ended: {reason}")
