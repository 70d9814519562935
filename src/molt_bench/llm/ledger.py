"""The record of a run's questions, and its ledger: what each may cost, on file before it is sent.

So a run that is killed hides nothing. A question is put down with what the longest reply of its model so far would
cost, and settled by the exchange that is recorded for it. What is not settled when a session ends was sent, and may
have been billed: it counts, until the question is asked again and its exchange tells. If the user knows better, it is
forgotten.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Final, Protocol, TypeAlias

import msgspec

from molt_bench.llm.types import Exchange, Unaccounted
from molt_bench.specs import GameLabel

#: Characters of a key that are kept: enough to tell all questions of a run apart.
_KEY: Final = 20
#: What may have been paid; less than nothing would be credit.
_Usd: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]
_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Sent(msgspec.Struct, frozen=True, tag="sent", tag_field="line"):
    """What a question may have cost by now, all of its requests together; the last line of a question counts.

    Attributes:
        key: The beginning of its exchange's key.
        requests: How many requests that is; none if the last one came to nothing, and cost nothing.
        usd: What they may cost.
        tokens: The same in tokens.
    """

    key: str
    requests: _Count
    usd: _Usd
    tokens: _Count


class Forgotten(msgspec.Struct, frozen=True, tag="forgotten", tag_field="line"):
    """The user knows that nothing was billed for what is unaccounted before this line."""


#: A line of the ledger.
Entry: TypeAlias = Sent | Forgotten


class Ledger:
    """What the questions of a run may cost; `write` puts down a line."""

    def __init__(self, write: Callable[[Entry], None] = lambda _: None) -> None:
        self._write = write
        self._open: dict[str, Unaccounted] = {}
        self._lost = Unaccounted()

    def take(self, entry: Entry) -> None:
        """Take a line; those of earlier sessions in their order, with the exchanges between them settled."""
        if isinstance(entry, Sent):
            self._open[entry.key] = Unaccounted(entry.requests, entry.usd, entry.tokens)
        else:
            self._open, self._lost = {}, Unaccounted()

    def put(self, key: str, lost: Unaccounted) -> None:
        """Put down what a question may have cost by now."""
        self._note(Sent(key[:_KEY], lost.requests, lost.usd, lost.tokens))

    def left_open(self, key: str) -> Unaccounted:
        """Return what a question may have cost that is not settled."""
        return self._open.get(key[:_KEY], Unaccounted())

    def settle(self, exchange: Exchange) -> None:
        """Take note that an exchange is recorded, with all that its requests cost or may have cost."""
        self._open.pop(exchange.key[:_KEY], None)
        self._lost += exchange.lost

    def forget(self) -> None:
        """Forget what is unaccounted so far: the user knows that it was not billed."""
        self._note(Forgotten())

    @property
    def unaccounted(self) -> Unaccounted:
        """What is not settled, and what exchanges say was lost."""
        return sum(self._open.values(), self._lost)

    def _note(self, entry: Entry) -> None:
        self.take(entry)
        self._write(entry)


class Recorder(Protocol):
    """Keeps the exchanges of a run, and what requests may cost; raises RunHalted where that cannot be written.

    Attributes:
        skills: The system prompt of every participant, once it is known.
        read_only: Whether no model may be asked: a missing exchange is an error.
        earlier: The exchanges of earlier sessions, in order.
        ledger: What requests can cost, before they are sent.
    """

    skills: dict[str, str]
    read_only: bool
    earlier: list[Exchange]
    ledger: Ledger

    def begin(self, skills: Mapping[str, str]) -> None:
        """Record the system prompts that are not known yet."""

    def find(self, game: GameLabel, key: str) -> Exchange | None:
        """Return the exchange with this key, if there is one."""

    def add(self, exchange: Exchange) -> None:
        """Record an exchange."""
