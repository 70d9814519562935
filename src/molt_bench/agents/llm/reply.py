"""The reply: from a model's text to an action, or to what is wrong with it. Pure: it neither guesses nor repairs."""

import json
from typing import Any, Final

import msgspec

from molt_bench.agents.llm.model_settings import OutputMode, ReplyFirst
from molt_bench.agents.llm.prompt import MADE_HANDS
from molt_bench.errors import AgentFailed, FaultKind, shown
from molt_bench.poker.actions import KINDS, Action, Kind

#: Most characters of a reply; longer ones are not read.
LONGEST_REPLY: Final = 100_000

#: Why a reply ended: it was complete, it reached the token limit, or the provider withheld it.
CUT_OFF: Final = "length"
WITHHELD: Final = "content_filter"


class Reply(msgspec.Struct, frozen=True):
    """A model's reply: its action and why, and if it was asked, what it says its hand is and what a call costs."""

    action: Action
    reasoning: str
    hand: str | None = None
    to_call: int | None = None


def reply_schema(*, comprehension: bool = False, first: ReplyFirst = "reasoning") -> dict[str, Any]:
    """Return the JSON Schema of a reply. It is the same for every decision, so that providers can cache it.

    Its fields are in the order in which they are to be written.
    """
    why: dict[str, Any] = {"reasoning": {"type": "string"}}
    reading = {"hand": {"type": "string", "enum": list(MADE_HANDS)}, "toCall": {"type": "integer"}}
    what = {
        "kind": {"type": "string", "enum": list(KINDS)},
        "amount": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    }
    before, after = (why, what) if first == "reasoning" else (what, why)
    properties = {**before, **(reading if comprehension else {}), **after}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def read_reply(text: str, finish: str | None, mode: OutputMode) -> Reply:
    """Read a reply; raises AgentFailed, with the kind of fault and what is expected, if it is not valid.

    Args:
        text: The model's text.
        finish: Why it ended, if the provider reported it.
        mode: The output mode: in `text` the last JSON object counts, otherwise the whole text has to be one.
    """
    if finish == WITHHELD:
        raise AgentFailed("refused", f"the reply was refused: {shown(text)}" if text else "the reply was refused")
    stripped = text.strip()
    if not stripped:
        kind: FaultKind = "truncated" if finish == CUT_OFF else "empty"
        raise AgentFailed(kind, "the reply is empty" + (": the limit of tokens was met" if finish == CUT_OFF else ""))
    if len(stripped) > LONGEST_REPLY:
        raise AgentFailed("unparsable", f"the reply is longer than {LONGEST_REPLY:,} characters")
    found = _last_object(stripped) if mode == "text" else _whole_object(stripped)
    if found is not None:
        return _checked(found)
    if finish == CUT_OFF or _ends_inside_an_object(stripped):
        why = "it met the limit of tokens" if finish == CUT_OFF else "it ends inside a JSON object"
        raise AgentFailed("truncated", f"the reply was cut off: {why}")
    if mode != "text" and _last_object(stripped) is not None:
        raise AgentFailed("unparsable", "the reply has other text around its JSON object; expected the object alone")
    raise AgentFailed("unparsable", f"the reply is no JSON object: {shown(stripped)}")


def _whole_object(text: str) -> dict[str, Any] | None:
    """Return the text as a JSON object, with or without a code fence around it."""
    if text.startswith("```") and text.endswith("```"):
        text = text[3:-3].removeprefix("json")
    return _object(text)


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _last_object(text: str) -> dict[str, Any] | None:
    """Return the last top-level JSON object in a text."""
    decoder = json.JSONDecoder()
    found = None
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = value
        at = text.find("{", end)
    return found if isinstance(found, dict) else None


def _ends_inside_an_object(text: str) -> bool:
    """Return whether the text ends inside a JSON object."""
    start = text.find("{")
    if start < 0:
        return False
    depth, quoted, escaped = 0, False, False
    for character in text[start:]:
        if escaped:
            escaped = False
        elif quoted:
            escaped = character == "\\"
            quoted = character != '"'
        elif character == '"':
            quoted = True
        else:
            depth += (character == "{") - (character == "}")
    return depth > 0


def _checked(found: dict[str, Any]) -> Reply:
    kind, amount = found.get("kind"), found.get("amount")
    if kind not in KINDS:
        said = shown(kind) if "kind" in found else "missing"
        raise AgentFailed("unparsable", f'"kind" is {said}; expected one of {", ".join(KINDS)}')
    if isinstance(amount, float) and amount.is_integer():
        amount = int(amount)
    if kind == "raiseTo" and (isinstance(amount, bool) or not isinstance(amount, int)):
        said = shown(found["amount"]) if "amount" in found else "missing"
        raise AgentFailed("unparsable", f'"amount" is {said}; expected a whole number of chips')
    reasoning, hand, to_call = found.get("reasoning"), found.get("hand"), found.get("toCall")
    checked: Kind = kind
    return Reply(
        Action(checked, int(amount or 0)) if checked == "raiseTo" else Action(checked),
        reasoning if isinstance(reasoning, str) else "",
        hand if isinstance(hand, str) else None,
        to_call if type(to_call) is int else None,
    )
