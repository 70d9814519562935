"""Answers: what a model said and what it took, read out of what its provider sent."""

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.agents.llm.exchange import Tokens
from molt_bench.agents.llm.providers.access import reply_tokens
from molt_bench.agents.llm.providers.chat import FINISH, Completion
from molt_bench.agents.llm.providers.library_messages import LONGEST_TURN, arguments_of, called, turn_of
from molt_bench.agents.llm.providers.log_probabilities import Choice, choice_of
from molt_bench.agents.llm.sending.redaction import Keys
from molt_bench.agents.llm.settings import LLMSettings
from molt_bench.agents.llm.talk.question import ToolCall
from molt_bench.agents.llm.talk.reply import LONGEST_REPLY, WITHHELD

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse


#: Why a reply ended that its provider broke off: its own trouble, and nothing that the model said.
BROKEN_OFF: Final = "error"


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
    try:
        return _counted.decode(body).usage.total_tokens
    except (msgspec.DecodeError, ValueError, RecursionError):
        return 0


def with_thoughts(counted: Counts, total: int) -> Counts:
    """Count thoughts as written where a server counts them apart: all of them charge for it.

    Some say so by thoughts that are more than what was written (OpenAI's count is part of it), others, such as xAI and
    Google under OpenAI's protocol, only by a total that is more than what was read and written.
    """
    read, cached, written, reasoning, cache_writes = counted
    written += reasoning if reasoning > written >= 0 else 0
    if min(counted) >= 0:
        written = max(written, total - read)
    return read, cached, written, reasoning, cache_writes


class Answer(msgspec.Struct, frozen=True):
    """A model's answer; the fields are those of `Exchange`. Tokens are all 0 where the server did not count them."""

    text: str
    finish: str | None
    model: str | None
    tokens: Tokens
    choice: Choice | UnsetType = UNSET
    calls: tuple[ToolCall, ...] | UnsetType = UNSET
    turn: str | UnsetType = UNSET


class AnswerReader:
    """Reads the answers of one model; its keys are cut out."""

    def __init__(self, settings: LLMSettings, keys: Keys) -> None:
        self._settings = settings
        self._keys = keys

    def library(self, response: "ModelResponse", body: bytes = b"") -> Answer:
        """Read an answer as the library gives it; `body` is what it was read from, where that is known."""
        from pydantic_ai.messages import TextPart, ToolCallPart  # loaded when needed, for a fast start

        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        said = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        args = [arguments_of(call) for call in calls]
        text = called([(call.tool_name, each) for call, each in zip(calls, args, strict=True)]) if calls else said
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
        finish = self._finish(response.finish_reason, details.get("finish_reason"))
        answer = self._read(text, finish, response.model_name, counted, details.get("logprobs"))
        if not calls or not all(call.tool_name in self._settings.tools for call in calls):
            return answer
        asked = tuple(
            ToolCall(call.tool_call_id, call.tool_name, self._keys.cut(each))
            for call, each in zip(calls, args, strict=True)
        )
        turn = self._keys.cut(turn_of(response) or "")
        if not 0 < len(turn) <= LONGEST_TURN:
            return answer
        return msgspec.structs.replace(answer, calls=asked, turn=turn)

    def _finish(self, finish: str | None, told: object) -> str | None:
        """Return why a reply ended, by the library's word and the provider's own.

        Google's library calls it an error, too, where the model wrote something that cannot be: that is the model's.
        """
        if self._settings.provider.startswith("google"):
            return None if finish == BROKEN_OFF else finish
        return BROKEN_OFF if BROKEN_OFF in (finish, told) else finish

    def plain(self, found: Completion) -> Answer:
        """Read a plain answer of OpenAI's chat protocol."""
        (choice,), usage = found.choices, found.usage
        calls = [(call.function.name, call.function.arguments) for call in choice.message.tool_calls or ()]
        text = called(calls) if calls else choice.message.content or ""
        read, written = usage.prompt_tokens_details, usage.completion_tokens_details
        counted = (
            usage.prompt_tokens,
            (read.cached_tokens if read else None) or 0,
            usage.completion_tokens,
            (written.reasoning_tokens if written else None) or 0,
            (read.cache_write_tokens if read else None) or 0,
        )
        counted = with_thoughts(counted, usage.total_tokens)
        listed = choice.logprobs.content if choice.logprobs else None
        return self._read(text, FINISH[choice.finish_reason], found.model, counted, listed)

    def _read(self, text: str, finish: str | None, model: str | None, counted: Counts, listed: Any) -> Answer:
        """Return what an answer says; `counted` are its tokens: read, cached, written, thoughts, cache writes."""
        read, cached, written, reasoning, cache_writes = counted
        stripped = text.strip()
        return Answer(
            # Cut, so that one answer cannot fill the disk; one character too long, so that the cut is noticed.
            self._keys.cut(stripped)[: LONGEST_REPLY + 1],
            finish,
            self._keys.cut(model) if model else None,
            Tokens(read, cached, written, reasoning, cache_writes),
            (choice_of(reply_tokens(listed), stripped) or UNSET) if self._settings.logprobs else UNSET,
        )
