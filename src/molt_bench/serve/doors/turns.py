"""Fetching decisions and answering them: what the long poll and MCP share. All state is in the mailboxes."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final, TypeVar

from starlette.requests import Request

from molt_bench.agents.live.mailbox import Mailbox
from molt_bench.agents.live.mailbox_events import MailEvent, PendingDecision, Verdict
from molt_bench.agents.live.turn_messages import ActRequest, Next, Over, result_messages, turn_message
from molt_bench.errors import AgentFailed
from molt_bench.serve.guard import Refused
from molt_bench.serve.lobby import Invitation

#: Seconds for which an answer is tried again while the game looks at another, and the pause between.
_BUSY_S: Final = 5.0
_PAUSE_S: Final = 0.02
#: Most connections of a slot while a request waits; a client needs one.
_MOST_WAITING: Final = 32

_Found = TypeVar("_Found")


class ClientGone(Exception):  # noqa: N818 - nobody's mistake
    """The client went away while it waited."""


async def next_turn(invitation: Invitation, *, wait_s: float, slot: int | None = None) -> Next:
    """Wait until there is something to decide, or the run is over, and return it; an empty answer if there is nothing.

    One slot is looked at, by its number from 1, or all of them. Raises Refused if too many requests wait already.
    """
    numbered = [*enumerate(invitation.slots, 1)]
    chosen = numbered if slot is None else [numbered[slot - 1]]
    if any(box.connections >= _MOST_WAITING for _, box in chosen):
        raise Refused(429, "RATE_LIMIT_EXCEEDED", "too many requests wait at once: one is enough")
    until = asyncio.get_running_loop().time() + wait_s
    with _listening([box for _, box in chosen]) as changed:
        while True:
            changed.clear()
            found = _open_decision(chosen)
            if found is not None:
                return found
            if invitation.slots[0].snapshot().closed is not None:
                return Next(over=_over(invitation, [box for _, box in chosen]))
            left_s = until - asyncio.get_running_loop().time()
            if left_s <= 0:
                return Next()
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), left_s)


@contextmanager
def _listening(boxes: Sequence[Mailbox]) -> Iterator[asyncio.Event]:
    """Yield an event that is set when something happens in one of the mailboxes; the agent is there meanwhile."""
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()

    def wake(_: MailEvent) -> None:
        with suppress(RuntimeError):  # the loop ended at this very moment
            loop.call_soon_threadsafe(changed.set)

    with ExitStack() as leaving:
        for box in boxes:
            box.listen(wake)
            leaving.callback(box.ignore, wake)
            box.arrive()
            leaving.callback(box.depart)
        yield changed


def _open_decision(slots: Sequence[tuple[int, Mailbox]]) -> Next | None:
    """Return the oldest decision that was not handed out yet, else the oldest that was; None if none is open."""
    found: list[tuple[bool, float, int, Mailbox, PendingDecision]] = []
    for number, box in slots:
        turn = box.snapshot().turn
        if turn is not None and box.waits:
            found.append((box.has_picked_up(turn), turn.deadline - turn.limit_s, number, box, turn))
    if not found:
        return None
    _, _, number, box, turn = min(found, key=lambda each: each[:3])
    box.pick_up(turn)
    return Next(turn=turn_message(turn, box.results(), slot=number))


def _over(invitation: Invitation, boxes: Sequence[Mailbox]) -> Over:
    """Return the message that the run is over; the agent has learnt it then."""
    invitation.told = True
    results = [each for box in boxes for each in box.results()]
    return Over(reason=boxes[0].snapshot().closed or "", results=result_messages(results))


async def give(invitation: Invitation, act: ActRequest) -> Verdict:
    """Give an action to the slot it is for; return whether it was taken or repeated, or raise Refused."""
    deadline = asyncio.get_running_loop().time() + _BUSY_S
    turns = [box.snapshot().turn for box in invitation.slots]  # asked before the answer, which may end it
    legal = next((str(turn.observation.legal) for turn in turns if turn is not None and turn.token == act.token), "")
    while True:
        verdict = _given(invitation, act)
        if verdict != "busy" or asyncio.get_running_loop().time() > deadline:
            break
        await asyncio.sleep(_PAUSE_S)
    failure = act.action if isinstance(act.action, AgentFailed) else None
    match verdict:
        case "taken" | "repeated":
            return verdict
        case "illegal" if failure is not None:
            raise Refused(400, "VALIDATION_ERROR", f"{failure}. This counts as a mistake. Legal now: {legal}")
        case "illegal":
            raise Refused(409, "INVALID_ACTION", f"that is not legal, and counts as a mistake. Legal now: {legal}")
        case "closed":
            raise Refused(410, "RUN_OVER", _over(invitation, invitation.slots).reason)
        case "busy":
            raise Refused(503, "BUSY", "the game is looking at another answer: try again")
        case _:
            raise Refused(
                409, "STALE_TURN", "this turn is not open: it was decided, or its time was up. Ask for the next one"
            )


def _given(invitation: Invitation, act: ActRequest) -> Verdict:
    for box in invitation.slots:
        verdict = box.answer(act.token, act.action)
        if verdict != "stale":
            return verdict
    return "stale"


async def unless_gone(request: Request, waiting: Coroutine[Any, Any, _Found]) -> _Found:
    """Return what comes of waiting, which ends at once when the client goes away; raises ClientGone then.

    The body of the request must have been read.
    """
    task = asyncio.ensure_future(waiting)
    watcher = asyncio.ensure_future(_until_gone(request))
    try:
        await asyncio.wait((task, watcher), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientGone
    finally:
        for each in (task, watcher):
            each.cancel()
        await asyncio.gather(task, watcher, return_exceptions=True)


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
