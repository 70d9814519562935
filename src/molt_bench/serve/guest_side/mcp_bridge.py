"""The bridge for MCP hosts that start programs: an MCP server on stdin and stdout, which plays at a live server.

It uses the server's long poll, so that the server itself needs no package of MCP.
"""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Final

from molt_bench.agents.live.turn_messages import Next
from molt_bench.errors import MoltBenchError
from molt_bench.lazy_import import lazy_import
from molt_bench.serve.guest_side.live_client import LiveClient, NotTaken, RunOver, Say, Stale, base_of, connected
from molt_bench.serve.mcp_server import mcp_server

if TYPE_CHECKING:
    from mcp.server import stdio
else:
    stdio = lazy_import("mcp.server.stdio")

#: Seconds for which a server that is gone is looked for in one call: hosts give up after 60, of which one may wait 45.
_PATIENCE_S: Final = 10.0


async def bridge(url: str, *, say: Say) -> None:
    """Serve an MCP host on stdin and stdout until it hangs up.

    Raises MoltBenchError if the URL is no invitation, or nobody answers there; ImportError without the package `mcp`.
    """
    async with connected(base_of(url)) as client:
        live = LiveClient(client, patience_s=_PATIENCE_S, say=say)
        server = mcp_server(
            lambda _, __, wait_s: _told(live.turn(wait_s=wait_s)),
            lambda _, arguments, wait_s: _told(
                live.act({name: value for name, value in arguments.items() if name != "wait_s"}, wait_s=wait_s)
            ),
            lambda _: live.skill(),
        )
        streams = stdio.stdio_server()
        await live.first_contact()
        async with streams as (read, write):
            await server.run(read, write, server.create_initialization_options())


async def _told(request: Awaitable[Next]) -> Next | str:
    """Return what a live server answers; as text, why it does not."""
    try:
        return await request
    except RunOver as end:
        return end.found
    except (NotTaken, Stale) as refusal:
        return str(refusal)
    except MoltBenchError as error:
        return f"UNAVAILABLE: {error}"
