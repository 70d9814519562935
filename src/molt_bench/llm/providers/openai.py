"""OpenAI: its chat protocol and its Responses."""

from collections.abc import Iterable
from typing import Any, Final

from molt_bench.llm.providers.base import Family, Provider, objects, texts, thinking_blocks

#: The names of the limit of tokens in requests of the chat protocol.
LIMIT_NAMES: Final = ("max_completion_tokens", "max_tokens")
_FAMILIES: Final[tuple[Family, ...]] = (
    (r"gpt-5.*-chat|gpt-5\.\d", None, 1.0),
    (r"gpt-5", "medium", 1.0),
    (r"(^|[:/])o[134](-|$)", "medium", 1.0),
    (r"gpt-oss", "medium", 0.8),
)


class ChatProvider(Provider):
    """A provider that speaks the chat protocol, and whose requests are written as OpenAI's."""

    chat = True
    retries_on_client = True
    effort_field = "openai_reasoning_effort"
    limit_names = LIMIT_NAMES
    library = "openai-chat"

    def thoughts(self, answer: dict[str, Any]) -> Iterable[object]:
        """Return the thoughts in a message, in the forms by which servers extend the protocol."""
        for choice in objects(answer.get("choices")):
            for message in objects([choice.get("message")]):
                yield message.get("reasoning_content")
                yield message.get("reasoning")
                yield message.get("thinking")
                yield from texts(message.get("reasoning_details"))
                yield from thinking_blocks(message.get("content"))


class OpenAI(ChatProvider):
    """OpenAI by its chat protocol. Its Responses would drop the seed, and other servers lack them."""

    package = "openai"
    priced_as = "openai"
    prefix = "OPENAI"
    cached_from = (("", 1024),)
    cache_step = 128
    bills_errors = False
    families = _FAMILIES


class OpenAIResponses(Provider):
    """OpenAI by its Responses."""

    priced_as = "openai"
    prefix = "OPENAI"
    cached_from = OpenAI.cached_from
    cache_step = OpenAI.cache_step
    bills_errors = False

    def thoughts(self, answer: dict[str, Any]) -> Iterable[object]:
        """Return the summaries of its thoughts."""
        for item in objects(answer.get("output")):
            if item.get("type") == "reasoning":
                yield from texts(item.get("summary"))
                yield from texts(item.get("content"))
