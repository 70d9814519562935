"""The table of providers: one row for each that has something special about it."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from molt_bench.llm.providers.anthropic import Anthropic
from molt_bench.llm.providers.base import Family, Provider
from molt_bench.llm.providers.deepseek import DeepSeek
from molt_bench.llm.providers.google import Google, GoogleCloud
from molt_bench.llm.providers.openai import OpenAI, OpenAIResponses
from molt_bench.llm.types import HttpRecord

_ROWS: Final = (
    OpenAI("openai"),
    OpenAI("openai-chat"),
    OpenAIResponses("openai-responses"),
    Anthropic("anthropic"),
    Google("google"),
    GoogleCloud("google-cloud"),
    DeepSeek("deepseek"),
)
PROVIDERS: Final[dict[str, Provider]] = {row.name: row for row in _ROWS}
#: What stands for a model in examples.
EXAMPLE: Final = "openai:gpt-4.1"
#: Families of models of nobody in particular that think by themselves.
_OTHER_FAMILIES: Final[tuple[Family, ...]] = (
    (r"qwen3(?!.*(instruct|coder))|qwq|thinking|magistral|grok-(3-mini|4)|glm-(4\.[5-9]|5)|minimax-m", "high", 0.8),
)


def provider_of(name: str) -> Provider:
    """Return the provider of a name; any that is not in the table is as providers usually are."""
    return PROVIDERS.get(name) or Provider(name)


def families() -> list[Family]:
    """Return all families of models that think by themselves; the first that fits counts."""
    return [*dict.fromkeys(family for row in PROVIDERS.values() for family in row.families), *_OTHER_FAMILIES]


def libraries() -> list[str]:
    """Return the packages by which models are asked."""
    own = dict.fromkeys(row.package for row in PROVIDERS.values() if row.package is not None)
    return ["pydantic-ai-slim", *own, "aiohttp", "genai-prices"]


def thoughts_of(record: HttpRecord) -> str | None:
    """Return the thoughts that a server reports beside a reply; None if there are none, or they were cut off."""
    if not record.received:
        return None
    try:
        answer = msgspec.json.decode(record.received.read())
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    known: Iterable[object] = _thoughts(answer) if isinstance(answer, dict) else ()
    found = [part.strip() for part in known if isinstance(part, str) and part.strip()]
    return "\n\n".join(dict.fromkeys(found)) or None


def _thoughts(answer: dict[str, Any]) -> Iterable[object]:
    """Return the thoughts in an answer of any protocol: each reads only its own form."""
    for row in PROVIDERS.values():
        yield from row.thoughts(answer)
