"""`molt-bench mcp`: play at a live server from an MCP host, which starts this command."""

import signal

import click

from molt_bench.cli.parser import Command
from molt_bench.cli.streams import notice
from molt_bench.errors import MoltBenchError
from molt_bench.extras import how_to_install
from molt_bench.play.event_loop import run_in_new_loop
from molt_bench.serve.guest_side.mcp_bridge import bridge


@click.command(cls=Command)
@click.argument("url", metavar="URL", help="The invitation, as `molt-bench serve` printed it.")
def mcp(url: str) -> None:
    """Play at a live server from an MCP host that starts programs, such as Claude Desktop.

    Examples:
      molt-bench mcp http://127.0.0.1:8770/j/TOKEN
    """
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, signal.SIG_DFL)  # nothing is to be saved, and a read of standard input cannot be interrupted
    try:
        run_in_new_loop(bridge(url, say=notice))
    except ImportError as error:
        raise MoltBenchError(f"mcp needs {error.name}, which is not installed: {how_to_install('mcp')}") from error
