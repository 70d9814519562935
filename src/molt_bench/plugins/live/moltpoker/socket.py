"""moltpoker's WebSocket: a slot of an invitation is one table, which lasts the whole run."""

import asyncio
import time
from contextlib import suppress
from typing import Any, Final

from starlette.routing import BaseRoute, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from molt_bench.plugins.live.door import give, listening
from molt_bench.plugins.live.guard import Refused, invitation_of
from molt_bench.plugins.live.lobby import Invitation, Lobby
from molt_bench.plugins.live.mailbox import News
from molt_bench.plugins.live.messages import act_of
from molt_bench.plugins.live.moltpoker import sessions
from molt_bench.plugins.live.moltpoker.messages import Words, read
from molt_bench.plugins.live.moltpoker.rest import skill_url, timeout_ms

#: Seconds between two heartbeats, and until an open decision is sent once more to agents that may have lost it.
HEARTBEAT_S: Final = 8.0
AGAIN_S: Final = 30.0
#: Seconds to send one message: a client that does not read is dropped.
SEND_S: Final = 30.0
_NEVER: Final = float("inf")
#: What is raised when a client is gone, or does not read.
_GONE: Final = (WebSocketDisconnect, RuntimeError, TimeoutError)


def routes(lobby: Lobby, tables: sessions.Tables) -> list[BaseRoute]:
    """Return the route of sockets."""

    async def socket(websocket: WebSocket) -> None:
        invitation, query = invitation_of(websocket), websocket.query_params
        await websocket.accept()
        found = sessions.slot_of(invitation, query.get("token", ""))
        slot = found or 0
        words = Words(
            sessions.table_id(invitation, slot),
            sessions.agent_id(invitation, slot),
            invitation.title,
            skill_url(websocket),
            timeout_ms(lobby),
            query.get("format") == "agent",
        )
        # A client that asks its model about every state it gets would answer the next decision with a repeated one.
        table = Table(websocket, invitation, slot, words, repeats=query.get("repeat") != "never")
        if found is None:
            table.end(1008, "Invalid session", "this session is not valid: join the table again")
            await table.say_goodbye()
            return
        older = tables.sockets.get(words.table_id)
        tables.sockets[words.table_id] = end = table.end
        if older is not None:
            older(1008, "Replaced by a newer connection", "a newer connection has taken this seat")
        try:
            await table.run()
        finally:
            if tables.sockets[words.table_id] is end:
                del tables.sockets[words.table_id]
        if table.told and not any(slot.present for slot in invitation.slots):
            invitation.told = True

    return [WebSocketRoute("/v1/ws", socket)]


class Table:
    """An accepted socket of a client, from its opening to its end.

    With `repeats`, a client of the format for agents is sent a decision again that it may have lost.

    Attributes:
        told: Whether the client was told that the run is over.
    """

    def __init__(self, websocket: WebSocket, invitation: Invitation, slot: int, words: Words, *, repeats: bool) -> None:
        self.told = False
        self._websocket = websocket
        self._invitation = invitation
        self._box = invitation.slots[slot]
        self._words = words
        self._repeats = repeats and words.short
        self._ended: asyncio.Future[tuple[int, str, str]] = asyncio.get_running_loop().create_future()
        self._seat: int | None = None
        self._asked = self._heard = 0
        self._token, self._refusal = "", ""
        self._again_at = _NEVER

    async def run(self) -> None:
        """Talk to the client until one side ends it."""
        tasks: list[asyncio.Future[Any]] = [asyncio.ensure_future(work) for work in (self._receive(), self._show())]
        try:
            done, _ = await asyncio.wait([*tasks, self._ended], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(*_GONE):
            for each in done:
                each.result()
        if self._ended.done():
            await self.say_goodbye()

    def end(self, code: int, reason: str, error: str = "") -> None:
        """Have the socket closed, after an error if one is named.

        After 1008 and this error, the platform's clients do not come back.
        """
        if not self._ended.done():
            self._ended.set_result((code, reason, error))

    async def say_goodbye(self) -> None:
        """Close the socket."""
        code, reason, error = self._ended.result()
        with suppress(*_GONE):
            if error:
                await self._send(self._words.error("INVALID_SESSION", error))
            async with asyncio.timeout(SEND_S):
                await self._websocket.close(code, reason)

    async def _send(self, message: str) -> None:
        async with asyncio.timeout(SEND_S):
            await self._websocket.send_text(message)

    async def _show(self) -> None:
        """Tell the client whatever is new, and something now and then if nothing is."""
        news = self._box.news()
        self._heard = max((each.seq for each in news.results), default=0)
        with listening([self._box]) as changed:
            if news.seat is None and news.closed is None:
                await self._send(self._words.status("waiting"))
            while True:
                changed.clear()
                await self._tell(self._box.news())
                try:
                    async with asyncio.timeout(HEARTBEAT_S):
                        await changed.wait()
                except TimeoutError:
                    await self._beat()

    async def _tell(self, news: News) -> None:
        turn = news.turn
        for over in news.results:
            if over.seq > self._heard:
                self._heard = over.seq
                await self._send(self._words.hand_complete(over))
        if news.seat not in (None, self._seat):
            self._seat = news.seat
            await self._send(self._words.welcome(self._seat or 0))
        if turn is not None and turn.asked != self._asked:
            first = turn.token != self._token
            self._asked, self._token = turn.asked, turn.token
            if first or self._needs_again():
                self._again_at = time.monotonic() + AGAIN_S if self._repeats else _NEVER
                await self._send(self._words.state(turn))
            self._refusal = ""
        if news.closed is not None:
            await self._send(self._words.ended(news.closed))
            self.told = True
            self.end(1000, "Table ended")

    def _needs_again(self) -> bool:
        """Return whether a client has to see a decision again that is asked again, after a refusal or a timeout.

        Clients of the envelope format answer an illegal action again by themselves, and agents wait for the state.
        """
        if self._words.short:
            return self._repeats or self._refusal != ""
        return self._refusal != "INVALID_ACTION"

    async def _beat(self) -> None:
        """Wake a client that waits for any message, and send it an open decision once more that it may have lost."""
        await self._send(self._words.status("waiting" if self._seat is None else "running"))
        turn = self._box.turn
        if turn is not None and turn.token == self._token and time.monotonic() > self._again_at:
            self._again_at = _NEVER
            await self._send(self._words.state(turn))

    async def _receive(self) -> None:
        while True:
            received = await self._websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            text = received.get("text")
            said = text.encode("utf-8", "replace") if text is not None else received.get("bytes") or b""
            found = read(said)
            if isinstance(found, str):
                await self._send(self._words.error("VALIDATION_ERROR", found))
            elif "timestamp" in found:
                await self._send(self._words.pong(found["timestamp"]))
            else:
                await self._act(found)

    async def _act(self, action: dict[str, Any]) -> None:
        """Give the game an action, and tell the client what came of it."""
        token, turn = action["turn_token"], self._box.turn
        try:
            await give(self._invitation, act_of(action))
        except Refused as refusal:
            code = "STALE_SEQ" if refusal.code == "STALE_TURN" else refusal.code
            self._refusal = code if token == self._token else self._refusal
            await self._send(self._words.error(code, str(refusal)))
        else:
            self._again_at = _NEVER
            await self._send(self._words.ack(token, 0 if turn is None else turn.seq))
