"""The door: `next_turn` waits for a decision, `give` answers one. All protocols are words over these two.

Here is the long poll, for curl and scripts: one request for a decision, one for an answer that brings the next one.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, Final, Literal, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from molt_bench.errors import AgentFailed
from molt_bench.plugins.live.guard import Refused, invitation_of, json_response
from molt_bench.plugins.live.lobby import Invitation, Lobby
from molt_bench.plugins.live.mailbox import Mailbox
from molt_bench.plugins.live.messages import (
    DEFAULT_WAIT_S,
    LONGEST_WAIT_S,
    Given,
    Next,
    Over,
    RunInfo,
    read_act,
    result_messages,
    turn_message,
)
from molt_bench.specs import MODEL_TIMEOUT_S

#: Seconds for which an answer waits while the game looks at another one.
_LOOK_S: Final = 5.0

_Found = TypeVar("_Found")


async def next_turn(invitation: Invitation, *, wait_s: float, slot: int | None = None) -> Next:
    """Wait until there is something to decide, or the run is over, and return it; an empty answer if there is nothing.

    One slot is looked at, by its number from 1, or all of them.
    """
    chosen = [(at, box) for at, box in enumerate(invitation.slots, 1) if slot in (None, at)]
    boxes = [box for _, box in chosen]
    until = asyncio.get_running_loop().time() + wait_s
    with listening(boxes) as changed:
        while True:
            changed.clear()
            found = _open_decision(chosen)
            if found is not None:
                return found
            if boxes[0].closed is not None:
                invitation.told = True
                results = [each for box in boxes for each in box.news().results]
                return Next(over=Over(reason=boxes[0].closed, results=result_messages(results)))
            left_s = until - asyncio.get_running_loop().time()
            if left_s <= 0:
                return Next()
            with suppress(TimeoutError):
                await asyncio.wait_for(changed.wait(), left_s)


def _open_decision(slots: Sequence[tuple[int, Mailbox]]) -> Next | None:
    """Return the decision that was asked first of those that were not fetched yet, else of all; None without one."""
    found = [(box.was_fetched(turn), turn.since, at, box, turn) for at, box in slots if (turn := box.turn) is not None]
    if not found:
        return None
    _, _, at, box, turn = min(found, key=lambda each: each[:3])
    return Next(turn=turn_message(turn, box.fetch(turn), slot=at))


async def give(invitation: Invitation, act: Given) -> Literal["taken", "repeated"]:
    """Give an action to the slot it is for; return whether it was taken or repeated, or raise Refused."""
    await _looked_at(invitation.slots)
    turns = [box.turn for box in invitation.slots]  # asked before the answer, which may end it
    legal = next((str(turn.observation.legal) for turn in turns if turn is not None and turn.token == act.token), "")
    verdicts = (box.answer(act.token, act.action) for box in invitation.slots)
    match next((verdict for verdict in verdicts if verdict != "stale"), "stale"):
        case "taken" | "repeated" as verdict:
            return verdict
        case "illegal" if isinstance(act.action, AgentFailed):
            raise Refused(400, "VALIDATION_ERROR", f"{act.action}. This counts as a mistake. Legal now: {legal}")
        case "illegal":
            raise Refused(409, "INVALID_ACTION", f"that is not legal, and counts as a mistake. Legal now: {legal}")
        case "closed":
            raise Refused(410, "RUN_OVER", invitation.slots[0].closed or "")
    raise Refused(409, "STALE_TURN", "this turn is not open: it was decided, or its time was up. Ask for the next one")


async def _looked_at(boxes: Sequence[Mailbox]) -> None:
    """Wait until the game has looked at an answer that was not legal: then it has asked again, or folded."""
    if any(box.looking for box in boxes):
        with suppress(TimeoutError), listening(boxes) as changed:
            async with asyncio.timeout(_LOOK_S):
                while any(box.looking for box in boxes):
                    await changed.wait()
                    changed.clear()


@contextmanager
def listening(boxes: Sequence[Mailbox]) -> Iterator[asyncio.Event]:
    """Yield an event that is set when something happens in one of the mailboxes; the agent is there meanwhile."""
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop ended at this very moment
            loop.call_soon_threadsafe(changed.set)

    with ExitStack() as leaving:
        for box in boxes:
            box.arrive(wake)
            leaving.callback(box.depart, wake)
        yield changed


def routes(lobby: Lobby) -> list[BaseRoute]:
    """Return the routes of the long poll."""

    def run(request: Request) -> Response:
        invitation, game = invitation_of(request), lobby.game
        about = RunInfo(
            name=invitation.title,
            games_at_once=len(invitation.slots),
            seconds_per_decision=game.action_timeout_s or MODEL_TIMEOUT_S,
            game=game.facts,
        )
        return json_response(about)

    async def turn(request: Request) -> Response:
        found = await unless_gone(request, _wanted(request)())
        if found.over is not None:
            error = {"code": "RUN_OVER", "message": found.over.reason}
            return json_response({"error": error, "over": found.over}, status=410)
        return Response(status_code=204) if found.turn is None else json_response(found)

    async def act(request: Request) -> Response:
        wanted = _wanted(request)
        verdict = await give(invitation_of(request), read_act(await request.body()))
        found = await unless_gone(request, wanted())
        return json_response(msgspec.structs.replace(found, verdict=verdict))

    return [
        Route("/v1/run", run),
        Route("/v1/turn", turn),
        Route("/v1/act", act, methods=["POST"]),
    ]


def _wanted(request: Request) -> Callable[[], Coroutine[Any, Any, Next]]:
    """Return what waits for the turn that a request asks for by its query; raises Refused."""
    invitation, query = invitation_of(request), request.query_params
    slots = [*map(str, range(1, len(invitation.slots) + 1))]
    place = query.get("place")
    if place not in (None, *slots):
        raise Refused(400, "VALIDATION_ERROR", f"place is not a whole number from 1 to {len(slots)}")
    wait_s = seconds_to_wait(query.get("wait"))
    return partial(next_turn, invitation, wait_s=wait_s, slot=None if place is None else int(place))


def seconds_to_wait(given: object) -> float:
    """Return how long a request waits for a turn; raises Refused."""
    try:
        wait_s = DEFAULT_WAIT_S if given is None else float(str(given))
    except ValueError:
        wait_s = math.nan
    if not wait_s >= 0:
        raise Refused(400, "VALIDATION_ERROR", f"wait is not a number of seconds, such as {DEFAULT_WAIT_S:g}")
    return min(wait_s, LONGEST_WAIT_S)


async def unless_gone(request: Request, waiting: Coroutine[Any, Any, _Found]) -> _Found:
    """Return what comes of waiting, which ends at once when the client goes away; raises ClientDisconnect then.

    The body of the request must have been read.
    """
    task = asyncio.ensure_future(waiting)
    watcher = asyncio.ensure_future(_until_gone(request))
    try:
        await asyncio.wait((task, watcher), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise ClientDisconnect
    finally:
        for each in (task, watcher):
            each.cancel()
        await asyncio.gather(task, watcher, return_exceptions=True)


async def _until_gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
