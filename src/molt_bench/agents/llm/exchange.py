"""An exchange: one question to a model and its outcome. And the exchanges of a run, held in memory."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.agents.llm.money.ledger import Ledger
from molt_bench.agents.llm.providers.log_probabilities import Choice
from molt_bench.agents.llm.sending.wire import Seen, Wire, WireLog
from molt_bench.agents.llm.settings import LLMSettings, OutputMode
from molt_bench.agents.llm.talk.question import Question, ToolCall
from molt_bench.specs import GameLabel

#: What came of a question: a reply; no reply in time; no connection after all retries; the prompt was refused for good;
#: the context was full, so that the conversation lost its oldest part and the question was asked again.
ExchangeOutcome: TypeAlias = Literal["reply", "timeout", "transport", "refused", "full"]


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


class Exchange(msgspec.Struct, frozen=True, kw_only=True, tag="exchange", tag_field="line", rename="camel"):
    """One question to a model and its outcome, as the file has it.

    Attributes:
        key: Identifies the question: model, settings, prompt, participant, game, hand, decision and attempt.
        decision: Number of actions in the hand before this decision.
        attempt: Number of the attempt at the decision, from 1.
        prompt_hash: SHA-256 of the harness and all that is sent: the system prompt, earlier messages, the message.
        text: The reply, or why there is none; API keys are cut out.
        finish: Why the reply ended, as the provider reports it.
        model: The model, as the provider reports it.
        cost_usd: Dollars it cost; None where no price is known.
        latency_s: Seconds the last request took.
        tries: Requests that were sent.
        misread: What the model misread of its hand and the price; None where it was not asked.
        choice: The odds of its action, where log-probabilities were asked for and found.
        at_most_usd: What requests that were sent and never fully answered, or answered without a count of tokens, may
            have cost at most, in dollars. The budget counts it.
        at_most_tokens: The same in tokens.
        at_most_requests: How many requests those are.
        sample: Which of several answers to the same question it is, from 1 after the first.
        step: How often our tools had answered before.
        answers: What they answered last.
        calls: What the model asks of them instead of a decision.
        turn: That reply, as the library of its provider writes it.
        shortened: How often the conversation had lost its oldest part at this attempt, since the context was full.
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
    mode: OutputMode
    outcome: ExchangeOutcome
    text: str
    finish: str | None = None
    model: str | None = None
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    latency_s: float = 0.0
    tries: int = 1
    misread: tuple[str, ...] | None = None
    choice: Choice | UnsetType = UNSET
    at_most_usd: float | UnsetType = UNSET
    at_most_tokens: int | UnsetType = UNSET
    at_most_requests: int | UnsetType = UNSET
    sample: int | UnsetType = UNSET
    step: int | UnsetType = UNSET
    answers: tuple[str, ...] | UnsetType = UNSET
    calls: tuple[ToolCall, ...] | UnsetType = UNSET
    turn: str | UnsetType = UNSET
    shortened: int | UnsetType = UNSET
    without: tuple[str, ...] | UnsetType = UNSET
    wire: Wire | UnsetType = UNSET

    @property
    def most(self) -> tuple[float, int]:
        """The dollars and the tokens that it cost, and may have cost at most where that is not known."""
        usd = self.at_most_usd if self.at_most_usd is not UNSET else 0.0
        tokens = self.at_most_tokens if self.at_most_tokens is not UNSET else 0
        return (self.cost_usd or 0.0) + usd, self.tokens.total + tokens

    @property
    def opens(self) -> bool:
        """Whether it is the first question about a decision."""
        return self.attempt == 1 and self.sample is UNSET and self.step is UNSET and self.shortened is UNSET

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it comes among the exchanges about a decision: its attempt, sample and step."""
        sample, step = (0 if which is UNSET else which for which in (self.sample, self.step))
        return self.attempt, sample, step


class SentBatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """A batch of requests, as the file has it: once before it is submitted, and once more with its id.

    Attributes:
        name: Ours.
        keys: The exchanges that it is to answer.
        at_s: When it was made, in seconds since 1970.
        id: The provider's, once it is known.
    """

    name: str
    keys: tuple[str, ...]
    at_s: float
    id: str | None = None


#: Asks a question.
Ask: TypeAlias = Callable[[Question], Awaitable[Exchange]]


class Exchanges:
    """The exchanges of a run, held in memory. `molt_bench.runs.exchanges` keeps them in a file as well.

    Attributes:
        skills: The system prompt of every participant, once it is known.
        harnesses: The harness of every participant, by its label, once it is known.
        read_only: Whether no model may be asked: a missing exchange is an error.
        on_disk: Whether they are also written to a disk.
        earlier: The exchanges of earlier sessions, in order.
        batches: The batches that requests were submitted in, by name, in order.
        ledger: What requests can cost, before they are sent.
    """

    def __init__(self) -> None:
        self.skills: dict[str, str] = {}
        self.harnesses: dict[str, str] = {}
        self.read_only = False
        self.on_disk = False
        self.earlier: list[Exchange] = []
        self.batches: dict[str, SentBatch] = {}
        self.ledger = Ledger()
        self._batch_of: dict[str, str] = {}
        self._known: dict[GameLabel, dict[str, Exchange]] = {}
        self._wires = WireLog()

    def begin(self, skills: dict[str, str], harnesses: dict[str, str]) -> None:
        """Record the system prompts and the harnesses, unless they are known already."""
        if not self.skills:
            self.skills, self.harnesses = skills, harnesses

    def find(self, game: GameLabel, key: str) -> Exchange | None:
        """Return the exchange with this key, if there is one."""
        return self._known.get(game, {}).get(key)

    def find_by_place(self, wanted: Exchange) -> Exchange | None:
        """Return the exchange of the same attempt at the same decision, whatever was asked, if there is one.

        For runs of other versions, whose prompts are not written any more.
        """
        place = (wanted.participant, wanted.hand, wanted.decision, wanted.place, wanted.shortened)
        return next(
            (
                each
                for each in self._known.get(wanted.game, {}).values()
                if (each.participant, each.hand, each.decision, each.place, each.shortened) == place
            ),
            None,
        )

    def add(self, exchange: Exchange) -> None:
        """Record an exchange."""
        self.ledger.settle(exchange.key)
        self._known.setdefault(exchange.game, {})[exchange.key] = exchange

    def add_batch(self, batch: SentBatch) -> None:
        """Record a batch; it is on disk before this returns, if there is one."""
        self.batches[batch.name] = batch
        self._batch_of.update(dict.fromkeys(batch.keys, batch.name))

    def batch_of(self, key: str) -> str | None:
        """Return the name of the last batch that has a request for this exchange."""
        return self._batch_of.get(key)

    def wire_of(self, exchange: Exchange, seen: Seen | None) -> Wire | UnsetType:
        """Return what is kept of what went over the wire for an exchange, which has to be added next."""
        if seen is None:
            return UNSET
        return self._wires.pack(exchange.key, exchange.participant, exchange.game, seen)

    def forget(self, game: GameLabel) -> None:
        """Drop the exchanges of a finished game."""
        self._known.pop(game, None)
        self._wires.forget(game)

    @property
    def held(self) -> int:
        """Number of exchanges that there is no room for yet."""
        return 0

    @property
    def unsaved(self) -> int:
        """Number of those that are replies."""
        return 0

    def write_held(self) -> None:
        """Write the exchanges that there was no room for."""

    def sync(self) -> None:
        """Flush everything to disk."""

    @property
    def problem(self) -> str | None:
        """Why exchanges are missing from the file, if any are."""
        return None

    def close(self) -> None:
        """Close any open file."""


def settings_hash(participant: str, settings: LLMSettings) -> bytes:
    """Return the hash of a participant and of those of its settings that decide a reply."""
    content = {"participant": participant, **settings.decisive()}
    return sha256(msgspec.json.encode(content, order="sorted")).digest()


def unanswered(question: Question, participant: str, settings: bytes, prompt: str) -> Exchange:
    """Return the exchange for a question as long as there is no reply.

    Its key differs from that of any other question in the run, whatever that says.

    Args:
        question: The question.
        participant: Who is asked.
        settings: The participant's `settings_hash`.
        prompt: The question's `prompt_hash`.
    """
    which = (question.sample, len(question.steps))
    place = msgspec.json.encode(
        (prompt, question.game, question.hand, question.decision, question.attempt, *(which if any(which) else ()))
    )
    return Exchange(
        key=sha256(settings + place).hexdigest(),
        participant=participant,
        game=question.game,
        hand=question.hand,
        decision=question.decision,
        attempt=question.attempt,
        prompt_hash=prompt,
        mode="text",
        outcome="transport",
        text="",
        sample=question.sample or UNSET,
        step=len(question.steps) or UNSET,
        answers=question.steps[-1].answers if question.steps else UNSET,
        shortened=question.shortened or UNSET,
    )
