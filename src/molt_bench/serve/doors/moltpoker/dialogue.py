"""The dialogue with one moltpoker client: what it is told and asked, once more if need be, and what it answers."""

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Final, Literal

from starlette.websockets import WebSocket

from molt_bench.agents.live.mailbox import Mailbox
from molt_bench.agents.live.mailbox_events import Asked, Closed, GameOver, HandOver, MailEvent, PendingDecision, Sat
from molt_bench.errors import AgentFailed
from molt_bench.poker.hand import HandRules
from molt_bench.serve.doors.moltpoker import server_messages as messages
from molt_bench.serve.doors.moltpoker.client_messages import Act, Ping, read
from molt_bench.serve.doors.moltpoker.formats import Format
from molt_bench.serve.doors.moltpoker.send_queue import SendQueue
from molt_bench.serve.doors.moltpoker.server_messages import Client, states_before
from molt_bench.serve.guard import LONGEST_MESSAGE

#: Seconds between two heartbeats, and until an open decision is sent once more to agents that may have lost it.
HEARTBEAT_S: Final = 8.0
AGAIN_S: Final = 30.0
#: Actions of a client that wait for the game, at most.
_ACTIONS: Final = 16
#: Seconds to wait for the game to look at an answer, and between two looks.
_BUSY_S: Final = 5.0
_LOOK_S: Final = 0.01


class MoltpokerDialogue:
    """An accepted socket of a client, from its opening to its end; the mailbox is the slot that the client plays in.

    With `repeats`, an agent is sent a decision again that it may have lost.
    """

    def __init__(
        self,
        websocket: WebSocket,
        mailbox: Mailbox,
        client: Client,
        *,
        form: Format,
        rules: HandRules,
        repeats: bool = True,
    ) -> None:
        self._websocket = websocket
        self._mailbox = mailbox
        self._client = client
        self._form: Format = form
        self._repeats = repeats
        self._rules = rules
        self._loop = asyncio.get_running_loop()
        self._queue = SendQueue(websocket, form=form, table_id=client.table_id)
        self._actions: asyncio.Queue[Act] = asyncio.Queue(_ACTIONS)
        self._busy = False
        self._reminder: asyncio.TimerHandle | None = None
        self._status: Literal["waiting", "running"] = "waiting"
        self._seat: int | None = None
        self._seq = 0
        self._hand, self._dealt = 0, 0
        self._open: PendingDecision | None = None
        self._refused: tuple[str, str] | None = None

    @property
    def told(self) -> bool:
        """Whether the client was told that the run is over."""
        return self._queue.told

    async def run(self) -> None:
        """Talk to the client until one side ends it."""
        self._mailbox.arrive()
        snapshot = self._mailbox.listen(self._hear)
        works: list[Coroutine[Any, Any, object]] = [
            self._queue.dropped.wait(),
            self._receive(),
            self._queue.send(),
            self._play(),
            self._beat(),
        ]
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            if snapshot.closed is not None:
                self._close(snapshot.closed)
            elif snapshot.sat is None:
                self._queue.post(messages.table_status(self._client, "waiting", 0))
            else:
                self._sit(snapshot.sat.seat)
                if snapshot.turn is not None:
                    self._tell_so_far(snapshot.turn)
                    self._hand, self._dealt = snapshot.turn.hand, len(snapshot.turn.observation.board)
                    self._ask(snapshot.turn)
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            self._mailbox.ignore(self._hear)
            self._mailbox.depart()
            self._queue.ending = True
            self._forget_reminder()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def end(self, code: int, reason: str) -> None:
        """Say goodbye and close, soon even if the client does not read."""
        self._queue.end(code, reason)

    def replace(self) -> None:
        """End in favour of a newer socket. The code is one after which the platform's clients do not come back."""
        self._error("INVALID_SESSION", "a newer connection has taken this seat")
        self.end(1008, "Replaced by a newer connection")

    # What happens at the table.

    def _hear(self, event: MailEvent) -> None:
        """Pass on what happens, from the thread of a game to the event loop of the server."""
        with suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._tell, event)

    def _tell(self, event: MailEvent) -> None:
        if self._queue.ending:
            return
        match event:
            case Sat(seat=seat):
                self._sit(seat)
            case Asked(turn=turn, again=again):
                if not again or self._needs_again(turn.token):
                    self._tell_so_far(turn)
                    self._deal(turn.hand, turn.observation.board)
                    self._ask(turn)
                self._refused = None
            case HandOver(seq=seq, hand=hand, result=result):
                self._seq = seq
                self._open = None
                self._forget_reminder()
                self._deal(hand, result.board)
                self._queue.post(messages.hand_complete(self._client, event, self._rules))
            case GameOver() if self._open is not None:
                self._queue.post(messages.hand_broken_off(self._client, self._open, self._seq))
                self._open = None
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
            self._queue.post(messages.welcome(self._client, seat))

    def _deal(self, hand: int, board: tuple[int, ...]) -> None:
        """Tell which streets were dealt since the last message."""
        known = self._dealt if hand == self._hand else 0
        self._hand, self._dealt = hand, len(board)
        for message in messages.streets_dealt(hand, board, known):
            self._queue.post(message)

    def _tell_so_far(self, turn: PendingDecision) -> None:
        """Tell what was done before in a hand of which the client knows nothing."""
        if turn.hand != self._hand:
            for board, state in states_before(self._client, turn):
                self._deal(turn.hand, board)
                self._queue.post(state)

    def _ask(self, turn: PendingDecision) -> None:
        self._seq, self._open = turn.seq, turn
        self._queue.post(messages.game_state(self._client, turn))
        self._forget_reminder()
        if self._form == "agent" and self._repeats:
            self._reminder = self._loop.call_later(AGAIN_S, self._remind, turn)

    def _remind(self, turn: PendingDecision) -> None:
        """Send an open decision once more, to agents whose tools may have lost it."""
        now_open = self._mailbox.snapshot().turn
        if now_open is not None and now_open.token == turn.token:
            self._queue.post(messages.game_state(self._client, turn))

    def _forget_reminder(self) -> None:
        if self._reminder is not None:
            self._reminder.cancel()

    def _close(self, reason: str) -> None:
        self._forget_reminder()
        self._queue.post(messages.table_ended(reason))
        self.end(1000, "Table ended")

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            self._queue.drop_if_stuck()
            self._queue.post(messages.table_status(self._client, self._status, self._seat or 0))

    # What the client says.

    async def _receive(self) -> None:
        while True:
            received = await self._websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            said = received.get("text")
            self._read(said.encode("utf-8", "replace") if said is not None else received.get("bytes") or b"")

    def _read(self, said: bytes) -> None:
        if len(said) > LONGEST_MESSAGE:
            self.end(1009, "Message too big")
            return
        match read(said):
            case Ping(timestamp=timestamp):
                self._queue.post(messages.pong(timestamp))
            case Act() as act:
                if self._actions.empty() and not self._busy and self._give(act):
                    return
                try:
                    self._actions.put_nowait(act)
                except asyncio.QueueFull:
                    self._error("RATE_LIMIT_EXCEEDED", "too many actions: wait for the answers")
            case unreadable:
                self._error("VALIDATION_ERROR", unreadable.why)

    async def _play(self) -> None:
        """Give the game the actions that it had no time for when they came, in their order."""
        while True:
            act = await self._actions.get()
            self._busy = True
            until = time.monotonic() + _BUSY_S
            while not self._give(act):
                if time.monotonic() > until:
                    self._error("INTERNAL_ERROR", "the game does not look at answers now: send it again")
                    break
                await asyncio.sleep(_LOOK_S)
            self._busy = False

    def _give(self, act: Act) -> bool:
        """Give the game an action and tell the client what came of it; return False if the game is busy."""
        turn = self._mailbox.snapshot().turn
        if turn is not None and turn.token == act.token and act.expected_seq not in (None, turn.seq):
            self._error("STALE_SEQ", "expected_seq is not the seq of this decision")
            if self._form == "agent":
                self._queue.post(messages.game_state(self._client, turn))
            return True
        match self._mailbox.answer(act.token, act.action):
            case "busy":
                return False
            case "taken":
                self._forget_reminder()
                self._queue.post(messages.ack(act.token, self._seq))
            case "repeated":
                self._queue.post(messages.ack(act.token, self._seq))
            case "illegal":
                self._refuse(act, turn)
            case "stale" if turn is None:
                self._error("NOT_YOUR_TURN", "there is nothing to decide now, or it is decided already")
            case "stale":
                self._error("STALE_SEQ", "turn_token is not that of the open decision")
        return True

    def _error(self, code: str, why: str) -> None:
        self._queue.post(messages.error(code, why))

    def _refuse(self, act: Act, turn: PendingDecision | None) -> None:
        """Say why an action was not taken. The game asks again, and that brings the state to those who need it."""
        if isinstance(act.action, AgentFailed):
            code, why = "VALIDATION_ERROR", f"Invalid message format: {act.action}"
        else:
            amount = f" {act.action.amount}" if act.action.kind == "raiseTo" else ""
            legal = "" if turn is None else f": legal is {turn.observation.legal}"
            code, why = "INVALID_ACTION", f"{act.action.kind}{amount} is not legal{legal}"
        self._refused = act.token, code
        self._error(code, why)
