"""One socket of a moltpoker client: what it is told, and what comes of what it says.

A client that does not read must not hold up anybody: messages wait in a queue of its own, and if that is full, or one
message cannot be sent for long, the connection is dropped.
"""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, Literal

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from molt_bench.agents.external.mail import Asked, Closed, HandOver, MailEvent, Sat, Turn
from molt_bench.agents.external.mailbox import Mailbox
from molt_bench.errors import AgentFailed
from molt_bench.poker.hand import HandRules
from molt_bench.serve.doors.moltpoker import messages as messages
from molt_bench.serve.doors.moltpoker.input import Act, Ping, read
from molt_bench.serve.doors.moltpoker.messages import Format, Message, Place
from molt_bench.serve.guard import LONGEST_MESSAGE, Allowance

#: Seconds between two heartbeats, and until an open decision is sent once more to agents that may have lost it.
HEARTBEAT_S: Final = 8.0
AGAIN_S: Final = 30.0
#: Messages that wait for a client to read them, at most.
_UNREAD: Final = 256
#: Actions of a client that wait for the game, at most.
_ACTIONS: Final = 16
#: Seconds to send one message, to close a connection, and to wait for the game to look at an answer.
_SEND_S: Final = 30.0
_CLOSE_S: Final = 5.0
_BUSY_S: Final = 5.0
_LOOK_S: Final = 0.01
#: Seconds in which nothing is read from a client that says too much.
_PAUSE_S: Final = 0.1


class _Goodbye(msgspec.Struct, frozen=True):
    code: int
    reason: str


class MoltpokerConnection:
    """A socket, from its opening to its end.

    Attributes:
        told: Whether the client was told that the run is over.

    Args:
        websocket: The socket, accepted.
        mailbox: The place.
        place: Who the client is.
        form: The format that it reads.
        rules: Blinds and antes of the game.
        repeats: Whether an agent is sent a decision again that it may have lost.
    """

    def __init__(
        self,
        websocket: WebSocket,
        mailbox: Mailbox,
        place: Place,
        *,
        form: Format,
        rules: HandRules,
        repeats: bool = True,
    ) -> None:
        self.told = False
        self._websocket = websocket
        self._mailbox = mailbox
        self._place = place
        self._form: Format = form
        self._repeats = repeats
        self._rules = rules
        self._loop = asyncio.get_running_loop()
        self._unread: asyncio.Queue[str | _Goodbye] = asyncio.Queue(_UNREAD)
        self._actions: asyncio.Queue[Act] = asyncio.Queue(_ACTIONS)
        self._allowance = Allowance()
        self._over = asyncio.Event()
        self._ending = False
        self._timers: list[asyncio.TimerHandle] = []
        self._status: Literal["waiting", "running"] = "waiting"
        self._seat: int | None = None
        self._seq = 0
        self._hand, self._dealt = 0, 0
        self._refused: tuple[str, str] | None = None

    async def run(self) -> None:
        """Talk to the client until one side ends it."""
        self._mailbox.arrive()
        snapshot = self._mailbox.listen(self._hear)
        works: list[Coroutine[Any, Any, object]] = [
            self._over.wait(),
            self._receive(),
            self._send(),
            self._play(),
            self._beat(),
        ]
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            if snapshot.closed is not None:
                self._close(snapshot.closed)
            elif snapshot.sat is None:
                self._post(messages.table_status(self._place, "waiting", 0))
            else:
                self._sit(snapshot.sat.seat)
                if snapshot.turn is not None:
                    self._hand, self._dealt = snapshot.turn.hand, len(snapshot.turn.observation.board)
                    self._ask(snapshot.turn)
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self._mailbox.ignore(self._hear)
            self._mailbox.depart()
            self._ending = True
            for timer in self._timers:
                timer.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def end(self, code: int, reason: str) -> None:
        """Say goodbye and close, soon even if the client does not read."""
        if not self._ending:
            self._put(_Goodbye(code, reason))
            self._ending = True
            self._timers.append(self._loop.call_later(_CLOSE_S, self._over.set))

    def replace(self) -> None:
        """End in favour of a newer socket. The code is one after which the platform's clients do not come back."""
        self._post(messages.error("INVALID_SESSION", "a newer connection has taken this seat"))
        self.end(1008, "Replaced by a newer connection")

    # What happens at the table.

    def _hear(self, event: MailEvent) -> None:
        """Pass on what happens, from the thread of a game to the event loop of the server."""
        with suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._tell, event)

    def _tell(self, event: MailEvent) -> None:
        if self._ending:
            return
        match event:
            case Sat(seat=seat):
                self._sit(seat)
            case Asked(turn=turn, again=again):
                if not again or self._needs_again(turn.token):
                    self._deal(turn.hand, turn.observation.board)
                    self._ask(turn)
                self._refused = None
            case HandOver(seq=seq, hand=hand, result=result):
                self._seq = seq
                self._forget_timers()
                self._deal(hand, result.board)
                self._post(messages.hand_complete(self._place, event, self._rules))
            case Closed(reason=reason):
                self._close(reason)

    def _needs_again(self, token: str) -> bool:
        """Return whether a client has to see a decision again that is asked again, after a refusal or a timeout.

        Clients of the envelope format answer an illegal action again by themselves, and agents wait for the state.
        """
        code = self._refused[1] if self._refused is not None and self._refused[0] == token else None
        return code != "INVALID_ACTION" if self._form == "envelope" else self._repeats or code is not None

    def _sit(self, seat: int) -> None:
        self._status = "running"
        if seat != self._seat:
            self._seat = seat
            self._post(messages.welcome(self._place, seat))

    def _deal(self, hand: int, board: tuple[int, ...]) -> None:
        """Tell which streets were dealt since the last message."""
        known = self._dealt if hand == self._hand else 0
        self._hand, self._dealt = hand, len(board)
        for message in messages.streets_dealt(hand, board, known):
            self._post(message)

    def _ask(self, turn: Turn) -> None:
        self._seq = turn.seq
        self._allowance.refund()  # the answer to a decision costs nothing, however fast they come
        self._post(messages.game_state(self._place, turn))
        self._forget_timers()
        if self._form == "agent" and self._repeats:
            self._timers.append(self._loop.call_later(AGAIN_S, self._remind, turn))

    def _remind(self, turn: Turn) -> None:
        """Send an open decision once more, to agents whose tools may have lost it."""
        now_open = self._mailbox.snapshot().turn
        if now_open is not None and now_open.token == turn.token:
            self._post(messages.game_state(self._place, turn))

    def _forget_timers(self) -> None:
        if not self._ending:
            for timer in self._timers:
                timer.cancel()
            self._timers.clear()

    def _close(self, reason: str) -> None:
        self._forget_timers()
        self._post(messages.table_ended(reason))
        self.end(1000, "Table ended")

    # What the client gets.

    def _post(self, message: Message) -> None:
        now_ms = time.time_ns() // 1_000_000
        self._put(messages.encoded(message, self._form, table_id=self._place.table_id, now_ms=now_ms))

    def _put(self, item: str | _Goodbye) -> None:
        if self._ending:
            return
        try:
            self._unread.put_nowait(item)
        except asyncio.QueueFull:
            self._ending = True
            self._over.set()

    async def _send(self) -> None:
        while True:
            item = await self._unread.get()
            try:
                async with asyncio.timeout(_SEND_S):
                    if isinstance(item, str):
                        await self._websocket.send_text(item)
                        continue
                    await self._websocket.close(item.code, item.reason)
                    self.told = item.code == 1000
            except (TimeoutError, WebSocketDisconnect, RuntimeError):
                pass  # it reads no more, or is gone
            return

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            self._post(messages.table_status(self._place, self._status, self._seat or 0))

    # What the client says.

    async def _receive(self) -> None:
        while True:
            received = await self._websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            while not self._allowance.spend():
                await asyncio.sleep(_PAUSE_S)  # nothing more is read meanwhile, and nothing is lost
            said = received.get("text")
            self._read(said.encode("utf-8", "replace") if said is not None else received.get("bytes") or b"")

    def _read(self, said: bytes) -> None:
        if len(said) > LONGEST_MESSAGE:
            self.end(1009, "Message too big")
            return
        match read(said):
            case Ping(timestamp=timestamp):
                self._post(messages.pong(timestamp))
            case Act() as act:
                try:
                    self._actions.put_nowait(act)
                except asyncio.QueueFull:
                    self._post(messages.error("RATE_LIMIT_EXCEEDED", "too many actions: wait for the answers"))
            case unreadable:
                self._post(messages.error("VALIDATION_ERROR", unreadable.why))

    async def _play(self) -> None:
        while True:
            await self._act(await self._actions.get())

    async def _act(self, act: Act) -> None:
        until = time.monotonic() + _BUSY_S
        while True:
            turn = self._mailbox.snapshot().turn
            if turn is not None and turn.token == act.token and act.expected_seq not in (None, turn.seq):
                self._post(messages.error("STALE_SEQ", "expected_seq is not the seq of this decision"))
                if self._form == "agent":
                    self._post(messages.game_state(self._place, turn))
                return
            verdict = self._mailbox.answer(act.token, act.action)
            if verdict != "busy":
                break
            if time.monotonic() > until:
                self._post(messages.error("INTERNAL_ERROR", "the game does not look at answers now: send it again"))
                return
            await asyncio.sleep(_LOOK_S)
        match verdict:
            case "taken":
                self._forget_timers()
                self._post(messages.ack(act.token, self._seq))
            case "repeated":
                self._post(messages.ack(act.token, self._seq))
            case "illegal":
                self._refuse(act, turn)
            case "stale" if turn is None:
                self._post(messages.error("NOT_YOUR_TURN", "there is nothing to decide now, or it is decided already"))
            case "stale":
                self._post(messages.error("STALE_SEQ", "turn_token is not that of the open decision"))

    def _refuse(self, act: Act, turn: Turn | None) -> None:
        """Say why an action was not taken. The game asks again, and that brings the state to those who need it."""
        if isinstance(act.action, AgentFailed):
            code, why = "VALIDATION_ERROR", f"Invalid message format: {act.action}"
        else:
            amount = f" {act.action.amount}" if act.action.kind == "raiseTo" else ""
            legal = "" if turn is None else f": legal is {turn.observation.legal}"
            code, why = "INVALID_ACTION", f"{act.action.kind}{amount} is not legal{legal}"
        self._refused = act.token, code
        self._post(messages.error(code, why))
