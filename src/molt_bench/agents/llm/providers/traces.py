"""Traces: the thoughts that a server reports beside a reply, read from its response as it came."""

from collections.abc import Iterable
from typing import Any

from molt_bench.agents.llm.sending.answer_bytes import fields_of
from molt_bench.agents.llm.sending.wire import Wire


def trace_of(wire: Wire) -> str | None:
    """Return the reasoning trace of a response; None if there is none, or it was cut off."""
    if not wire.received:
        return None
    known = fields_of(wire.received.read())
    found = [part.strip() for part in _thoughts(known) if isinstance(part, str) and part.strip()]
    return "\n\n".join(dict.fromkeys(found)) or None


def _thoughts(known: dict[str, Any]) -> Iterable[Any]:
    """Return all thoughts in a response, in the forms of the usual protocols."""
    for choice in _objects(known.get("choices")):  # OpenAI's chat protocol, as several servers extend it
        message = choice.get("message")
        for each in _objects([message]):
            yield each.get("reasoning_content")
            yield each.get("reasoning")
            yield each.get("thinking")
            yield from _texts(each.get("reasoning_details"))
            yield from _blocks(each.get("content"))
    for item in _objects(known.get("output")):  # OpenAI's Responses
        if item.get("type") == "reasoning":
            yield from _texts(item.get("summary"))
            yield from _texts(item.get("content"))
    yield from _blocks(known.get("content"))  # Anthropic
    for candidate in _objects(known.get("candidates")):  # Google
        for content in _objects([candidate.get("content")]):
            for part in _objects(content.get("parts")):
                if part.get("thought"):
                    yield part.get("text")


def _blocks(content: Any) -> Iterable[Any]:
    """Return what blocks of thoughts say: Anthropic has a text in them, Mistral a list of texts."""
    for block in _objects(content):
        if block.get("type") == "thinking":
            yield block.get("thinking")
            yield from _texts(block.get("thinking"))


def _texts(parts: Any) -> Iterable[Any]:
    for part in _objects(parts):
        yield part.get("text")
        yield part.get("summary")


def _objects(values: Any) -> list[dict[str, Any]]:
    return [each for each in values if isinstance(each, dict)] if isinstance(values, list) else []
