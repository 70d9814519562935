"""A request to a model: who is asked, what it says, and what it may cost."""

from collections.abc import Iterable
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from molt_bench.llm.prompt import prompt_hash
from molt_bench.llm.purse import Amount, Hold, ReplyCosts
from molt_bench.llm.rate_limits import ModelLimit
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import NOTHING_LOST, Exchange, Said, Unaccounted
from molt_bench.specs import GameLabel

if TYPE_CHECKING:  # it needs the extra llm
    from molt_bench.llm.client import ModelClient


class AskedModel:
    """A model as one participant asks it.

    Attributes:
        settings: The model and how it is asked.
        skill: Its system prompt; "" where messages have one of their own.
        form: The form of its replies, with its version; "" where a participant's own code reads them.
        hash: The hash of the participant and of those settings that decide a reply.
        rate: How many requests it gets at once.
        replies: What its replies take.
        client: Sends its requests; None before it is asked first.
        answered: Whether it has answered a question.
        refusals: Prompts that it has refused in a row.
    """

    def __init__(
        self,
        participant: str,
        settings: LLMSettings,
        rate: ModelLimit,
        replies: ReplyCosts,
        *,
        skill: str = "",
        form: str = "",
    ) -> None:
        self.participant, self.settings, self.skill, self.form = participant, settings, skill, form
        self.hash = settings_hash(participant, settings)
        self.rate, self.replies = rate, replies
        self.client: ModelClient | None = None
        self.answered = False
        self.refusals = 0

    def __str__(self) -> str:
        return f"{self.participant} ({self.settings.model})"

    def question(
        self, game: GameLabel, said: tuple[Said, ...], *, hand: int = 0, decision: int = 0, attempt: int = 0
    ) -> Exchange:
        """Return the exchange for a question as long as there is no reply.

        Its key differs from that of any other question in the run, whatever that says.
        """
        prompt = prompt_hash(self.form, self.skill if attempt else "", said)
        return Exchange(
            key=sha256(self.hash + msgspec.json.encode((prompt, game, hand, decision, attempt))).hexdigest(),
            participant=self.participant,
            game=game,
            hand=hand,
            decision=decision,
            attempt=attempt,
            prompt_hash=prompt,
            asked=said,
            outcome="transport",
            text="",
        )


def settings_hash(participant: str, settings: LLMSettings) -> bytes:
    """Return the hash of a participant and of those of its settings that decide a reply."""
    content = {"participant": participant, **settings.decisive()}
    return sha256(msgspec.json.encode(content, order="sorted")).digest()


class Request:
    """One request, sent until it is answered: what is asked, and what became of it.

    Attributes:
        exchange: What is recorded of it once there is a reply, or none is to be had.
        messages: All that is said.
        hold: What it holds of the money, as it was last sent.
        least: How many tokens its reply needs, if a limit of ours has cut one off.
        lost: What it is taken to have cost where that is not known, in this session and before.
        tries: How often it was sent.
        started: When it was last sent, by the event loop's clock.
        latency_s: Seconds until that was answered.
    """

    def __init__(self, asked: AskedModel, exchange: Exchange, lost: Unaccounted) -> None:
        self.asked, self.exchange, self.lost = asked, exchange, lost
        system = (Said("system", asked.skill),) if asked.skill and exchange.attempt else ()
        self.messages = (*system, *exchange.asked)
        self.sent_bytes = bytes_of(self.messages)
        self.hold = Hold()
        self.least = self.tries = 0
        self.started = self.latency_s = 0.0

    def wanted(self, room: Amount) -> Hold | None:
        """Return what it holds of the room that is left, as far as is known now; None if there is too little."""
        return self.asked.replies.hold(self.sent_bytes, room, least=self.least)

    def may_cost(self) -> Unaccounted:
        """Return what it is taken to have cost once it is sent again."""
        longest = self.hold.longest
        return self.lost + Unaccounted(1, longest.usd, round(longest.tokens))

    def cut_short(self, least: int) -> Exchange:
        """Begin again with room for a longer reply; return the exchange for the one that a limit of ours cut off.

        That is no answer, and is paid for.
        """
        key = sha256(f"{self.exchange.key} cut off {self.tries}".encode()).hexdigest()
        found = msgspec.structs.replace(self.exchange, key=key, attempt=0)
        self.least, self.lost = least, NOTHING_LOST
        return found


def bytes_of(messages: Iterable[Said]) -> int:
    """Return how many bytes messages have."""
    return sum(len(each.text.encode()) for each in messages)
