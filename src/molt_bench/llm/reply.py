"""The reply: from a model's text to an action, or to what is wrong with it. Pure: it neither guesses nor repairs."""

import json
import re
from typing import Any, Final

import msgspec

from molt_bench.errors import AgentFailed, FaultKind
from molt_bench.llm.strategy_reply import stated_action, stated_strategy
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix
from molt_bench.visible_text import shown

#: Most characters of a reply; longer ones are not read.
LONGEST_REPLY: Final = 100_000

#: Why a reply ended: it was complete, it reached the token limit, or the provider withheld it.
CUT_OFF: Final = "length"
WITHHELD: Final = "content_filter"

#: How models mark what is not their answer: thoughts and drafts.
_THOUGHTS: Final = (
    "(?:think(?:ing)?|thoughts?|reason(?:ing)?|scratch_?pad|analysis|reflect(?:ion)?|draft|plan(?:ning)?|monologue)"
)
_WHOLE_THOUGHT: Final = re.compile(rf"<({_THOUGHTS})(?:\s[^<>]*)?>.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_THINKING: Final = re.compile(rf"<{_THOUGHTS}(?:\s[^<>]*)?>", re.IGNORECASE)
_THOUGHT: Final = re.compile(rf"</{_THOUGHTS}\s*>", re.IGNORECASE)
#: How they mark their answer.
_ANSWER_TAG: Final = re.compile(r"</?(?:(?:final_?)?answer|final|action|output|response|reply|json)\s*>", re.IGNORECASE)
#: What matters for where an object ends; a backslash takes the meaning from the character after it.
_MARKS: Final = re.compile(r'\\.|["{}]', re.DOTALL)


class Reply(msgspec.Struct, frozen=True):
    """A model's reply: its action, or the mix that it states as its strategy; and why."""

    answer: Action | Mix
    reasoning: str


def _answer_of(text: str) -> str:
    """Return a reply without the thoughts that it marks; raises AgentFailed if it ends inside them.

    The tag before the thoughts may be part of the prompt, so all before a lone tag that ends some is left out, too.
    """
    *_, said = _THOUGHT.split(_WHOLE_THOUGHT.sub("", text))
    opened = _THINKING.search(said)
    if opened is not None:
        raise AgentFailed("truncated", f"the reply ends inside its thoughts ({opened[0]} without an end)")
    return _ANSWER_TAG.sub("", said).strip()


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


def read_reply(text: str, finish: str | None, *, strategy: bool = False) -> Reply:
    """Read a reply; raises AgentFailed, with the kind of fault and what is expected, if it is not valid.

    There may be other text before its JSON object. Nothing that a model may have given up is taken: a draft among
    thoughts, before an object that was cut off, before another one, or before a second thought.

    Args:
        text: The model's text.
        finish: Why it ended, if the provider reported it.
        strategy: Whether it has to state a strategy, rather than an action.
    """
    stripped = _something(text, finish)
    found = _whole_object(stripped)
    if found is None:
        stripped = _answer_of(stripped)
        found = _whole_object(stripped)
    if found is not None:
        return _checked(found, strategy=strategy)
    objects, rest = _objects(stripped)
    actions = [each for each in objects if ("strategy" if strategy else "kind") in each]
    if actions and not rest.inside and not (finish == CUT_OFF and rest.prose):
        return _only(actions, rest, strategy=strategy)
    if finish == CUT_OFF or rest.inside:
        why = "it met the limit of tokens" if finish == CUT_OFF else "it ends inside a JSON object"
        raise AgentFailed("truncated", f"the reply was cut off: {why}")
    raise AgentFailed("unparsable", f"the reply is no JSON object: {shown(stripped)}")


def _only(actions: list[dict[str, Any]], rest: "_Rest", *, strategy: bool) -> Reply:
    """Return the reply if it is clear which object counts; raises AgentFailed if not."""
    if rest.prose:
        raise AgentFailed("unparsable", "the reply says more after its JSON object; expected the object last")
    replies = [_checked(each, strategy=strategy) for each in actions]
    if any(each.answer != replies[-1].answer for each in replies):
        raise AgentFailed("unparsable", "the reply has several JSON objects with different actions; expected one")
    return replies[-1]


class _Rest(msgspec.Struct, frozen=True):
    """What follows the last JSON object of a text: whether it ends inside another one, and whether it says anything."""

    inside: bool
    prose: bool


def _whole_object(text: str) -> dict[str, Any] | None:
    """Return the text as a JSON object, with or without a code fence around it."""
    if text.startswith("```") and text.endswith("```"):
        text = text[3:-3].removeprefix("json")
    return _object(text)


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object; raises ValueError if one is there twice, since it is unclear which one counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is there twice")
    return found


def _objects(text: str) -> tuple[list[dict[str, Any]], _Rest]:
    """Return the JSON objects of a text that are part of no other braces, and what follows the last of them."""
    found: list[dict[str, Any]] = []
    at, end = text.find("{"), 0
    while at >= 0:
        close = _close_of(text, at)
        if close < 0:
            return found, _Rest(inside=True, prose=True)
        value = _object(text[at:close])
        if value is not None:
            found.append(value)
            end = close
        at = text.find("{", close)
    return found, _Rest(inside=False, prose=bool(text[end:].strip("` \n")))


def _close_of(text: str, start: int) -> int:
    """Return where the braces that open at `start` have closed; -1 if they never do."""
    depth, quoted = 0, False
    for match in _MARKS.finditer(text, start):
        mark = match[0]
        if mark == '"':
            quoted = not quoted
        elif not quoted and mark in "{}":
            depth += 1 if mark == "{" else -1
            if not depth:
                return match.end()
    return -1


def whole_characters(text: str) -> str:
    """Return a text without halves of characters, which JSON can hold and no file."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _checked(found: dict[str, Any], *, strategy: bool) -> Reply:
    reasoning = found.get("reasoning")
    return Reply(
        stated_strategy(found) if strategy else stated_action(found),
        whole_characters(reasoning) if isinstance(reasoning, str) else "",
    )
