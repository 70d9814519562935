"""`molt-bench serve`: play a benchmark with agents that connect by themselves."""

from functools import partial
from typing import Any, Final

import click

from molt_bench.plugin import Hosting
from molt_bench.plugins.live.address import public_url
from molt_bench.plugins.live.attendance import RECONNECT_S
from molt_bench.plugins.live.hosting import ServeOptions, served

#: A number of seconds.
_SECONDS: Final = click.FloatRange(0, 1_000_000)


@click.command()
@click.option("--host", metavar="ADDRESS", help="Address to listen on; by default, this machine only.")
@click.option("--port", metavar="N", type=click.IntRange(0, 65535), help="Port; by default, any free one.")
@click.option(
    "--join-timeout",
    "join_timeout_s",
    metavar="SECONDS",
    type=_SECONDS,
    default=None,
    help="How long to wait for everyone to join; by default, without limit.",
)
@click.option(
    "--if-missing",
    type=click.Choice(["end", "play"]),
    default="end",
    help="What to do if a guest is missing by then: end the run, or play without them.",
)
@click.option(
    "--reconnect",
    "reconnect_s",
    metavar="SECONDS",
    type=_SECONDS,
    default=RECONNECT_S,
    help="How long an agent that lost its connection may stay away in each game.",
)
@click.option(
    "--public-url", metavar="URL", help="URL under which guests reach the server, through a proxy or a tunnel."
)
def serve(**options: Any) -> Hosting:
    """Play a benchmark with agents that connect over the network: invite them, wait, and play.

    FILE may be the folder of a run, which goes on.

    Examples:
      molt-bench serve live.yaml
      molt-bench serve --participants live,tag --max-matches 2
      molt-bench serve --config live.yaml --host 0.0.0.0 --port 8700 --join-timeout 600
    """
    given = options.pop("public_url")
    return partial(served, options=ServeOptions(**options, public_url=None if given is None else public_url(given)))
