"""The protocol of agents in other languages: the messages, and how they are written.

Each message is one JSON object. It holds only what the seat may see, never the seed, since the deck follows from it.
`scripts/schemas.py` writes the JSON Schema.
"""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from molt_bench.poker.messages import Answer, Decision, GameId, Result

PROTOCOL: Final = 1
#: Most bytes of one answer; a longer one is a flood.
LONGEST_ANSWER: Final = 64 * 1024

#: What an agent can do wrong by its own word; the rest is seen from outside.
OwnFault: TypeAlias = Literal["illegal", "unreadable", "unparsable", "empty", "refused", "exception"]


class Hello(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="hello"):
    """The first message of a game; to be answered with a hello."""

    protocol: Literal[1]
    name: Annotated[str, Meta(description="The name of the agent in this run.")]
    game: GameId | UnsetType = UNSET


class Rejection(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="error"):
    """An answer was not taken, and why; no answer."""

    message: str
    game: GameId | UnsetType = UNSET


class Bye(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="bye"):
    """The game is over; no answer."""

    game: GameId | UnsetType = UNSET


class AgentHello(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="hello"):
    """What an agent answers to hello."""

    protocol: Literal[1]
    name: str | None = None


class AgentAction(Answer, frozen=True, kw_only=True, tag_field="type", tag="action"):
    """What an agent answers to an observation: an action, or a mix of actions of which the bench draws one."""

    id: Annotated[int, Meta(description="That of the observation.")]


class AgentFault(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="fault"):
    """What an agent may answer to an observation if it has no action: it says itself what went wrong."""

    id: Annotated[int, Meta(description="That of the observation.")]
    kind: OwnFault
    message: str


ToAgent: TypeAlias = Hello | Decision | Result | Rejection | Bye
FromAgent: TypeAlias = AgentHello | AgentAction | AgentFault


class Done(Struct, frozen=True, tag_field="type", tag="done"):
    """What a host of Python code says when a hook has ended: without a kind, it raised nothing."""

    kind: OwnFault | None = None
    message: str = ""


_encode: Final = msgspec.json.Encoder().encode


def line_of(message: ToAgent) -> bytes:
    """Encode a message as one line."""
    return _encode(message) + b"\n"


def hello(name: str, game: str | UnsetType = UNSET) -> Hello:
    """Return the first message of a game."""
    return Hello(protocol=PROTOCOL, name=name, game=game)
