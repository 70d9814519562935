"""What is exchanged with an agent that fetches its decisions, over HTTP or as an MCP client.

A turn wraps two messages of the protocol of external agents, as they are: the decision, and the results of hands.
"""

from collections.abc import Iterable, Mapping
from time import monotonic
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from molt_bench.errors import AgentFailed
from molt_bench.plugins.live.mailbox import HandOver, Turn
from molt_bench.poker.actions import Action
from molt_bench.poker.messages import Decision, Result, answer_of, decision, read, result, struct_schemas
from molt_bench.poker.mix import MOST_ENTRIES, MOST_WEIGHT, Mix
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
    game_number: Annotated[int, Meta(ge=1, description="Number of the game at this place.")]
    hand_number: Annotated[int, Meta(ge=1, description="Number of the hand at this place, over all games.")]
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
    over: str | None = None


class ActRequest(Struct, frozen=True):
    """An action that an agent sends: the decision it is for, and the action or mix, or what is wrong with it."""

    token: str
    action: Action | Mix | AgentFailed


#: What `POST /v1/act` takes.
ACT_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "turn_token": {"type": "string", "description": "That of the turn."},
        "kind": {
            "type": "string",
            "enum": ["fold", "check", "call", "raiseTo"],
            "description": "One of the legal kinds.",
        },
        "amount": {
            "type": ["integer", "null"],
            "description": "For raiseTo alone: the total bet on this street after the raise, in chips.",
        },
        "mix": {
            "type": "array",
            "maxItems": MOST_ENTRIES,
            "description": "In place of kind and amount: actions with weights, of which one is drawn and played.",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string", "enum": ["fold", "check", "call", "raiseTo"]},
                    "amount": {"type": "integer", "description": "For raiseTo: the total bet."},
                    "low": {"type": "integer", "description": "In place of amount: the smallest of a range of raises."},
                    "high": {"type": "integer", "description": "The largest of the range."},
                    "weight": {"type": "integer", "minimum": 1, "maximum": MOST_WEIGHT},
                },
                "required": ["kind", "weight"],
            },
        },
    },
    "required": ["turn_token"],
}


def turn_message(turn: Turn, results: Iterable[HandOver], *, slot: int) -> TurnMessage:
    """Return the message about a decision and the hands before it; slots are counted from 1."""
    return TurnMessage(
        turn_token=turn.token,
        seconds_left=round(max(0.0, turn.deadline - monotonic()), 1),
        place=slot,
        game_number=turn.game,
        hand_number=turn.hand,
        observation=decision(turn.observation, turn.seq, turn.game_id),
        results=result_messages(results),
    )


def result_messages(results: Iterable[HandOver]) -> tuple[Result, ...]:
    """Return the messages about finished hands."""
    return tuple([result(each.result, each.game_id) for each in results])


def read_act(body: bytes) -> ActRequest:
    """Read an answer in JSON; raises AgentFailed if it is not clear which decision it is for."""
    return act_of(read(body, _object))


def act_of(fields: Mapping[str, Any]) -> ActRequest:
    """Read the fields of an answer; raises AgentFailed if it is not clear which decision it is for."""
    token = fields.get("turn_token")
    if not isinstance(token, str):
        said = "is missing" if token is None else "is not a text"
        raise AgentFailed("unparsable", f"turn_token {said}: expected that of the turn")
    try:
        return ActRequest(token, answer_of(fields))
    except AgentFailed as failure:
        return ActRequest(token, failure)


def turn_schema() -> dict[str, Any]:
    """Return the JSON Schema of what an agent gets; `$defs/Act` is what it sends."""
    (found,), named = struct_schemas(Next)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "molt-bench turns, version 1",
        "$ref": found["$ref"],
        "$defs": {**named, "Act": ACT_SCHEMA},
    }
