"""The types that all of this folder shares: questions, answers, exchanges, tokens, and what is recorded of HTTP."""

import zlib
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.specs import GameLabel

#: How hard a model is to think.
Effort: TypeAlias = Literal["minimal", "low", "medium", "high", "xhigh", "max"]
#: Tokens of thought by effort, where a provider wants a number.
EFFORT_TOKENS: Final[Mapping[Effort, int]] = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16384,
    "xhigh": 32768,
    "max": 49152,
}
#: What came of a question: a reply; no reply in time; no connection after all retries; the prompt was refused for good.
ExchangeOutcome: TypeAlias = Literal["reply", "timeout", "transport", "refused"]
#: Most tokens of one request and its reply; no model has room for more.
MOST_TOKENS: Final = 20_000_000


class Tokens(msgspec.Struct, frozen=True, rename="camel"):
    """Tokens of one exchange.

    Those read from a cache, and those written to one, are part of the input; reasoning tokens are part of the output.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    cache_writes: int = 0

    def __add__(self, more: "Tokens") -> "Tokens":
        return Tokens(*(a + b for a, b in zip(*map(msgspec.structs.astuple, (self, more)), strict=True)))

    @property
    def total(self) -> int:
        """Input and output together."""
        return self.input + self.output

    @property
    def possible(self) -> bool:
        """Whether a server can have meant these counts."""
        counts = msgspec.structs.astuple(self)
        known = self.cached + self.cache_writes <= self.input and self.reasoning <= self.output
        return known and min(counts) >= 0 and self.total <= MOST_TOKENS


NO_TOKENS: Final = Tokens()
T = TypeVar("T")


def readable(decode: Callable[[bytes], T], body: bytes) -> T | None:
    """Return what somebody's JSON decodes to; None if it cannot be read."""
    try:
        return decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


class Question(msgspec.Struct, frozen=True):
    """One question to a model.

    Attributes:
        decision: Number of actions in the hand before this decision.
        attempt: Number of the attempt at the decision, from 1.
    """

    game: GameLabel
    hand: int
    decision: int
    attempt: int
    message: str


class Answer(msgspec.Struct, frozen=True):
    """A provider's answer; the fields are those of `Exchange`. Tokens are all 0 where the server did not count them."""

    text: str
    finish: str | None
    model: str | None
    tokens: Tokens


class PackedBody(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The body of a request or a response.

    Attributes:
        packed: What is kept of it: compressed by zlib, in base64.
        cut: Whether it was too long, and only its beginning is kept.
        base: The key of an earlier exchange with whose request it has a beginning and an end in common.
        start: Bytes of that beginning.
        end: Bytes of that end.
    """

    packed: str = ""
    cut: bool = False
    base: str | UnsetType = UNSET
    start: int = 0
    end: int = 0

    def read(self, base: bytes = b"") -> bytes:
        """Return it, or what is kept of it; `base` is the request that it is based on."""
        own = zlib.decompress(b64decode(self.packed)) if self.packed else b""
        return base[: self.start] + own + (base[len(base) - self.end :] if self.end else b"")


class HttpRecord(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What went over the wire for the last request of an exchange.

    Attributes:
        at: When it was sent, in UTC.
        url: Where to.
        sent: The body of the request.
        status: The HTTP status of the response; 0 if none came.
        received: The body of the response, as far as it came.
        response_id: What the server calls its response.
        fingerprint: What it calls the configuration that it ran with.
    """

    at: str
    url: str
    sent: PackedBody
    status: int = 0
    received: PackedBody | UnsetType = UNSET
    response_id: str | UnsetType = UNSET
    fingerprint: str | UnsetType = UNSET


class Exchange(msgspec.Struct, frozen=True, kw_only=True, tag="exchange", tag_field="line", rename="camel"):
    """One question to a model and its outcome, as the file has it.

    Attributes:
        key: Identifies the question: model, settings, prompt, participant, game, hand, decision and attempt.
        decision: Number of actions in the hand before this decision.
        attempt: Number of the attempt at the decision, from 1.
        prompt_hash: SHA-256 of the form of a reply and all that is sent: the system prompt and the message.
        text: The reply, or why there is none; API keys are cut out.
        finish: Why the reply ended, as the provider reports it.
        model: The model, as the provider reports it.
        cost_usd: Dollars it cost; None where no price is known.
        latency_s: Seconds the last request took.
        tries: Requests that were sent.
        at_most_usd: What requests that were sent and never fully answered, or answered without a count of tokens, may
            have cost at most, in dollars. The budget counts it.
        at_most_tokens: The same in tokens.
        at_most_requests: How many requests those are.
        without: Fields of the request that were left out, since the server had rejected them.
        wire: What went over the wire for the last request.
    """

    key: str
    participant: str
    game: GameLabel
    hand: int
    decision: int
    attempt: int
    prompt_hash: str
    outcome: ExchangeOutcome
    text: str
    finish: str | None = None
    model: str | None = None
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    latency_s: float = 0.0
    tries: int = 1
    at_most_usd: float | UnsetType = UNSET
    at_most_tokens: int | UnsetType = UNSET
    at_most_requests: int | UnsetType = UNSET
    without: tuple[str, ...] | UnsetType = UNSET
    wire: HttpRecord | UnsetType = UNSET

    @property
    def most(self) -> tuple[float, int]:
        """The dollars and the tokens that it cost, and may have cost at most where that is not known."""
        usd = self.at_most_usd if self.at_most_usd is not UNSET else 0.0
        tokens = self.at_most_tokens if self.at_most_tokens is not UNSET else 0
        return (self.cost_usd or 0.0) + usd, self.tokens.total + tokens
