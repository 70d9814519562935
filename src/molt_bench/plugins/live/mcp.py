"""MCP over streamable HTTP: the two calls of the door as tools, whose descriptions have the rules.

Needs the package `mcp`, which is imported when a client comes.
"""

import logging
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import msgspec
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from molt_bench import AgentFailed, __version__
from molt_bench.plugins.live.door import give, next_turn, seconds_to_wait, unless_gone
from molt_bench.plugins.live.guard import Refused, invitation_of, json_error
from molt_bench.plugins.live.lobby import Lobby
from molt_bench.plugins.live.messages import DEFAULT_WAIT_S, LONGEST_WAIT_S, Act, Next, act_of
from molt_bench.plugins.live.pages import rules_of
from molt_bench.poker.messages import struct_schemas

_INSTRUCTIONS: Final = (
    "You play heads-up no-limit hold'em against one opponent. Call next_turn until it returns a turn, decide, call act "
    "with its turn_token; act returns your next turn. Without a turn in an answer, call next_turn again. Go on until "
    "an answer has `over`, without asking. The description of next_turn has the rules."
)
_WAIT: Final = {
    "type": "number",
    "minimum": 0,
    "maximum": LONGEST_WAIT_S,
    "default": DEFAULT_WAIT_S,
    "description": "Seconds to wait until there is something to decide.",
}


def _act_schema() -> dict[str, Any]:
    """Return what `act` takes, in one piece. Every field has a type, and none can be null: it is there, or left out."""
    _, named = struct_schemas(Act)
    for each in named.values():
        fields = each["properties"]
        fields["amount"] = {"type": "integer", "description": fields["amount"]["description"]}
        fields["kind"]["type"] = "string"
    act = named["Act"]
    act["properties"]["mix"]["items"] = named["MixEntry"]
    return {**act, "properties": {**act["properties"], "wait_s": _WAIT}}


_TOOLS: Final[Mapping[str, Mapping[str, Any]]] = {
    "next_turn": {
        "title": "Next turn",
        "description": "Wait for your next decision. An empty answer means that there is none yet: call it again. "
        "You play heads-up no-limit hold'em. Rules:\n",
        "input_schema": {"type": "object", "properties": {"wait_s": _WAIT}},
    },
    "act": {
        "title": "Act",
        "description": "Answer a decision; returns the next one. The same answer again counts once.",
        "input_schema": _act_schema(),
    },
}


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
            manager = import_module("mcp.server.streamable_http_manager").StreamableHTTPSessionManager
            self._server = self._server or self._made()
        except ImportError:
            why = "this server has no MCP, since the package mcp is not installed: pip install 'molt-bench[mcp]'"
            await json_error(501, "NOT_INSTALLED", why)(scope, receive, send)
            return
        served = manager(self._server, json_response=True, stateless=True)
        async with served.run():
            await served.handle_request(scope, receive, send)

    def _made(self) -> Any:
        """Return the server of the package `mcp`."""
        types = import_module("mcp_types")
        # It logs what guests do wrong, with tracebacks: a guest could fill the operator's terminal.
        logging.getLogger("mcp.server").setLevel(logging.CRITICAL)

        async def list_tools(context: Any, _params: Any) -> Any:
            own = {"destructive_hint": False, "idempotent_hint": True, "open_world_hint": False}
            tools = []
            for name, about in _TOOLS.items():
                hints = types.ToolAnnotations(read_only_hint=name == "next_turn", **own)
                tools.append(types.Tool(name=name, annotations=hints, **about))
            tools[0].description += "\n".join(rules_of(self._lobby, invitation_of(context.request)))
            return types.ListToolsResult(tools=tools)

        async def call_tool(context: Any, params: Any) -> Any:
            try:
                found = await self._called(context.request, params.name, params.arguments or {})
            except (Refused, AgentFailed) as refusal:
                code = refusal.code if isinstance(refusal, Refused) else "VALIDATION_ERROR"
                content = types.TextContent(type="text", text=f"{code}: {refusal}")
                return types.CallToolResult(content=[content], is_error=True)
            said = msgspec.json.encode(found)
            content = types.TextContent(type="text", text=said.decode())
            return types.CallToolResult(content=[content], structured_content=msgspec.json.decode(said))

        return import_module("mcp.server.lowlevel").Server(
            "molt-bench",
            version=__version__,
            instructions=_INSTRUCTIONS,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )

    async def _called(self, request: Any, tool: str, arguments: Mapping[str, Any]) -> Next:
        """Do what a tool does for the sender of a request."""
        if tool not in _TOOLS:
            raise AgentFailed("unparsable", "there is no such tool: expected next_turn or act")
        wait_s = seconds_to_wait(arguments.get("wait_s"))
        invitation = invitation_of(request)
        verdict = await give(invitation, act_of(arguments)) if tool == "act" else None
        try:
            found = await unless_gone(request, next_turn(invitation, wait_s=wait_s))
        except ClientDisconnect:
            return Next()  # it has no reader
        return msgspec.structs.replace(found, verdict=verdict)
