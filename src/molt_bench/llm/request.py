"""A request to a model: who is asked, what it says, and what it may cost."""

from hashlib import sha256
from typing import Any

import msgspec

from molt_bench.llm.money.budget import Reservation, Reserve
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange, Prompt, Question, Tokens


class Participant:
    """One participant that is a model: its settings, its system prompt, and the most that it can cost."""

    def __init__(
        self, name: str, settings: LLMSettings, skill: str, prices: PriceList, *, limited: bool = False
    ) -> None:
        self.name = name
        self.settings = settings
        self.skill = skill
        self.hash = settings_hash(name, settings)
        self.reserve = Reserve(settings, prices, limited=limited)

    def __str__(self) -> str:
        return f"{self.name} ({self.settings.model})"


class Request:
    """One request, sent until it is answered: what is asked, and what became of it.

    Attributes:
        prompt: What is said.
        entry: The key of its exchange, by which its reservation is on file.
        game: The game that it is asked in.
        most: The most it can cost, as reserved when it was last sent.
        tokens: What its replies have taken so far; there are several only where our own limit cut one off.
        cost_usd: What they cost; None where no price is known.
        exceeded: Whether the last one took more than was reserved for it.
        started: When it was last sent, by the event loop's clock.
        lost: What it may have cost at most, each time that is not known.
    """

    def __init__(self, asked: Participant, prompt: Prompt, exchange: Exchange) -> None:
        self.asked = asked
        self.prompt = prompt
        self.entry, self.game = exchange.key, exchange.game
        self.sent_bytes = sum(len(each.text.encode()) for each in prompt.said)
        self.exceeded = False
        self.tries = 0
        self.started = self.latency_s = 0.0
        self.lost: list[Reservation] = []
        self.most = Reservation()
        self.tokens = Tokens()
        self.cost_usd: float | None = None

    def reserved(self) -> Reservation:
        """Return the most that it can cost, as far as is known now."""
        return self.asked.reserve.most(self.sent_bytes, self.prompt.max_tokens)

    def losses(self) -> dict[str, Any]:
        """Return the fields of an exchange that say what this may have cost, where that is not known."""
        if not self.lost:
            return {}
        return {
            "at_most_usd": sum(each.usd for each in self.lost),
            "at_most_tokens": sum(each.tokens for each in self.lost),
            "at_most_requests": len(self.lost),
        }


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
    place = msgspec.json.encode((prompt, question.game, question.hand, question.decision, question.attempt))
    return Exchange(
        key=sha256(settings + place).hexdigest(),
        participant=participant,
        game=question.game,
        hand=question.hand,
        decision=question.decision,
        attempt=question.attempt,
        prompt_hash=prompt,
        asked=question.said,
        outcome="transport",
        text="",
    )
