"""An exchange: one question to a model and what came of it; and the exchanges of a run, as they are held in memory."""

from hashlib import sha256
from typing import Literal, TypeAlias

import msgspec

from molt_bench.agents.llm.model_settings import LLMSettings, OutputMode
from molt_bench.specs import GameLabel

#: What came of a question: a reply, none in time, or no connection until all tries were spent.
Outcome: TypeAlias = Literal["reply", "timeout", "transport"]


class Tokens(msgspec.Struct, frozen=True, rename="camel"):
    """Tokens of one exchange; cached ones are part of the input, reasoning ones part of the output."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """Input and output."""
        return self.input + self.output


class Exchange(msgspec.Struct, frozen=True, kw_only=True, tag="exchange", tag_field="line", rename="camel"):
    """One question to a model, as it stands in the file.

    Attributes:
        key: Names the question: model, settings, prompt, participant, game, hand, decision and attempt.
        participant: Who was asked.
        game: In which game.
        hand: Number of the hand.
        decision: How many actions the hand had before.
        attempt: Which try at the decision it was, from 1.
        prompt_hash: SHA-256 of the system prompt and the message.
        mode: How the reply was asked for.
        outcome: What came of it.
        text: What the model said, or why there is no reply; keys and the like are cut out.
        finish: Why the reply ended, as the provider says.
        model: The model, as the provider reports it.
        tokens: What it took.
        cost_usd: What it cost; None where no price is known.
        latency_s: Seconds the last request took.
        tries: Requests that were sent.
        misread: What it misread of its hand and the price, where it was asked for that; None where it was not.
    """

    key: str
    participant: str
    game: GameLabel
    hand: int
    decision: int
    attempt: int
    prompt_hash: str
    mode: OutputMode
    outcome: Outcome
    text: str
    finish: str | None = None
    model: str | None = None
    tokens: Tokens = Tokens()
    cost_usd: float | None = None
    latency_s: float = 0.0
    tries: int = 1
    misread: tuple[str, ...] | None = None


class Exchanges:
    """The exchanges of a run, held in memory. `molt_bench.runs.exchanges` keeps them in a file as well.

    Attributes:
        skills: Every participant's system prompt, once it is known.
        read_only: Whether no model may be asked: an exchange that is missing is an error.
        earlier: The exchanges of an earlier session, in order, for whoever adds them up.
    """

    def __init__(self) -> None:
        self.skills: dict[str, str] = {}
        self.read_only = False
        self.earlier: list[Exchange] = []
        self._known: dict[GameLabel, dict[str, Exchange]] = {}

    def begin(self, skills: dict[str, str]) -> None:
        """Record the system prompts, unless they are known already."""
        if not self.skills:
            self.skills = skills

    def find(self, game: GameLabel, key: str) -> Exchange | None:
        """Return the exchange with this key, if it has taken place."""
        return self._known.get(game, {}).get(key)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange."""
        self._known.setdefault(exchange.game, {})[exchange.key] = exchange

    def forget(self, game: GameLabel) -> None:
        """Let go of the exchanges of a finished game."""
        self._known.pop(game, None)

    @property
    def problem(self) -> str | None:
        """Why recording ended early, if it did."""
        return None

    def close(self) -> None:
        """Close what is open."""


def settings_hash(participant: str, settings: LLMSettings) -> bytes:
    """Return the hash of who is asked with which settings."""
    content = {"participant": participant, **settings.decisive()}
    return sha256(msgspec.json.encode(content, order="sorted")).digest()


def prompt_hash(system: str, message: str) -> str:
    """Return the hash of everything that is sent: the system prompt and the message."""
    return sha256(f"{system}\0{message}".encode()).hexdigest()


def exchange_key(asked: bytes, prompt: str, game: GameLabel, hand: int, decision: int, attempt: int) -> str:
    """Return the name of a question. Two questions in different places are never the same one, whatever they say."""
    place = msgspec.json.encode((prompt, game, hand, decision, attempt))
    return sha256(asked + place).hexdigest()
