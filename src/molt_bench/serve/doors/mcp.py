"""MCP over streamable HTTP. Needs the package `mcp`, which is imported when somebody comes."""

import logging
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from molt_bench.agents.live.turn_messages import Next, act_of
from molt_bench.errors import AgentFailed
from molt_bench.extras import how_to_install
from molt_bench.serve.doors.long_poll import ClientGone, give, next_turn, unless_gone
from molt_bench.serve.doors.skill import skill_of
from molt_bench.serve.guard import LONGEST_MESSAGE, Refused, invitation_of, json_error
from molt_bench.serve.lobby import Lobby


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
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415 - an extra

            from molt_bench.serve.mcp_server import mcp_server  # noqa: PLC0415 - needs the same

            # It logs what guests do wrong, with tracebacks: a guest could fill the operator's terminal.
            logging.getLogger("mcp.server").setLevel(logging.CRITICAL)
            self._server = self._server or mcp_server(self._next_turn, self._act, self._skill)
        except ImportError:
            why = f"this server has no MCP, since the package mcp is not installed: {how_to_install('mcp')}"
            await json_error(501, "NOT_INSTALLED", why)(scope, receive, send)
            return
        manager = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=LONGEST_MESSAGE
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)

    async def _next_turn(self, context: Any, _: Mapping[str, Any], wait_s: float) -> Next | str:
        """Wait for a decision; which agent calls is told by the request."""
        request: Request = context.request
        invitation = invitation_of(request)
        self._lobby.arrived(invitation)
        try:
            return await unless_gone(request, next_turn(invitation, wait_s=wait_s))
        except Refused as refusal:
            return f"{refusal.error['code']}: {refusal}"
        except ClientGone:
            return "nobody is there"

    async def _act(self, context: Any, arguments: Mapping[str, Any], wait_s: float) -> Next | str:
        try:
            verdict = await give(invitation_of(context.request), act_of({**arguments}))
        except Refused as refusal:
            return f"{refusal.error['code']}: {refusal}"
        except AgentFailed as failure:
            return f"VALIDATION_ERROR: {failure}"
        found = await self._next_turn(context, arguments, wait_s)
        return found if isinstance(found, str) else msgspec.structs.replace(found, verdict=verdict)

    async def _skill(self, context: Any) -> str:
        return skill_of(self._lobby, context.request)
