"""A request to a model: who is asked, what it says, and what it may cost."""

from collections.abc import Callable
from itertools import chain
from typing import Any, Final

from molt_bench.agents.llm.exchange import Exchange, Tokens, settings_hash
from molt_bench.agents.llm.money.budget import Reservation, Reserve
from molt_bench.agents.llm.money.prices import PriceList
from molt_bench.agents.llm.sending.redaction import Keys
from molt_bench.agents.llm.sending.wire import Capture
from molt_bench.agents.llm.settings import LLMSettings, OutputMode
from molt_bench.agents.llm.talk.question import ToolStep, Turn

#: Bytes that the description of a tool takes.
_BYTES_OF_TOOL: Final = 1000


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
        key: The key of its exchange, if it may go in a batch.
        entry: The key of its exchange, by which its reservation is on file.
        game: The game that it is asked in.
        most: The most it can cost, as reserved when it was last sent.
        tokens: What its replies have taken so far; there are several only where our own limit cut one off.
        cost_usd: What they cost; None where no price is known.
        exceeded: Whether the last one took more than was reserved for it.
        started: When it was last sent, by the event loop's clock.
        lost: What it may have cost at most, each time that is not known.
        without: Fields that were left out when it was last sent.
        capture: What went over the wire when it was last sent.
        keys: What is cut out of that.
    """

    def __init__(
        self,
        asked: Participant,
        system: str,
        message: str,
        mode: OutputMode,
        *,
        max_tokens: int | None = None,
        earlier: tuple[Turn, ...] = (),
        steps: tuple[ToolStep, ...] = (),
        key: str = "",
        exchange: Exchange,
    ) -> None:
        self.asked = asked
        self.system = system
        self.message = message
        self.earlier = earlier
        self.mode = mode
        self.max_tokens = max_tokens
        self.key = key
        self.entry, self.game = exchange.key, exchange.game
        self.steps = steps
        said = [each.turn + "".join(each.answers) for each in steps]
        about_tools = _BYTES_OF_TOOL * len(asked.settings.tools)
        texts = (system, message, *chain.from_iterable(earlier), *said)
        self.sent_bytes = sum(len(text) if text.isascii() else len(text.encode()) for text in texts) + about_tools
        self.exceeded = False
        self.tries = 0
        self.started = self.latency_s = 0.0
        self.lost: list[Reservation] = []
        self.without: frozenset[str] = frozenset()
        self.capture = Capture()
        self.keys = Keys()
        self.most = Reservation()
        self.tokens = Tokens()
        self.cost_usd: float | None = None

    def reserved(self) -> Reservation:
        """Return the most that it can cost, as far as is known now."""
        return self.asked.reserve.most(self.sent_bytes, self.max_tokens)

    def losses(self) -> dict[str, Any]:
        """Return the fields of an exchange that say what this may have cost, where that is not known."""
        if not self.lost:
            return {}
        return {
            "at_most_usd": sum(each.usd for each in self.lost),
            "at_most_tokens": sum(each.tokens for each in self.lost),
            "at_most_requests": len(self.lost),
        }


class Teller:
    """Tells the user something, if anybody listens."""

    def __init__(self, listener: Callable[[str], None] | None) -> None:
        self._listener = listener
        self._said: set[str] = set()

    def __call__(self, text: str) -> None:
        """Tell something."""
        if self._listener is not None:
            self._listener(text)

    def once(self, text: str, *, about: str = "") -> None:
        """Tell something, unless it was told before, or something else about the same."""
        if (about or text) not in self._said:
            self._said.add(about or text)
            self(text)
