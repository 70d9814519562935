"""What an agent elsewhere sees and answers, as messages in JSON: decisions, results of hands, actions and mixes.

They are shared by all ways in which agents are asked: programs, web servers, and those that come by themselves.
"""

from collections.abc import Callable, Mapping
from inspect import cleandoc
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import MOST_CHIPS, Action, Kind, LoggedAction, Street
from molt_bench.poker.cards import CARD_TEXT
from molt_bench.poker.mix import MOST_ENTRIES, MOST_WEIGHT, Entry, Mix, RaiseRange
from molt_bench.poker.observation import HandResult, Observation
from molt_bench.visible_text import on_one_line, shortened, shown

#: Characters of what is said of an answer, which may quote it.
_SAID: Final = 200

Read = TypeVar("Read")

Card: TypeAlias = Annotated[str, Meta(pattern="^[2-9TJQKA][cdhs]$", examples=["Ah"])]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=1)]
Chips: TypeAlias = Annotated[int, Meta(ge=0)]
GameId: TypeAlias = Annotated[str, Meta(description="Over HTTP only: tells one game from another.")]


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


def answer_of(fields: Mapping[str, Any]) -> Action | Mix:
    """Return the action or the mix that the fields of an answer name; raises AgentFailed if it is none."""
    try:
        return chosen(msgspec.convert(fields, Answer))
    except msgspec.ValidationError as error:
        raise unfit(str(error)) from None


def read(answer: bytes, decode: Callable[[bytes], Read]) -> Read:
    """Read an answer of a certain form; raises AgentFailed if it has another."""
    if not answer.strip():
        raise AgentFailed("empty", "the answer is empty")
    try:
        return decode(answer)
    except msgspec.ValidationError as error:
        raise unfit(str(error)) from None
    except msgspec.DecodeError as error:
        said = shown(answer.decode("utf-8", "replace").strip())
        raise AgentFailed("unparsable", f"the answer is no JSON: {said} ({error})") from None
    except UnicodeDecodeError:
        raise AgentFailed("unparsable", "the answer is not UTF-8") from None
    except RecursionError:
        raise AgentFailed("unparsable", "the answer is nested too deeply") from None


def unfit(said: str) -> AgentFailed:
    """Return the failure of an answer that is not as the protocol says."""
    said = shortened(on_one_line(said), _SAID).replace("\n", " ")
    return AgentFailed("unparsable", f"the answer is not as the protocol says: {said}")


def chosen(answer: Answer) -> Action | Mix:
    """Return what an answer chooses; raises AgentFailed if that is nothing, or two things at once."""
    if answer.mix is UNSET:
        if answer.kind is UNSET:
            raise unfit("Object missing required field `kind`, or `mix`")
        return _action(answer.kind, answer.amount)
    if answer.kind is not UNSET or answer.amount is not None:
        raise unfit("Expected neither `kind` nor `amount` beside `mix`")
    return Mix([(_entry(each), each.weight) for each in answer.mix])


def _entry(entry: MixEntry) -> Entry:
    if entry.low is UNSET and entry.high is UNSET:
        return _action(entry.kind, entry.amount)
    if entry.kind != "raiseTo" or entry.amount is not None or entry.low is UNSET or entry.high is UNSET:
        raise unfit("Expected `low` and `high` together, with `raiseTo`, and no `amount` beside them")
    return RaiseRange(entry.low, entry.high)


def _action(kind: Kind, amount: int | None) -> Action:
    if (kind == "raiseTo") is (amount is None):
        raise unfit(f"Expected `amount` {'beside' if amount is None else 'only beside'} `raiseTo`")
    return Action(kind) if amount is None else Action(kind, amount)


def struct_schemas(*types: Any) -> tuple[tuple[dict[str, Any], ...], dict[str, dict[str, Any]]]:
    """Return a JSON Schema for each type, and those of the structs that they refer to, by name.

    Descriptions are the docstrings, without their indentation: from Python 3.13 on, docstrings have none.
    """
    found, named = msgspec.json.schema_components(types, ref_template="#/$defs/{name}")
    for schema in named.values():
        if "description" in schema:
            schema["description"] = cleandoc(schema["description"])
    return found, named
