"""The exchanges of a run, held in memory."""

from molt_bench.llm.money.ledger import Ledger
from molt_bench.llm.types import Exchange
from molt_bench.specs import GameLabel


class Exchanges:
    """The exchanges of a run, held in memory. `molt_bench.runs.exchange_file` keeps them in a file as well.

    Attributes:
        skills: The system prompt of every participant, once it is known.
        read_only: Whether no model may be asked: a missing exchange is an error.
        on_disk: Whether they are also written to a disk.
        earlier: The exchanges of earlier sessions, in order.
        ledger: What requests can cost, before they are sent.
    """

    def __init__(self) -> None:
        self.skills: dict[str, str] = {}
        self.read_only = False
        self.on_disk = False
        self.earlier: list[Exchange] = []
        self.ledger = Ledger()
        self._known: dict[GameLabel, dict[str, Exchange]] = {}

    def begin(self, skills: dict[str, str]) -> None:
        """Record the system prompts, unless they are known already."""
        if not self.skills:
            self.skills = skills

    def find(self, game: GameLabel, key: str) -> Exchange | None:
        """Return the exchange with this key, if there is one."""
        return self._known.get(game, {}).get(key)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange."""
        self.ledger.settle(exchange.key)
        self._known.setdefault(exchange.game, {})[exchange.key] = exchange

    def forget(self, game: GameLabel) -> None:
        """Drop the exchanges of a finished game."""
        self._known.pop(game, None)

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
