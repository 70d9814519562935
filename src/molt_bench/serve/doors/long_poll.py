"""The long poll: one request for a decision, one for an answer that brings the next decision. For curl and scripts.

The tools of MCP wait and answer in the same way. All state is in the mailboxes.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.agents.live.mailbox import Mailbox
from molt_bench.agents.live.mailbox_events import MailEvent, PendingDecision, Verdict
from molt_bench.agents.live.turn_messages import (
    DEFAULT_WAIT_S,
    LONGEST_WAIT_S,
    ActRequest,
    Next,
    Over,
    read_act,
    result_messages,
    turn_message,
)
from molt_bench.errors import AgentFailed
from molt_bench.serve.guard import LONGEST_MESSAGE, Refused, invitation_of, json_error, json_response
from molt_bench.serve.lobby import Invitation, Lobby
from molt_bench.serve.practice_hand import practice_answer, practice_turn
from molt_bench.specs import MODEL_TIMEOUT_S

#: To a client that is gone, nothing can be said.
_NOBODY: Final = 499
#: Seconds for which an answer is tried again while the game looks at another, and the pause between.
_BUSY_S: Final = 5.0
_PAUSE_S: Final = 0.02

_Found = TypeVar("_Found")


class ClientGone(Exception):  # noqa: N818 - nobody's mistake
    """The client went away while it waited."""


def routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of this door."""

    def run(request: Request) -> Response:
        return json_response(about_run(lobby, invitation_of(request)))

    async def turn(request: Request) -> Response:
        invitation = invitation_of(request)
        lobby.arrived(invitation)
        wait_s, slot = _asked(request, invitation)
        found = await unless_gone(request, next_turn(invitation, wait_s=wait_s, slot=slot))
        if found.over is not None:
            error = {"code": "RUN_OVER", "message": found.over.reason}
            return json_response({"error": error, "over": found.over}, status=410)
        return Response(status_code=204) if found.turn is None else json_response(found)

    async def act(request: Request) -> Response:
        invitation = invitation_of(request)
        lobby.arrived(invitation)
        wait_s, slot = _asked(request, invitation)
        verdict = await give(invitation, read_act(await request.body()))
        found = await unless_gone(request, next_turn(invitation, wait_s=wait_s, slot=slot))
        return json_response(msgspec.structs.replace(found, verdict=verdict))

    def practice(request: Request) -> Response:
        return json_response(practice_turn(lobby.game, practice_token(invitation_of(request))))

    async def practised(request: Request) -> Response:
        token = practice_token(invitation_of(request))
        return json_response(practice_answer(lobby.game, token, read_act(await request.body())))

    return [
        Route("/v1/run", run),
        Route("/v1/test", practice),
        Route("/v1/test", partial(_unless_refused, practised), methods=["POST"]),
        Route("/v1/turn", partial(_unless_refused, turn)),
        Route("/v1/act", partial(_unless_refused, act), methods=["POST"]),
    ]


async def _unless_refused(endpoint: Callable[[Request], Awaitable[Response]], request: Request) -> Response:
    try:
        return await endpoint(request)
    except ClientDisconnect:  # or a body that grew too long
        return json_error(413, "VALIDATION_ERROR", f"a message may have {LONGEST_MESSAGE // 1024} KiB")
    except AgentFailed as failure:
        forms = "{turn_token, kind, amount} or {turn_token, mix}"
        return json_error(400, "VALIDATION_ERROR", f"{failure}. Send {forms} as JSON")
    except Refused as refusal:
        return json_error(refusal.status, **refusal.error)
    except ClientGone:
        return Response(status_code=_NOBODY)


def practice_token(invitation: Invitation) -> str:
    """Return the token of the practice turn, which is that of no decision."""
    return invitation.derived("practice")[:32]


def about_run(lobby: Lobby, invitation: Invitation) -> dict[str, object]:
    """Return what an agent may know about the run: its own name, the game, and how many it plays at once."""
    return {
        "name": invitation.title,
        "games_at_once": invitation.invited.slots,
        "seconds_per_decision": lobby.game.action_timeout_s or MODEL_TIMEOUT_S,
        "game": lobby.game.model_dump(by_alias=True),
        "over": lobby.closed,
    }


def _asked(request: Request, invitation: Invitation) -> tuple[float, int | None]:
    """Return how long to wait and for which slot, or raise Refused."""
    wait = request.query_params.get("wait", str(DEFAULT_WAIT_S))
    place = request.query_params.get("place")
    try:
        wait_s = float(wait)
    except ValueError:
        wait_s = math.nan
    if not wait_s >= 0:
        raise Refused(400, "VALIDATION_ERROR", f"wait is not a number of seconds, such as {DEFAULT_WAIT_S:g}")
    slots = len(invitation.slots)
    if place is not None and place not in map(str, range(1, slots + 1)):
        raise Refused(400, "VALIDATION_ERROR", f"place is not a whole number from 1 to {slots}")
    return min(wait_s, LONGEST_WAIT_S), None if place is None else int(place)


async def next_turn(invitation: Invitation, *, wait_s: float, slot: int | None = None) -> Next:
    """Wait until there is something to decide, or the run is over, and return it; an empty answer if there is nothing.

    One slot is looked at, by its number from 1, or all of them.
    """
    numbered = [*enumerate(invitation.slots, 1)]
    chosen = numbered if slot is None else [numbered[slot - 1]]
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
