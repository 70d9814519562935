"""The exchanges with language models on file (`exchanges.jsonl`): games are replayed from them, and none is paid twice.

Every reply is written before the game uses it; so is what requests can cost.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Self, TypeVar

import msgspec

from molt_bench.errors import JournalError
from molt_bench.llm.exchanges import Exchanges
from molt_bench.llm.money.ledger import Entry, keys_of
from molt_bench.llm.types import Exchange
from molt_bench.runs.line_file import LineStore, Warn
from molt_bench.runs.reply_lines import FORMAT, encode, line_reader
from molt_bench.specs import GameLabel

#: The file of what requests can cost, before they are sent. A run that ends with all of them settled has none.
RESERVATIONS: Final = "reservations.jsonl"

T = TypeVar("T")


class ExchangeHeader(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line: the format version, and each participant's system prompt."""

    format: int
    skills: dict[str, str]


#: Parse one line of the file, named by its place.
read_exchange: Final[Callable[[bytes, str], ExchangeHeader | Exchange]] = line_reader(
    ExchangeHeader | Exchange, ExchangeHeader
)


class ExchangeFile(Exchanges):
    """The exchanges with the models of a run: in memory, and in files; `warn` is called if one cannot be written."""

    def __init__(self, path: str, *, read_only: bool = False, new: bool = True, warn: Warn | None = None) -> None:
        super().__init__()
        self.read_only = read_only
        self.on_disk = not read_only
        self._begun = False

        def store(name: str, read: Callable[[bytes, str], T]) -> LineStore[T]:
            meanwhile = "no model is asked until there is room"
            return LineStore(Path(path).with_name(name), read, read_only=read_only, warn=warn, meanwhile=meanwhile)

        self._lines = store(Path(path).name, read_exchange)
        self._reservations = store(RESERVATIONS, line_reader(Entry))
        if new:
            self._lines.create()
        if not read_only:
            self.ledger.append = self._reservations.append

    @classmethod
    def reopen(
        cls, path: str, *, read_only: bool = False, warn: Warn | None = None, unfinished: Callable[[GameLabel], bool]
    ) -> Self:
        """Continue a file, or only read it; it may not exist yet if the run ended before the first question.

        The replies in games that are `unfinished`, which may still be played, are kept in memory. Raises JournalError
        if the file cannot be read, or a line is damaged.
        """
        found = cls(path, read_only=read_only, new=False, warn=warn)
        try:
            found._take(unfinished)
            entries = [entry for _, entry in found._reservations.earlier()]
            if entries:
                found.ledger.take(entries, keys_of(exchange.key for exchange in found.earlier))
            found._lines.create()
        except JournalError:
            found._close()
            raise
        return found

    def _take(self, unfinished: Callable[[GameLabel], bool]) -> None:
        keys = set()
        for _, line in self._lines.earlier():
            if isinstance(line, ExchangeHeader):
                self.skills, self._begun = line.skills, True
                continue
            if line.key in keys:  # a copy of a line is one exchange, paid for once
                continue
            keys.add(line.key)
            # The text is only needed where it may be read again, and what was asked and thought never.
            kept = unfinished(line.game)
            line = msgspec.structs.replace(line, asked=(), thoughts="", text=line.text if kept else "")
            self.earlier.append(line)
            if kept:
                super().add(line)

    def begin(self, skills: dict[str, str]) -> None:
        """Write the first line, unless it is already there; raises JournalError if there is no room even for that."""
        if not self._begun:
            self._begun = True
            super().begin(skills)
            self._lines.append(encode(ExchangeHeader(FORMAT, skills)))
            if self.problem is not None:
                raise JournalError(self.problem)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange; it is handed to the operating system before this returns, if there is room."""
        super().add(exchange)
        self._lines.append(encode(exchange))

    @property
    def held(self) -> int:
        """Number of exchanges and reservations that there is no room for yet."""
        return self._lines.held + self._reservations.held

    @property
    def unsaved(self) -> int:
        """Number of those that are replies."""
        return self._lines.held

    def write_held(self) -> None:
        """Write the exchanges that there was no room for."""
        self._lines.write_held()
        self._reservations.write_held()

    def sync(self) -> None:
        """Flush everything to disk."""
        self._lines.sync()

    @property
    def problem(self) -> str | None:
        """Why exchanges are missing from the file, if any are."""
        return self._lines.problem or self._reservations.problem

    def close(self) -> None:
        """Close the files; that of reservations is removed if all of them are settled, by what is written."""
        settled = self.problem is None and self.ledger.settled
        self._close()
        if self._reservations.opened and settled:
            Path(self._reservations.path).unlink(missing_ok=True)

    def _close(self) -> None:
        self._lines.close()
        self._reservations.close()
