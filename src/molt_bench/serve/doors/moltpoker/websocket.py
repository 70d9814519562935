"""moltpoker's WebSocket: a slot of an invitation is one table, which lasts the whole run."""

import time

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from molt_bench.poker.hand import HandRules
from molt_bench.serve.doors.moltpoker import sessions
from molt_bench.serve.doors.moltpoker.dialogue import MoltpokerDialogue
from molt_bench.serve.doors.moltpoker.formats import Format, encoded
from molt_bench.serve.doors.moltpoker.rest import skill_url, timeout_ms
from molt_bench.serve.doors.moltpoker.server_messages import Client, error
from molt_bench.serve.guard import invitation_of
from molt_bench.serve.lobby import Lobby


def routes(lobby: Lobby, known: sessions.Sessions) -> list[BaseRoute]:
    """Return the route of sockets."""
    game = lobby.game
    rules = HandRules(game.small_blind, game.big_blind, game.ante)

    async def socket(websocket: WebSocket) -> None:
        invitation = invitation_of(websocket)
        query = websocket.query_params
        form: Format = "agent" if query.get("format") == "agent" else "envelope"
        await websocket.accept()
        session = known.resume(invitation, query.get("token", ""))
        if session is None:
            await _turn_away(websocket, form)
            return
        at, agent = session
        mailbox, hold = invitation.slots[at], known.holds(invitation)[at]
        client = Client(
            sessions.table_id(invitation, at),
            sessions.agent_id(invitation, agent),
            invitation.title,
            sessions.opponent_id(invitation),
            skill_url(websocket),
            timeout_ms(lobby),
        )
        # A client that asks its model about every state it gets would answer the next decision with a repeated one.
        repeats = query.get("repeat") != "never"
        connection = MoltpokerDialogue(websocket, mailbox, client, form=form, repeats=repeats, rules=rules)
        older, hold.socket = hold.socket, connection
        if older is not None:
            older.replace()
        lobby.arrived(invitation)
        try:
            await connection.run()
        finally:
            if hold.socket is connection:
                hold.socket, hold.since = None, time.monotonic()
            if connection.told and lobby.closed is not None and not invitation.present:
                invitation.told = True

    return [WebSocketRoute("/v1/ws", socket)]


async def _turn_away(websocket: WebSocket, form: Format) -> None:
    """Refuse a socket without a valid session, in a way that the platform's clients take as final."""
    refusal = error("INVALID_SESSION", "this session is not valid: join the table again")
    try:
        await websocket.send_text(encoded(refusal, form, table_id="", now_ms=time.time_ns() // 1_000_000))
        await websocket.close(1008, "Invalid session")
    except (WebSocketDisconnect, RuntimeError):
        pass  # it is gone already
