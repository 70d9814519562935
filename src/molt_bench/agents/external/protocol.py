"""The protocol of agents in other languages: the messages, and how they are written.

Each message is one JSON object. It holds only what the seat may see, never the seed, since the deck follows from it.
`python -m molt_bench.agents.external.protocol` prints the JSON Schema.
"""

from inspect import cleandoc
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from molt_bench.poker.actions import MOST_CHIPS, Kind, LoggedAction, Street
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.mix import MOST_ENTRIES, MOST_WEIGHT
from molt_bench.poker.observation import HandResult, Observation

PROTOCOL: Final = 1
#: Most bytes of one answer; a longer one is a flood.
LONGEST_ANSWER: Final = 64 * 1024

Card: TypeAlias = Annotated[str, Meta(pattern="^[2-9TJQKA][cdhs]$", examples=["Ah"])]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=1)]
Chips: TypeAlias = Annotated[int, Meta(ge=0)]
#: What an agent can do wrong by its own word; the rest is seen from outside.
OwnFault: TypeAlias = Literal["illegal", "unreadable", "unparsable", "empty", "refused", "exception"]
GameId: TypeAlias = Annotated[str, Meta(description="Over HTTP only: tells one game from another.")]


class Hello(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="hello"):
    """The first message of a game; to be answered with a hello."""

    protocol: Literal[1]
    name: Annotated[str, Meta(description="The name of the agent in this run.")]
    game: GameId | UnsetType = UNSET


class Legal(Struct, frozen=True, rename="camel"):
    """An action that is legal now; `min` and `max` are the range of a raiseTo, both included."""

    kind: Kind
    min: Chips | UnsetType = UNSET
    max: Chips | UnsetType = UNSET


class Decision(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="observation"):
    """A decision: all that the seat to act may know; to be answered with an action. Pairs are indexed by seat."""

    id: Annotated[int, Meta(ge=1, description="The answer has to repeat it. It grows from decision to decision.")]
    hand_number: Annotated[int, Meta(ge=1)]
    seat: SeatNumber
    button: SeatNumber
    position: Literal["button", "bigBlind"]
    street: Street
    cards: tuple[Card, Card]
    board: Annotated[tuple[Card, ...], Meta(max_length=5)]
    pot: Annotated[int, Meta(ge=0, description="All chips in the middle, this street's bets included.")]
    stacks: Annotated[tuple[Chips, Chips], Meta(description="Chips behind.")]
    bets: Annotated[tuple[Chips, Chips], Meta(description="Chips bet on this street.")]
    starting_stacks: tuple[Chips, Chips]
    to_call: Annotated[int, Meta(ge=0, description="Chips a call costs; 0: checking is free.")]
    legal: Annotated[tuple[Legal, ...], Meta(description="Everything that may be answered.")]
    log: Annotated[tuple[LoggedAction, ...], Meta(description="The actions of this hand, oldest first.")]
    small_blind: Chips
    big_blind: Chips
    ante: Chips
    raise_cap: Annotated[int | None, Meta(description="Bets and raises allowed on a street; null: no cap.")]
    previous_error: Annotated[str | None, Meta(description="On a retry: why the last answer was not taken.")]
    game: GameId | UnsetType = UNSET


class Result(Struct, frozen=True, kw_only=True, rename="camel", tag_field="type", tag="handResult"):
    """A hand is over; no answer. Pairs are indexed by seat."""

    hand_number: Annotated[int, Meta(ge=1)]
    seat: SeatNumber
    button: SeatNumber
    cards: tuple[Card, Card]
    opponent_cards: Annotated[tuple[Card, Card] | None, Meta(description="After a showdown only.")]
    board: Annotated[tuple[Card, ...], Meta(max_length=5)]
    log: tuple[LoggedAction, ...]
    starting_stacks: tuple[Chips, Chips]
    net: Annotated[tuple[int, int], Meta(description="Chips won or lost.")]
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


#: What an agent may say in chips.
_Amount: TypeAlias = Annotated[int, Meta(ge=-MOST_CHIPS, le=MOST_CHIPS)]
Amount: TypeAlias = Annotated[
    _Amount | None, Meta(description="For raiseTo alone: the total bet on this street after the raise, in chips.")
]


class MixEntry(Struct, frozen=True, kw_only=True):
    """An action of a mix, or a range of raises, each as likely as the others; and its weight."""

    kind: Kind
    amount: Amount = None
    low: Annotated[_Amount, Meta(description="In place of an amount: the smallest of a range.")] | UnsetType = UNSET
    high: Annotated[_Amount, Meta(description="The largest of the range.")] | UnsetType = UNSET
    weight: Annotated[int, Meta(ge=1, le=MOST_WEIGHT, description="It is drawn with its share of all weights.")]


class Answer(Struct, frozen=True, kw_only=True):
    """An action, or a mix of actions of which the bench draws one."""

    kind: Annotated[Kind, Meta(description="The action; none beside a mix.")] | UnsetType = UNSET
    amount: Amount = None
    mix: (
        Annotated[
            tuple[MixEntry, ...],
            Meta(min_length=1, max_length=MOST_ENTRIES, description="In place of kind and amount: what to draw from."),
        ]
        | UnsetType
    ) = UNSET


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


#: What a message has just as the observation, or the result of a hand, that it is made from.
_SEEN: Final = (
    *("hand_number", "seat", "button", "street", "pot", "stacks", "bets", "starting_stacks", "to_call", "log"),
    "previous_error",
)
_TOLD: Final = ("hand_number", "seat", "button", "log", "starting_stacks", "net")


def _same(source: object, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def decision(observation: Observation, number: int, game: str | UnsetType = UNSET) -> Decision:
    """Return the message that asks for a decision."""
    rules, legal = observation.rules, observation.legal
    sizes = {"raiseTo": (legal.min_raise_to, legal.max_raise_to)}
    return Decision(
        id=number,
        position="button" if observation.seat == observation.button else "bigBlind",
        cards=_texts(observation.cards),
        board=_texts(observation.board),
        legal=tuple([Legal(kind, *sizes.get(kind, ())) for kind in legal.kinds]),
        small_blind=rules.small_blind,
        big_blind=rules.big_blind,
        ante=rules.ante,
        raise_cap=rules.raise_cap,
        game=game,
        **_same(observation, _SEEN),
    )


def result(outcome: HandResult, game: str | UnsetType = UNSET) -> Result:
    """Return the message about a finished hand."""
    other = outcome.opponent_cards
    return Result(
        cards=_texts(outcome.cards),
        opponent_cards=None if other is None else _texts(other),
        board=_texts(outcome.board),
        game=game,
        **_same(outcome, _TOLD),
    )


def _texts(cards: tuple[int, ...]) -> Any:
    return tuple([CARD_TEXT[card] for card in cards])


def struct_schemas(*types: Any) -> tuple[tuple[dict[str, Any], ...], dict[str, dict[str, Any]]]:
    """Return a JSON Schema for each type, and those of the structs that they refer to, by name.

    Descriptions are the docstrings, without their indentation: from Python 3.13 on, docstrings have none.
    """
    found, named = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for schema in named.values():
        if "description" in schema:
            schema["description"] = cleandoc(schema["description"])
    return found, named


def protocol_schema() -> dict[str, Any]:
    """Return the JSON Schema of every message; `$defs/ToAgent` and `$defs/FromAgent` are the two directions."""
    (to_agent, from_agent), components = struct_schemas(ToAgent, FromAgent)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"molt-bench agent protocol, version {PROTOCOL}",
        "description": "One JSON object a message. Unknown keys are to be ignored, in both directions.",
        "anyOf": [{"$ref": "#/$defs/ToAgent"}, {"$ref": "#/$defs/FromAgent"}],
        "$defs": {
            "ToAgent": {"anyOf": to_agent["anyOf"]},
            "FromAgent": {"anyOf": from_agent["anyOf"]},
            **components,
        },
    }


if __name__ == "__main__":
    print(msgspec.json.format(msgspec.json.encode(protocol_schema()), indent=2).decode())
