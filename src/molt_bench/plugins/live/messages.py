"""What is exchanged with an agent that fetches its decisions, over HTTP or as an MCP client.

A turn wraps two messages of the protocol of external agents, as they are: the decision, and the results of hands.
"""

from collections.abc import Iterable, Mapping
from time import monotonic
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from molt_bench.errors import AgentFailed
from molt_bench.plugins.live.mailbox import HandOver, Turn
from molt_bench.poker.actions import Action
from molt_bench.poker.messages import Answer, Decision, Result, answer_of, decision, read, result, struct_schemas
from molt_bench.poker.mix import Mix
from molt_bench.specs import GameFacts

#: Seconds that a request waits for a decision, and the most it may ask for: clients give up after 60.
DEFAULT_WAIT_S: Final = 25.0
LONGEST_WAIT_S: Final = 45.0
_object: Final = msgspec.json.Decoder(dict[str, Any]).decode


class TurnMessage(Struct, frozen=True, kw_only=True):
    """A decision to make."""

    turn_token: Annotated[str, Meta(description="Names the decision; the answer has to repeat it.")]
    seconds_left: Annotated[float, Meta(ge=0, description="Until the answer has to be there.")]
    place: Annotated[int, Meta(ge=1, description="Which of the games that are played at once, from 1.")]
    observation: Decision
    results: Annotated[tuple[Result, ...], Meta(description="Hands that ended since your last accepted action.")] = ()


class Over(Struct, frozen=True, kw_only=True):
    """The run is over."""

    reason: str
    results: Annotated[tuple[Result, ...], Meta(description="The last hands.")] = ()


class Next(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of an action, and what comes next; without any of it, nothing is to be decided yet."""

    verdict: Annotated[
        Literal["taken", "repeated"] | None,
        Meta(description="taken: the action counts. repeated: it had been taken before."),
    ] = None
    turn: TurnMessage | None = None
    over: Over | None = None


class RunInfo(Struct, frozen=True, kw_only=True):
    """What an agent may know about the run: its own name, the game, and how many it plays at once."""

    name: str
    games_at_once: int
    seconds_per_decision: float
    game: GameFacts


class Given(NamedTuple):
    """What was sent, as it was read: the decision it is for, and the action or mix, or what is wrong with it."""

    token: str
    action: Action | Mix | AgentFailed


class Act(Answer, frozen=True, kw_only=True):
    """What an agent sends: an action, or a mix of actions of which the bench draws one."""

    turn_token: Annotated[str, Meta(description="That of the turn.")]


def turn_message(turn: Turn, results: Iterable[HandOver], *, slot: int) -> TurnMessage:
    """Return the message about a decision and the hands before it; slots are counted from 1."""
    return TurnMessage(
        turn_token=turn.token,
        seconds_left=round(max(0.0, turn.deadline - monotonic()), 1),
        place=slot,
        observation=decision(turn.observation, turn.seq, turn.game_id),
        results=result_messages(results),
    )


def result_messages(results: Iterable[HandOver]) -> tuple[Result, ...]:
    """Return the messages about finished hands."""
    return tuple([result(each.result, each.game_id) for each in results])


def read_act(body: bytes) -> Given:
    """Read an answer in JSON; raises AgentFailed if it is not clear which decision it is for."""
    return act_of(read(body, _object))


def act_of(fields: Mapping[str, Any]) -> Given:
    """Read the fields of an answer; raises AgentFailed if it is not clear which decision it is for."""
    token = fields.get("turn_token")
    if not isinstance(token, str):
        said = "is missing" if token is None else "is not a text"
        raise AgentFailed("unparsable", f"turn_token {said}: expected that of the turn")
    try:
        return Given(token, answer_of(fields))
    except AgentFailed as failure:
        return Given(token, failure)


def turn_schema() -> dict[str, Any]:
    """Return the JSON Schema of what an agent gets; `$defs/Act` is what it sends."""
    (found, _), named = struct_schemas(Next, Act)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "molt-bench turns, version 1",
        "$ref": found["$ref"],
        "$defs": named,
    }
