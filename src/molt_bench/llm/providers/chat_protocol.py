"""The chat protocol, which most servers speak, without a library on the way: that takes most of a decision's CPU.

The library still decides what is said: it writes one request with marks where the texts go, and all others are made
from that. And it reads every answer that is not plain: errors, refusals, anything unexpected.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Literal

import msgspec

from molt_bench.llm.sending.http import HttpRequest, Received
from molt_bench.llm.types import readable

#: Stand for the system prompt and the message in the request that the library writes.
MARKS: Final = ("the-system-prompt-goes-here-7f3a", "the-message-goes-here-7f3a")


class _Message(msgspec.Struct, frozen=True):
    role: Literal["assistant"]
    content: str | None = None
    refusal: None = None
    function_call: None = None
    audio: None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message
    finish_reason: Literal["stop", "length"]


class _Read(msgspec.Struct, frozen=True):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _Written(msgspec.Struct, frozen=True):
    reasoning_tokens: int | None = None


class _Usage(msgspec.Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: _Read | None = None
    completion_tokens_details: _Written | None = None


class Completion(msgspec.Struct, frozen=True):
    """A plain answer: one that says something, in the usual fields, and counts its tokens."""

    id: str
    created: int
    model: str
    object: Literal["chat.completion"]
    choices: tuple[_Choice, ...]
    usage: _Usage


_decoder: Final = msgspec.json.Decoder(Completion)


def plain(received: Received) -> Completion | None:
    """Return an answer if it is a plain one."""
    if received.status != 200 or "json" not in received.headers.get("content-type", ""):
        return None
    found = readable(_decoder.decode, received.body)
    return found if found is not None and len(found.choices) == 1 else None


class _Body(msgspec.Struct, frozen=True):
    """An answer of this protocol, whatever its counts are."""

    choices: list[Any]
    usage: Any = None


_bodies: Final = msgspec.json.Decoder(_Body)


def with_readable_counts(received: Received) -> Received:
    """Return an answer without its counts of tokens if they cannot be read: it is an answer all the same."""
    found = readable(_bodies.decode, received.body)
    if found is None or found.usage is None:
        return received
    try:
        msgspec.convert(found.usage, _Usage, strict=False)
    except msgspec.ValidationError:
        body = msgspec.json.decode(received.body)
        kept = {name: value for name, value in body.items() if name != "usage"}
        return received._replace(body=msgspec.json.encode(kept))
    return received


class ChatForm:
    """How requests are written.

    Args:
        request: The request that the library wrote, with the marks.
        parts: Its body: what comes before, between and after the marks.
    """

    def __init__(self, request: HttpRequest, parts: Sequence[bytes]) -> None:
        self._request = request
        self._before, self._between, self._after = parts
        self._system = ("", b"")

    def request(self, system: str, message: str) -> HttpRequest:
        """Return a request."""
        if system != self._system[0]:
            self._system = (system, _escaped(system))
        written = (self._before, self._system[1], self._between, _escaped(message), self._after)
        return self._request._replace(body=b"".join(written))


def _escaped(text: str) -> bytes:
    return msgspec.json.encode(text)[1:-1]


async def form_of(write: Callable[[str, str], Awaitable[HttpRequest]]) -> ChatForm | None:
    """Return the form of the requests that a library makes; None if it is odd.

    `write` takes a system prompt and a message. What it writes has to have each text once, in this order.
    """
    request = await write(*MARKS)
    parts, rest = [], request.body
    for mark in MARKS:
        if rest.count(mark.encode()) != 1:
            return None
        part, _, rest = rest.partition(mark.encode())
        parts.append(part)
    return ChatForm(request, [*parts, rest])
