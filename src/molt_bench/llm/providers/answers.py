"""Answers: what a model said and what it took, read out of what its provider sent."""

from typing import Final, TypeAlias

import msgspec
from pydantic_ai import messages

from molt_bench.llm.providers.chat_protocol import Completion
from molt_bench.llm.providers.table import provider_of
from molt_bench.llm.sending.redaction import Keys
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.talk.reply import LONGEST_REPLY, WITHHELD
from molt_bench.llm.types import Answer, Tokens, readable

#: Tokens of an answer: read, cached, written, thoughts, cache writes.
Counts: TypeAlias = tuple[int, int, int, int, int]


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int
    total_tokens: int


class _Counted(msgspec.Struct, frozen=True):
    """The counts of a chat completion, which libraries pass on without their total."""

    usage: _Usage


_counted: Final = msgspec.json.Decoder(_Counted)


def total_in(body: bytes) -> int:
    """Return the tokens that a chat completion counts in all; 0 where it does not."""
    found = readable(_counted.decode, body)
    return 0 if found is None else found.usage.total_tokens


def with_thoughts(counted: Counts, total: int) -> Counts:
    """Count thoughts as written where a server counts them apart: all of them charge for it.

    Some say so by thoughts that are more than what was written, others only by a total that is more than what was read
    and written.
    """
    read, cached, written, reasoning, cache_writes = counted
    written += reasoning if reasoning > written >= 0 else 0
    if min(counted) >= 0:
        written = max(written, total - read)
    return read, cached, written, reasoning, cache_writes


class AnswerReader:
    """Reads the answers of one model; its keys are cut out."""

    def __init__(self, settings: LLMSettings, keys: Keys) -> None:
        self._settings = settings
        self._provider = provider_of(settings.provider)
        self._keys = keys

    def library(self, response: messages.ModelResponse, body: bytes) -> Answer:
        """Read an answer as the library gives it; `body` is what it was read from."""
        text = "".join(part.content for part in response.parts if isinstance(part, messages.TextPart))
        details = response.provider_details or {}
        if response.finish_reason == WITHHELD and not text:
            text = str(details.get("refusal") or "")
        usage = response.usage
        reasoning = usage.details.get("reasoning_tokens") or usage.details.get("thoughts_tokens") or 0
        read, written = usage.input_tokens, usage.output_tokens
        counted = (read, usage.cache_read_tokens, written, reasoning, usage.cache_write_tokens)
        if any(
            type(count) is not int for count in counted
        ):  # libraries pass on what servers send, a half or a text too
            counted = (0, 0, 0, 0, 0)
        counted = with_thoughts(counted, total_in(body))
        finish = self._provider.finish(response.finish_reason, details.get("finish_reason"))
        return self._read(text, finish, response.model_name, counted)

    def plain(self, found: Completion) -> Answer:
        """Read a plain answer of the chat protocol."""
        (choice,), usage = found.choices, found.usage
        read, written = usage.prompt_tokens_details, usage.completion_tokens_details
        counted = (
            usage.prompt_tokens,
            (read.cached_tokens if read else None) or 0,
            usage.completion_tokens,
            (written.reasoning_tokens if written else None) or 0,
            (read.cache_write_tokens if read else None) or 0,
        )
        counted = with_thoughts(counted, usage.total_tokens)
        return self._read(choice.message.content or "", choice.finish_reason, found.model, counted)

    def _read(self, text: str, finish: str | None, model: str | None, counted: Counts) -> Answer:
        """Return what an answer says; `counted` are its tokens: read, cached, written, thoughts, cache writes."""
        read, cached, written, reasoning, cache_writes = counted
        return Answer(
            # Cut, so that one answer cannot fill the disk; one character too long, so that the cut is noticed.
            self._keys.cut(text.strip())[: LONGEST_REPLY + 1],
            finish,
            self._keys.cut(model) if model else None,
            Tokens(read, cached, written, reasoning, cache_writes),
        )
