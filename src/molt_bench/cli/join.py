"""`molt-bench join`: bring an agent to a live server."""

import sys
from collections.abc import Sequence

import click

from molt_bench.cli.agent_argument import agent_from, maker_of
from molt_bench.cli.options import AGENT, Printing, param_option, printing_options, sandbox_option
from molt_bench.cli.parser import POSITIVE, Command
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.serve.guest_side.guest import play_as_guest


@click.command(cls=Command)
@click.argument(
    "url",
    metavar="URL",
    help="The invitation, as `molt-bench serve` printed it; - reads it from standard input, which hides it from "
    "the process list.",
)
@click.option("--agent", required=True, **AGENT)
@param_option
@sandbox_option
@click.option(
    "--patience",
    metavar="SECONDS",
    type=POSITIVE,
    default=600.0,
    help="How long to keep trying if the server is gone.",
)
@printing_options
def join(
    url: str, agent: str, params: Sequence[str], *, sandbox: str | None, patience: float, printing: Printing
) -> None:
    """Play with an agent at a live server, on this machine or another, until its run is over.

    Examples:
      molt-bench join http://127.0.0.1:8770/j/TOKEN --agent tag
      molt-bench join - --agent my_bot.py:make --quiet
    """
    make = maker_of(agent_from(agent, params, sandbox))
    invitation = sys.stdin.readline() if url == "-" else url

    def say(line: str) -> None:
        if not printing.quiet:
            print(line, flush=True)

    try:
        reason = run_in_new_loop(play_as_guest(invitation, make, patience_s=patience, say=say))
    except KeyboardInterrupt:
        print("Interrupted. The same command joins again; until then the clock runs.", file=sys.stderr)
        sys.exit(130)
    why = "" if reason == "the run is over" else f": {reason}"  # what a server says that was not stopped
    printing.answer({"ended": reason}, lambda: say(f"The run is over{why}"))
