"""Tools: what a model may ask before it answers, so that arithmetic can be told from judgement.

They tell nothing that its seat does not see. A wrong call is no fault: the model is told what is expected.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from math import fsum
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import UNSET

from molt_bench.agents.llm.settings import ToolName
from molt_bench.agents.llm.types import Exchange, ToolCall, ToolStep
from molt_bench.errors import RulesError
from molt_bench.poker.observation import Observation
from molt_bench.poker.range_equity import edges, hole_number
from molt_bench.poker.range_text import holes_in
from molt_bench.specs import MOST_CHIPS
from molt_bench.visible_text import shown

#: How often a model may ask before a decision, and most calls that are answered each time.
MOST_STEPS: Final = 4
MOST_CALLS: Final = 8
#: Most characters of the arguments of a call.
_LONGEST_ARGUMENTS: Final = 2000

Arguments: TypeAlias = Mapping[str, Any]


class Tool(msgspec.Struct, frozen=True):
    """A tool: what a model is told of it, the JSON Schema of its arguments, and what it answers."""

    about: str
    schema: dict[str, Any]
    answer: Callable[[Arguments, Observation], dict[str, Any]]


def steps_before(exchange: Exchange, others: Iterable[Exchange]) -> tuple[ToolStep, ...]:
    """Return what was asked of our tools before an exchange, from the others about the same decision."""
    attempt, sample, step = exchange.place
    by_step = {each.place[2]: each for each in (*others, exchange) if each.place[:2] == (attempt, sample)}
    found = []
    for number in range(step):
        before, after = by_step.get(number), by_step.get(number + 1)
        if before is not None and after is not None and before.calls is not UNSET and after.answers is not UNSET:
            found.append(ToolStep("" if before.turn is UNSET else before.turn, before.calls, after.answers))
    return tuple(found)


def answers_to(calls: tuple[ToolCall, ...], seen: Observation) -> tuple[str, ...]:
    """Return what our tools answer to the calls of one reply, as JSON."""
    found = [answer(call.name, call.arguments, seen) for call in calls[:MOST_CALLS]]
    too_many = f"error: at most {MOST_CALLS} calls at once are answered"
    return (*found, *[too_many] * (len(calls) - len(found)))


def answer(name: str, arguments: str, seen: Observation) -> str:
    """Return what a tool answers, as JSON, or what is wrong with the call."""
    tool = next((TOOLS[known] for known in TOOLS if known == name), None)
    if tool is None:
        return f"error: there is no tool {shown(name)}"
    try:
        given = json.loads(arguments or "{}") if len(arguments) <= _LONGEST_ARGUMENTS else None
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict) or not given.keys() <= tool.schema["properties"].keys():
        return f"error: expected an object with no other fields than {', '.join(tool.schema['properties'])}"
    try:
        return json.dumps(tool.answer(given, seen))
    except RulesError as error:
        return f"error: {error}"


def _equity(given: Arguments, seen: Observation) -> dict[str, Any]:
    text = given.get("range")
    if not isinstance(text, str):
        raise RulesError(f'"range" is {shown(text)}; expected a text such as "77+, A2s+, KTo-KQo" or "random"')
    known = {*seen.cards, *seen.board}
    holes = sorted(hole for hole in holes_in(text) if known.isdisjoint(hole))
    if not holes:
        raise RulesError("no hand of this range is possible: all of them hold a card that you see")
    won = edges(seen.cards, seen.board)
    mean = fsum(float(won[hole_number(hole)]) for hole in holes) / len(holes)
    return {"equity": round((1 + mean) / 2, 4), "hands": len(holes)}


def _pot_odds(given: Arguments, seen: Observation) -> dict[str, Any]:
    pot, call = (_chips(given, "pot", seen.pot), _chips(given, "call", seen.to_call))
    return {"pot": pot, "call": call, "equityNeeded": round(call / (pot + call), 4) if call else 0.0}


def _chips(given: Arguments, field: str, usual: int) -> int:
    value = given.get(field)
    if value is None:
        return usual
    if type(value) is not int or not 0 <= value <= MOST_CHIPS:
        raise RulesError(f'"{field}" is {shown(value)}; expected a whole number of chips')
    return value


def _object(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


TOOLS: Final[Mapping[ToolName, Tool]] = {
    "equity": Tool(
        "The exact share of the pot that your hole cards win on average on the board as it is, if all cards to come "
        "are dealt without betting, against each hand of a range that your opponent may hold, all as likely.",
        _object(
            ["range"],
            range={"type": "string", "description": 'Such as "77+, A2s+, KTo-KQo, AhKd", or "random" for any hand.'},
        ),
        _equity,
    ),
    "pot_odds": Tool(
        "The least equity with which a call pays for itself: call / (pot + call).",
        _object(
            [],
            pot={"type": "integer", "description": "Chips in the pot before the call. Left out: the pot as it is."},
            call={"type": "integer", "description": "Chips that the call costs. Left out: what a call costs now."},
        ),
        _pot_odds,
    ),
}
