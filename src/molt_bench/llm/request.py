"""A request to a model: who is asked, what it says, and what it may cost."""

from hashlib import sha256

import msgspec

from molt_bench.llm.money.ledger import NOTHING_LOST, Unaccounted
from molt_bench.llm.money.prices import PriceList
from molt_bench.llm.money.reply_costs import Amount, Hold, ReplyCosts
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import Exchange, Prompt, Question


class Participant:
    """One participant that is a model: its settings, its system prompt, and what its replies take."""

    def __init__(
        self, name: str, settings: LLMSettings, skill: str, prices: PriceList, *, limited: bool = False
    ) -> None:
        self.name = name
        self.settings = settings
        self.skill = skill
        self.hash = settings_hash(name, settings)
        self.replies = ReplyCosts(settings, prices, limited=limited)

    def __str__(self) -> str:
        return f"{self.name} ({self.settings.model})"


class Request:
    """One request, sent until it is answered: what is asked, and what became of it.

    Attributes:
        prompt: What is said.
        entry: The key of its exchange, by which it is on file before it is sent.
        game: The game that it is asked in.
        hold: What it holds of the money, as it was last sent.
        exceeded: Whether the last reply took more than it was allowed to.
        started: When it was last sent, by the event loop's clock.
        lost: What it is taken to have cost, each time that is not known.
    """

    def __init__(self, asked: Participant, prompt: Prompt, exchange: Exchange) -> None:
        self.asked = asked
        self.prompt = prompt
        self.entry, self.game = exchange.key, exchange.game
        self.sent_bytes = sum(len(each.text.encode()) for each in prompt.said)
        self.exceeded = False
        self.tries = 0
        self.started = self.latency_s = 0.0
        self.lost: list[Amount] = []
        self._least = 0
        self.hold = Hold()

    def holds(self, room: Amount) -> Hold | None:
        """Return what it holds of the room that is left, as far as is known now; None if there is too little."""
        return self.asked.replies.hold(self.sent_bytes, room, trial=self.prompt.max_tokens, least=self._least)

    def begin_again(self, least: int) -> None:
        """Ask for a longer reply: a limit of ours has cut the last one off, which is on record with all it took."""
        self._least = least
        self.lost = []

    def losses(self) -> Unaccounted:
        """Return what this is taken to have cost where that is not known, as an exchange has it."""
        if not self.lost:
            return NOTHING_LOST
        usd, tokens = sum(each.usd for each in self.lost), sum(each.tokens for each in self.lost)
        return Unaccounted(len(self.lost), usd, round(tokens))


def cut_short(exchange: Exchange, request: Request) -> Exchange:
    """Return the exchange for a reply that a limit of ours cut off: it is no answer, and is paid for."""
    key = sha256(f"{exchange.key} cut off {request.tries}".encode()).hexdigest()
    return msgspec.structs.replace(exchange, key=key, attempt=0)


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
