"""The reply: from a model's text to an action or a strategy, or to what is wrong with it. Pure: it guesses nothing.

A reply is free text, thoughts first, and the last JSON object in it counts: the same for every model.
"""

import json
import re
from typing import Any, Final, NamedTuple

import msgspec

from molt_bench.errors import AgentFailed, FaultKind
from molt_bench.poker.actions import KINDS, Action, Kind
from molt_bench.poker.mix import Mix
from molt_bench.visible_text import shown

#: Most characters of a reply; longer ones are not read.
LONGEST_REPLY: Final = 100_000
#: Why a reply ended: it reached the token limit, or the provider withheld it.
CUT_OFF: Final = "length"
WITHHELD: Final = "content_filter"

#: Most actions of one strategy.
MOST_ACTIONS: Final = 6
#: What the percentages of a strategy add up to.
WHOLE: Final = 100
#: Most chips that an action of a strategy can name.
_MOST_CHIPS: Final = 10**15
#: How an object begins that is meant as one, rather than a brace in prose.
_BEGINNING: Final = re.compile(r'\{\s*"')
#: What may open a fence around the object, at the end of the text before it.
_FENCE: Final = re.compile(r"\s*```\w*\s*$")


class Reply(msgspec.Struct, frozen=True):
    """A model's reply: its action, or the mix that it states as its strategy; and why.

    Attributes:
        reasoning: What it says before its object, or else in the object's field of that name.
    """

    answer: Action | Mix
    reasoning: str


def read_reply(text: str, finish: str | None, *, strategy: bool = False) -> Reply:
    """Read a reply; raises AgentFailed, with the kind of fault and what is expected, if it is not valid.

    Args:
        text: The model's text.
        finish: Why it ended, if the provider reported it.
        strategy: Whether it has to state a strategy, rather than an action.
    """
    said = _something(text, finish)
    last = _last_object(said)
    if last.inside or (finish == CUT_OFF and said[last.end :].strip("` \n")):
        why = "it met the limit of tokens" if finish == CUT_OFF else "it ends inside a JSON object"
        raise AgentFailed("truncated", f"the reply was cut off: {why}")
    if last.wrong:
        raise AgentFailed("unparsable", f"the last JSON object is none: {last.wrong}")
    if last.found is None:
        raise AgentFailed("unparsable", f"the reply has no JSON object: {shown(said)}")
    answer = stated_strategy(last.found) if strategy else stated_action(last.found)
    before, field = _FENCE.sub("", said[: last.start]).strip(), last.found.get("reasoning")
    return Reply(answer, whole_characters(before or (field if isinstance(field, str) else "")))


def _something(text: str, finish: str | None) -> str:
    """Return a reply without the blanks around it; raises AgentFailed if it was withheld, is empty or too long."""
    if finish == WITHHELD:
        raise AgentFailed("refused", f"the reply was refused: {shown(text)}" if text else "the reply was refused")
    stripped = text.strip()
    if not stripped:
        kind: FaultKind = "truncated" if finish == CUT_OFF else "empty"
        raise AgentFailed(kind, "the reply is empty" + (": the limit of tokens was met" if finish == CUT_OFF else ""))
    if len(stripped) > LONGEST_REPLY:
        raise AgentFailed("unparsable", f"the reply is longer than {LONGEST_REPLY:,} characters")
    return stripped


class _Last(NamedTuple):
    """The last JSON object of a text.

    Attributes:
        found: The object; None if there is none.
        start: Where it begins.
        end: Where it ends.
        wrong: What is wrong with what comes after it, and begins as an object; "" if nothing does.
        inside: Whether the text ends inside of one.
    """

    found: dict[str, Any] | None = None
    start: int = 0
    end: int = 0
    wrong: str = ""
    inside: bool = False


def _last_object(text: str) -> _Last:
    """Return the last object of a text that is part of no other one."""
    last, at = _Last(), text.find("{")
    while at >= 0:
        try:
            value, end = _DECODER.raw_decode(text, at)
        except RecursionError:
            return last._replace(wrong="it is nested too deeply")
        except ValueError as error:
            if _ends_inside(error, text):
                return last._replace(inside=True)
            if _BEGINNING.match(text, at):
                last = last._replace(wrong=str(error))
            end = at + 1
        else:
            last = _Last(value, at, end)
        at = text.find("{", end)
    return last


def _ends_inside(error: ValueError, text: str) -> bool:
    """Return whether a text could go on to be an object, from what its reader says is wrong."""
    if not isinstance(error, json.JSONDecodeError):
        return False
    return error.pos >= len(text) or error.msg.startswith("Unterminated string")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object; raises ValueError if one is there twice, since it is unclear which one counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is there twice")
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once)


def whole_characters(text: str) -> str:
    """Return a text without halves of characters, which JSON can hold and no file."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def stated_strategy(found: dict[str, Any]) -> Mix:
    """Return the mix of the actions of a strategy that have a chance; raises AgentFailed if it is not one."""
    listed = found.get("strategy")
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        said = shown(listed) if "strategy" in found else "missing"
        raise AgentFailed("unparsable", f'"strategy" is {said}; expected a list of actions, each with its percentage')
    if not 1 <= len(listed) <= MOST_ACTIONS:
        raise AgentFailed("unparsable", f'"strategy" has {len(listed)} actions; expected 1 to {MOST_ACTIONS}')
    strategy = [_share(each) for each in listed]
    actions = [action for action, _ in strategy]
    twice = next((action for at, action in enumerate(actions) if action in actions[:at]), None)
    if twice is not None:
        said = f"{twice.kind} {twice.amount}" if twice.kind == "raiseTo" else twice.kind
        raise AgentFailed("unparsable", f'"strategy" has {said} twice; expected every action once')
    total = sum(percent for _, percent in strategy)
    if total != WHOLE:
        raise AgentFailed("unparsable", f"the percentages add up to {total}; expected {WHOLE}")
    return Mix([(action, percent) for action, percent in strategy if percent])


def _share(found: dict[str, Any]) -> tuple[Action, int]:
    action, percent = stated_action(found), _whole(found.get("percent"))
    if abs(action.amount) > _MOST_CHIPS:  # it is recorded, and such a number fits in no file
        raise AgentFailed("unparsable", f'"amount" is {shown(action.amount)}; expected a number of chips')
    if type(percent) is not int or not 0 <= percent <= WHOLE:
        said = shown(found["percent"]) if "percent" in found else "missing"
        raise AgentFailed("unparsable", f'"percent" is {said}; expected a whole number from 0 to {WHOLE}')
    return action, percent


def stated_action(found: dict[str, Any]) -> Action:
    """Return the action that an object states; raises AgentFailed if it is not one."""
    kind, amount = found.get("kind"), _whole(found.get("amount"))
    if kind not in KINDS:
        said = shown(kind) if "kind" in found else "missing"
        raise AgentFailed("unparsable", f'"kind" is {said}; expected one of {", ".join(KINDS)}')
    if kind == "raiseTo" and type(amount) is not int:
        said = shown(found["amount"]) if "amount" in found else "missing"
        raise AgentFailed("unparsable", f'"amount" is {said}; expected a whole number of chips')
    checked: Kind = kind
    return Action(checked, int(amount or 0)) if checked == "raiseTo" else Action(checked)


def _whole(value: Any) -> Any:
    """Return a whole number that was written with a decimal point as one; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
