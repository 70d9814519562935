"""Where the gateway keeps exchanges; `molt_bench.runs.replies` keeps them in a file."""

from collections.abc import Mapping
from typing import Protocol

from molt_bench.llm.ledger import Ledger
from molt_bench.llm.types import Exchange
from molt_bench.specs import GameLabel


class Recorder(Protocol):
    """Keeps the exchanges of a run, and what requests may cost; raises RunHalted where that cannot be written.

    Attributes:
        skills: The system prompt of every participant, once it is known.
        read_only: Whether no model may be asked: a missing exchange is an error.
        earlier: The exchanges of earlier sessions, in order.
        sent_bytes: Bytes of what was said in each of those, by key.
        ledger: What requests can cost, before they are sent.
    """

    skills: dict[str, str]
    read_only: bool
    earlier: list[Exchange]
    sent_bytes: dict[str, int]
    ledger: Ledger

    def begin(self, skills: Mapping[str, str]) -> None:
        """Record the system prompts that are not known yet."""

    def find(self, game: GameLabel, key: str) -> Exchange | None:
        """Return the exchange with this key, if there is one."""

    def add(self, exchange: Exchange) -> None:
        """Record an exchange."""
