"""`molt-bench join`: bring an agent to a live server."""

import sys

import click

from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.plugins.live.guest import Make, play_as_guest


@click.command()
@click.argument(
    "url",
    metavar="URL",
    help="The invitation, as `molt-bench serve` printed it; - reads it from standard input, which hides it from "
    "the process list.",
)
@click.option(
    "--agent",
    metavar="AGENT",
    required=True,
    help="Such as tag, my_bot.py:make, 'exec:./bot --flag', a URL or llm:MODEL.",
)
@click.option(
    "--patience",
    metavar="SECONDS",
    type=float,
    default=600.0,
    help="How long to keep trying if the server is gone.",
)
@click.option("--quiet", is_flag=True, help="Print nothing but warnings and errors.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object to standard output and nothing else.")
def join(url: str, agent: Make, *, patience: float, quiet: bool, as_json: bool) -> dict[str, str]:
    """Play with an agent at a live server, on this machine or another, until its run is over.

    Examples:
      molt-bench join http://127.0.0.1:8770/j/TOKEN --agent tag
      molt-bench join - --agent my_bot.py:make --quiet
    """

    def say(line: str) -> None:
        if not quiet and not as_json:
            print(line, flush=True)

    invitation = sys.stdin.readline() if url == "-" else url
    try:
        reason = run_in_new_loop(play_as_guest(invitation, agent, patience_s=patience, say=say))
    except KeyboardInterrupt:
        print("Interrupted. The same command joins again; until then the clock runs.", file=sys.stderr)
        sys.exit(130)
    say("The run is over" if reason == "the run is over" else f"The run is over: {reason}")
    return {"ended": reason}
