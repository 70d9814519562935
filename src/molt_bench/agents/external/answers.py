"""How the answers of programs and web servers are read: strictly, neither guessed at nor repaired. Pure: no I/O."""

import json
from collections.abc import Mapping
from typing import Any, get_args

from molt_bench.agents.external.protocol import PROTOCOL, OwnFault
from molt_bench.errors import AgentFailed
from molt_bench.poker.actions import KINDS, Action
from molt_bench.poker.mix import MOST_ENTRIES, Entry, Mix, RaiseRange
from molt_bench.specs import MOST_CHIPS
from molt_bench.visible_text import shown


def _message(answer: bytes, kind: str) -> dict[str, Any]:
    """Read an answer of the expected type."""
    found = json_object(answer)
    if found.get("type") != kind:
        raise _wrong("type", found, repr(kind))
    return found


def read_hello(answer: bytes) -> None:
    """Check an agent's answer to hello; raises AgentFailed if it is not a hello, or of another version."""
    fields = _message(answer, "hello")
    if type(fields.get("protocol")) is not int or fields["protocol"] != PROTOCOL:
        raise _wrong("protocol", fields, str(PROTOCOL))
    if not isinstance(fields.get("name"), str | None):
        raise _wrong("name", fields, "a text")


def read_answer(answer: bytes) -> tuple[int, Action | Mix | AgentFailed]:
    """Return the id of the observation that an agent answered, and its action or mix, or the fault that it tells of.

    Raises AgentFailed if it is none of them. The game checks whether an action is legal.
    """
    fields = json_object(answer)
    kind, number = fields.get("type"), fields.get("id")
    if kind not in ("action", "fault"):
        raise _wrong("type", fields, repr("action"))
    if type(number) is not int:
        raise _wrong("id", fields, "that of the observation")
    return number, _fault_of(fields) if kind == "fault" else answer_of(fields)


def read_done(line: bytes) -> bool | None:
    """Return whether a host says that a hook has ended; None for another line. Raises AgentFailed if a hook failed."""
    fields = json_object(line)
    if fields.get("type") == "fault" and fields.get("id") is None:
        raise _fault_of(fields)
    return True if fields.get("type") == "done" else None


def _fault_of(fields: Mapping[str, Any]) -> AgentFailed:
    if fields.get("kind") not in get_args(OwnFault):
        raise _wrong("kind", fields, ", ".join(get_args(OwnFault)))
    if not isinstance(fields.get("message"), str):
        raise _wrong("message", fields, "a text")
    return AgentFailed(fields["kind"], fields["message"])


def answer_of(fields: Mapping[str, Any]) -> Action | Mix:
    """Return the action or the mix that the fields of an answer name; raises AgentFailed if it is none."""
    if fields.get("mix") is None:
        return action_of(fields)
    listed = fields["mix"]
    for field in ("kind", "amount"):
        if fields.get(field) is not None:
            raise _wrong(field, fields, "none beside a mix")
    if not isinstance(listed, list):
        raise _wrong("mix", fields, "a list of actions, each with its weight")
    no_actions = [each for each in listed if not isinstance(each, dict)]
    if no_actions:
        said = shown(no_actions[0])
        raise AgentFailed("unparsable", f"an entry of the mix is {said}: expected an action with its weight")
    if not 1 <= len(listed) <= MOST_ENTRIES:
        raise AgentFailed("unparsable", f"mix has {len(listed):,} entries: expected 1 to {MOST_ENTRIES}")
    return Mix([(_entry_of(each), each.get("weight")) for each in listed])


def _entry_of(fields: Mapping[str, Any]) -> Entry:
    if "low" not in fields and "high" not in fields:
        return action_of(fields)
    if fields.get("kind") != "raiseTo":
        raise _wrong("kind", fields, "raiseTo, since low and high are a range of raises")
    if fields.get("amount") is not None:
        raise _wrong("amount", fields, "none beside low and high")
    for field in ("low", "high"):
        if type(fields.get(field)) is not int or abs(fields[field]) > MOST_CHIPS:
            raise _wrong(field, fields, "a whole number of chips, such as 300")
    return RaiseRange(fields["low"], fields["high"])


def action_of(fields: Mapping[str, Any]) -> Action:
    """Return the action that the fields `kind` and `amount` of an answer name; raises AgentFailed if it is none."""
    kind, amount = fields.get("kind"), fields.get("amount")
    if kind not in KINDS:
        raise _wrong("kind", fields, ", ".join(KINDS))
    if kind != "raiseTo":
        if amount is not None:
            raise _wrong("amount", fields, f"none, since it goes with raiseTo and not with {kind}")
        return Action(kind)
    if type(amount) is not int or abs(amount) > MOST_CHIPS:
        raise _wrong("amount", fields, "a whole number of chips, such as 300")
    return Action("raiseTo", amount)


def json_object(answer: bytes) -> dict[str, Any]:
    """Read an answer as strict JSON: one object, no duplicate keys; raises AgentFailed if it is none."""
    if not answer.strip():
        raise AgentFailed("empty", "the answer is empty")
    try:
        found = json.loads(answer.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise AgentFailed("unparsable", "the answer is not UTF-8") from None
    except RecursionError:
        raise AgentFailed("unparsable", "the answer is nested too deeply") from None
    except json.JSONDecodeError as error:
        text = shown(answer.decode("utf-8").strip())
        raise AgentFailed("unparsable", f"the answer is not JSON ({error.msg}): {text}") from None
    except _NotTaken as error:
        raise AgentFailed("unparsable", f"the answer is not taken: {error}") from None
    except ValueError:
        raise AgentFailed("unparsable", "the answer has a number of thousands of digits in it") from None
    if not isinstance(found, dict):
        raise AgentFailed("unparsable", f"the answer is {shown(found)}, not a JSON object")
    return found


class _NotTaken(ValueError):  # noqa: N818 - carries the reason to the one place that reads answers
    """JSON that parsers read in different ways."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _NotTaken("a key appears twice")
    return fields


def _no_constant(name: str) -> Any:
    raise _NotTaken(f"{name} is not JSON")


def _wrong(field: str, fields: Mapping[str, Any], expected: str) -> AgentFailed:
    said = f"is {shown(fields[field])}" if field in fields else "is missing"
    return AgentFailed("unparsable", f"{field} {said}: expected {expected}")
