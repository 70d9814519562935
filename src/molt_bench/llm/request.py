"""A request to a model: who is asked, what it says, and what it may cost."""

from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from molt_bench.errors import ConfigError
from molt_bench.extras import how_to_install
from molt_bench.llm.prompt import prompt_hash
from molt_bench.llm.purse import Amount, Hold
from molt_bench.llm.rate_limits import ModelLimit
from molt_bench.llm.reply_costs import ReplyCosts
from molt_bench.llm.settings import LLMSettings
from molt_bench.llm.types import NOTHING_LOST, Exchange, Said, Unaccounted
from molt_bench.specs import GameLabel

if TYPE_CHECKING:  # it needs the extra llm
    from molt_bench.llm.client import ModelClient


def new_client(settings: LLMSettings, *, keep_alive: bool = True, key: str | None = None) -> "ModelClient":
    """Return the client of a model; see `ModelClient`. Raises ConfigError if a package, key or provider is missing."""
    try:
        import genai_prices  # noqa: F401, PLC0415 - its prices are asked for with every reply

        from molt_bench.llm.client import ModelClient  # noqa: PLC0415 - its packages take long to load

        return ModelClient(settings, keep_alive=keep_alive, key=key)
    except ImportError as error:
        raise ConfigError("type", "llm", f"the extra that asks models: {how_to_install('llm')} ({error})") from error


class AskedModel:
    """A model as one participant asks it.

    Attributes:
        settings: The model and how it is asked.
        skill: Its system prompt; "" where messages have one of their own.
        hash: The hash of the participant and of those settings that decide a reply.
        rate: How many requests it gets at once.
        replies: What its replies take.
        answered: Whether it has answered a question.
        open: The client that sends its requests; None before it is asked first.

    Args:
        form: The form of its replies, with its version; "" where a participant's own code reads them.
        keep_alive: Whether its connections are kept for the next request.
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
        keep_alive: bool = True,
    ) -> None:
        self.participant, self.settings, self.skill, self._form = participant, settings, skill, form
        content = {"participant": participant, **settings.decisive()}
        self.hash = sha256(msgspec.json.encode(content, order="sorted")).digest()
        self.rate, self.replies = rate, replies
        self.answered = False
        self.open: ModelClient | None = None
        self._keep_alive = keep_alive

    def __str__(self) -> str:
        return f"{self.participant} ({self.settings.model})"

    @property
    def client(self) -> "ModelClient":
        """What sends its requests, made when it is asked first; raises ConfigError if it cannot be."""
        if self.open is None:
            self.open = new_client(self.settings, keep_alive=self._keep_alive)
        return self.open

    def question(
        self, game: GameLabel, said: tuple[Said, ...], *, hand: int = 0, decision: int = 0, attempt: int = 0
    ) -> Exchange:
        """Return the exchange for a question as long as there is no reply.

        Its key differs from that of any other question in the run, whatever that says.
        """
        prompt = prompt_hash(self._form, self.skill if attempt else "", said)
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


class Request:
    """One request, sent until it is answered: what is asked, and what became of it.

    Attributes:
        exchange: What is recorded of it once there is a reply, or none is to be had.
        messages: All that is said.
        sent_bytes: How long that is.
        hold: What it holds of the money, as it was last sent.
        lost: What it is taken to have cost where that is not known, in this session and before.
        tries: How often it was sent.
        started: When it was last sent, by the event loop's clock.
        latency_s: Seconds until that was answered.
    """

    def __init__(self, asked: AskedModel, exchange: Exchange, lost: Unaccounted) -> None:
        self.asked, self.exchange, self.lost = asked, exchange, lost
        system = (Said("system", asked.skill),) if asked.skill and exchange.attempt else ()
        self.messages = (*system, *exchange.asked)
        self.sent_bytes = sum(len(each.text.encode()) for each in self.messages)
        self.hold = Hold()
        self.tries = 0
        self.started = self.latency_s = 0.0
        self._least = 0

    def wanted(self, room: Amount) -> Hold | None:
        """Return what it holds of the room that is left, as far as is known now; None if there is too little."""
        return self.asked.replies.hold(self.sent_bytes, room, least=self._least)

    def lose(self, cost: Amount) -> Unaccounted:
        """Return what it is taken to have cost with one request more whose cost is not known."""
        return self.lost + Unaccounted(1, cost.usd, round(cost.tokens))

    def cut_short(self, least: int) -> Exchange:
        """Begin again with room for a longer reply; return the exchange for the one that a limit of ours cut off.

        That is no answer, and is paid for.
        """
        key = sha256(f"{self.exchange.key} cut off {self.tries}".encode()).hexdigest()
        found = msgspec.structs.replace(self.exchange, key=key, attempt=0)
        self._least, self.lost = least, NOTHING_LOST
        return found
