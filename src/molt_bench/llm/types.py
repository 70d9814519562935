"""The types that all of this folder shares: prompts, questions, answers, exchanges and tokens."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

import msgspec

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
_MOST_TOKENS: Final = 20_000_000


class Unaccounted(msgspec.Struct, frozen=True):
    """Requests that were sent and whose cost is not known, and what they are taken to have cost."""

    requests: int = 0
    usd: float = 0.0
    tokens: int = 0

    def __add__(self, more: "Unaccounted") -> "Unaccounted":
        return Unaccounted(self.requests + more.requests, self.usd + more.usd, self.tokens + more.tokens)


#: Nothing; an exchange with it is written without it.
NOTHING_LOST: Final = Unaccounted()


class Tokens(msgspec.Struct, frozen=True, rename="camel"):
    """Tokens of one exchange.

    Those read from a cache, and those written to one, are part of the input; reasoning tokens are part of the output.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    cache_writes: int = 0

    @property
    def total(self) -> int:
        """Input and output together."""
        return self.input + self.output

    @property
    def possible(self) -> bool:
        """Whether a server can have meant these counts."""
        counts = msgspec.structs.astuple(self)
        known = self.cached + self.cache_writes <= self.input and self.reasoning <= self.output
        return known and min(counts) >= 0 and self.total <= _MOST_TOKENS


NO_TOKENS: Final = Tokens()


class Said(msgspec.Struct, frozen=True):
    """One message of a prompt: whose it is, and what it says."""

    role: Literal["system", "user", "assistant"]
    text: str


class Answer(msgspec.Struct, frozen=True):
    """A provider's answer; the fields are those of `Exchange`. Tokens are all 0 where the server did not count them.

    Attributes:
        tier: The tier of service that it states.
        billed_usd: Dollars that it says it cost.
    """

    text: str
    finish: str | None
    model: str | None
    tokens: Tokens
    thoughts: str = ""
    response_id: str | None = None
    fingerprint: str | None = None
    upstream: str | None = None
    tier: str | None = None
    billed_usd: float | None = None


class Exchange(
    msgspec.Struct, frozen=True, kw_only=True, tag="exchange", tag_field="line", rename="camel", omit_defaults=True
):
    """One question to a model and its outcome, as the file has it.

    Attributes:
        key: Identifies the question: model, settings, prompt, participant, game, hand, decision and attempt.
        decision: Number of actions in the hand before this decision.
        attempt: Number of the attempt at the decision, from 1; 0 for what is part of no play: the question before the
            first card, and a reply that a limit of ours cut off.
        prompt_hash: SHA-256 of the form of a reply and all that is said: the system prompt and the messages.
        asked: What is said; without the system prompt of a participant that is a model, which the first line has.
        text: The reply, or why there is none; API keys are cut out.
        thoughts: What the provider passes on of what the model thought before it.
        finish: Why the reply ended, as the provider reports it.
        model: The model, as the provider reports it.
        fingerprint: What the server calls the configuration that it ran with.
        upstream: Who ran the model, where a provider passes requests on.
        tier: The tier of service that the answer states.
        response_id: What the server calls its response.
        cost_usd: Dollars it cost; None where no price is known.
        latency_s: Seconds the last request took.
        tries: Requests that were sent.
        lost: What requests that were sent and never fully answered, or answered without a count of tokens, are taken to
            have cost. The budget counts it.
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
    asked: tuple[Said, ...] = ()
    thoughts: str = ""
    finish: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    upstream: str | None = None
    tier: str | None = None
    response_id: str | None = None
    tokens: Tokens = NO_TOKENS
    cost_usd: float | None = None
    latency_s: float = 0.0
    tries: int = 1
    lost: Unaccounted = NOTHING_LOST
