"""MCP over streamable HTTP: two tools. Needs the package `mcp`, which is imported when somebody comes."""

from typing import TYPE_CHECKING, Any, Final

import msgspec
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from molt_bench._version import __version__
from molt_bench.agents.live.turn_messages import ACT_SCHEMA, Next, act_of
from molt_bench.errors import AgentFailed, how_to_install
from molt_bench.lazy_import import lazy_import
from molt_bench.serve.doors.turns import (
    DEFAULT_WAIT_S,
    LONGEST_WAIT_S,
    ClientGone,
    give,
    next_turn,
    unless_gone,
)
from molt_bench.serve.guard import LONGEST_MESSAGE, Receive, Refused, Scope, Send, answered, invitation_of, json_error
from molt_bench.serve.lobby import Lobby

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server import lowlevel, streamable_http_manager
else:
    types, lowlevel = lazy_import("mcp_types"), lazy_import("mcp.server.lowlevel")
    streamable_http_manager = lazy_import("mcp.server.streamable_http_manager")

_INSTRUCTIONS: Final = (
    "You play heads-up no-limit hold'em against one opponent. Call next_turn until it returns a turn, decide, call act "
    "with its turn_token; act returns your next turn. Without a turn in an answer, call next_turn again. Go on until "
    "an answer has `over`, without asking anybody. The rules are in skill.md beside this address."
)
_WAIT: Final = {
    "type": "number",
    "minimum": 0,
    "maximum": LONGEST_WAIT_S,
    "default": DEFAULT_WAIT_S,
    "description": "Seconds to wait until there is something to decide.",
}
_NEXT_TURN: Final = {"type": "object", "properties": {"wait_s": _WAIT}}
_ACT: Final = {**ACT_SCHEMA, "properties": {**ACT_SCHEMA["properties"], "wait_s": _WAIT}}


def routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the route of this door. There are no streams that the server begins, so POST is all it takes."""
    return [Route("/mcp", _Door(lobby), methods=["POST"])]


class _Door:
    """An application that has no sessions: each request stands for itself, so a restart loses nothing."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._server: Any = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            new_manager = streamable_http_manager.StreamableHTTPSessionManager
            self._server = self._server or _server(self._lobby)
        except ImportError:
            why = f"this server has no MCP, since the package mcp is not installed: {how_to_install('mcp')}"
            await json_error(501, "NOT_INSTALLED", why)(scope, receive, send)
            return
        manager = new_manager(self._server, json_response=True, stateless=True, max_request_body_size=LONGEST_MESSAGE)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def _server(lobby: Lobby) -> Any:
    """Return the server of the two tools; which agent calls is told by the request."""

    async def list_tools(_context: Any, _params: Any) -> Any:
        return types.ListToolsResult(
            tools=[
                types.Tool(name="next_turn", description="Wait for your next decision.", input_schema=_NEXT_TURN),
                types.Tool(name="act", description="Answer a decision; returns the next one.", input_schema=_ACT),
            ]
        )

    async def call_tool(context: Any, params: Any) -> Any:
        try:
            found = await _called(lobby, context.request, params.name, params.arguments or {})
        except Refused as refusal:
            return _tool_error(f"{refusal.error['code']}: {refusal}")
        except AgentFailed as failure:
            return _tool_error(f"VALIDATION_ERROR: {failure}")
        except ClientGone:
            return _tool_error("nobody is there")
        said = msgspec.json.encode(found)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=said.decode())], structured_content=msgspec.json.decode(said)
        )

    def _tool_error(said: str) -> Any:
        return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)

    return lowlevel.Server(
        "molt-bench",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _called(lobby: Lobby, request: Request, tool: str, arguments: dict[str, Any]) -> Next:
    """Do what a tool does."""
    if tool not in ("next_turn", "act"):
        raise Refused(404, "VALIDATION_ERROR", "there is no such tool: expected next_turn or act")
    invitation = invitation_of(request)
    lobby.arrived(invitation)
    wait_s = arguments.get("wait_s", DEFAULT_WAIT_S)
    if isinstance(wait_s, bool) or not isinstance(wait_s, int | float) or not wait_s >= 0:
        raise Refused(400, "VALIDATION_ERROR", f"wait_s is not a number of seconds, such as {DEFAULT_WAIT_S:g}")
    verdict = await give(invitation, act_of(arguments)) if tool == "act" else None
    if verdict == "taken":
        answered(request)
    waiting = next_turn(invitation, wait_s=min(wait_s, LONGEST_WAIT_S))
    found = await unless_gone(request, waiting)
    return found if verdict is None else msgspec.structs.replace(found, verdict=verdict)
