"""The exchanges of a run on file: what it is replayed from, and why no call is ever paid for twice.

Every reply is written to the file before it is used.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from msgspec import UNSET

from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.agents.llm.money.ledger import Entry, keys_of
from molt_bench.agents.llm.types import Exchange, SentBatch
from molt_bench.errors import JournalError
from molt_bench.runs.line_file import LineFile, Warn, whole_lines
from molt_bench.specs import GameLabel

FORMAT: Final = 1
#: The file of the batches in which requests were submitted.
BATCHES: Final = "batches.jsonl"
#: The file of what requests can cost, before they are sent. A run that ends with all of them settled has none.
RESERVATIONS: Final = "reservations.jsonl"


class ExchangeHeader(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line: the format version, each participant's system prompt, and its harness with its version."""

    format: int
    skills: dict[str, str]
    harnesses: dict[str, str] = {}


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(ExchangeHeader | Exchange)
_batches: Final = msgspec.json.Decoder(SentBatch)
_entries: Final = msgspec.json.Decoder(Entry)


def read_exchange(text: bytes, where: str) -> ExchangeHeader | Exchange:
    """Parse one line of the file; raises JournalError, naming the place, if it is damaged or has another format."""
    try:
        line: ExchangeHeader | Exchange = _decoder.decode(text)
    except (msgspec.DecodeError, ValueError) as error:
        raise JournalError(f"{where} is damaged: {error}") from error
    if isinstance(line, ExchangeHeader) and line.format != FORMAT:
        raise JournalError(f"{where} has format {line.format}; this version reads format {FORMAT}")
    return line


class ExchangeFile(Exchanges):
    """The exchanges of a run, in memory and in a file."""

    def __init__(self, path: str, *, new: bool = True, read_only: bool = False, warn: Warn | None = None) -> None:
        """Start a new file, or continue one; `warn` is called if a line cannot be written."""
        super().__init__()
        self.read_only = read_only
        self.on_disk = not read_only
        meanwhile = "no model is asked until there is room"
        self._file = None if read_only else LineFile(path, new=new, warn=warn, meanwhile=meanwhile)
        self._batch_path = Path(path).with_name(BATCHES)
        self._batch_file: LineFile | None = None
        self._reservation_path = Path(path).with_name(RESERVATIONS)
        self._reservation_file: LineFile | None = None
        self._warn = warn
        if not read_only:
            self.ledger.append = self._write_reservation

    @classmethod
    def reopen(
        cls, path: str, *, read_only: bool = False, warn: Warn | None = None, unfinished: Callable[[GameLabel], bool]
    ) -> "ExchangeFile":
        """Continue a file, or only read it; raises JournalError if it cannot be read, or a line is damaged.

        Args:
            path: The file; it may not exist yet if the run ended before the first question.
            read_only: Whether models must not be asked.
            warn: Called if a line cannot be written.
            unfinished: Returns whether a game may still be played; its replies are then kept in memory.
        """
        there = Path(path).exists()
        found = cls(path, new=not there, read_only=read_only, warn=warn)
        try:
            lines, size = whole_lines(path) if there else ([], 0)
            found._take(path, lines, unfinished)
            found._take_reservations()
        except JournalError:
            found.close()
            raise
        if there and found._file is not None:
            found._file.cut(size)
            found._take_batches()
        return found

    def _take_reservations(self) -> None:
        """Read what earlier sessions reserved, and continue that file, if there is one."""
        path = str(self._reservation_path)
        if not self._reservation_path.exists():
            return
        lines, size = whole_lines(path)
        try:
            entries = [_entries.decode(text) for text in lines]
        except (msgspec.DecodeError, ValueError) as error:
            raise JournalError(f"{path} is damaged: {error}") from error
        self.ledger.take(entries, keys_of(exchange.key for exchange in self.earlier))
        if not self.read_only:
            self._reservation_file = LineFile(path, new=False, warn=self._warn)
            self._reservation_file.cut(size)

    def _write_reservation(self, line: bytes) -> None:
        if self._reservation_file is None:
            path = str(self._reservation_path)
            meanwhile = "no model is asked until there is room"
            self._reservation_file = LineFile(path, warn=self._warn, meanwhile=meanwhile)
        self._reservation_file.append(line)

    def _take_batches(self) -> None:
        """Continue the file of batches, if there is one."""
        path = str(self._batch_path)
        if not self._batch_path.exists():
            return
        lines, size = whole_lines(path)
        try:
            for text in lines:
                super().add_batch(_batches.decode(text))
        except (msgspec.DecodeError, ValueError) as error:
            raise JournalError(f"{path} is damaged: {error}") from error
        self._batch_file = LineFile(path, new=False)
        self._batch_file.cut(size)

    def add_batch(self, batch: SentBatch) -> None:
        """Record a batch; raises JournalError if there is no room, since it might be paid for twice."""
        super().add_batch(batch)
        if self.read_only:
            return
        if self._batch_file is None:
            self._batch_file = LineFile(str(self._batch_path))
        self._batch_file.append(_encoder.encode(batch))
        if not self._batch_file.sync():
            raise JournalError(self._batch_file.problem or f"{self._batch_path} cannot be written")

    def _take(self, path: str, lines: list[bytes], unfinished: Callable[[GameLabel], bool]) -> None:
        keys = set()
        for number, text in enumerate(lines, start=1):
            line = read_exchange(text, f"{path} line {number}")
            if isinstance(line, ExchangeHeader):
                self.skills, self.harnesses = line.skills, line.harnesses
                continue
            if line.key in keys:  # a copy of a line is one exchange, paid for once
                continue
            keys.add(line.key)
            # The text is only needed where it may be read again, and what went over the wire never.
            kept = unfinished(line.game)
            line = msgspec.structs.replace(line, wire=UNSET)
            self.earlier.append(line if kept else msgspec.structs.replace(line, text=""))
            if kept:
                super().add(line)

    def begin(self, skills: dict[str, str], harnesses: dict[str, str]) -> None:
        """Write the first line, unless it is already there; raises JournalError if there is no room even for that."""
        if not self.skills:
            super().begin(skills, harnesses)
            self._write(ExchangeHeader(FORMAT, skills, harnesses))
            if self.problem is not None:
                raise JournalError(self.problem)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange; it is handed to the operating system before this returns, if there is room."""
        super().add(exchange)
        self._write(exchange)

    def _write(self, line: ExchangeHeader | Exchange) -> None:
        if self._file is not None:
            self._file.append(_encoder.encode(line))

    @property
    def held(self) -> int:
        """Number of exchanges and reservations that there is no room for yet."""
        return sum(file.held for file in (self._file, self._reservation_file) if file is not None)

    def write_held(self) -> None:
        """Write the exchanges that there was no room for."""
        for file in (self._file, self._reservation_file):
            if file is not None:
                file.write_held()

    def sync(self) -> None:
        """Flush everything to disk."""
        if self._file is not None:
            self._file.sync()

    @property
    def problem(self) -> str | None:
        """Why exchanges are missing from the file, if any are."""
        problems = [file.problem for file in (self._file, self._reservation_file) if file is not None]
        return next((each for each in problems if each is not None), None)

    @property
    def unsaved(self) -> int:
        """Number of those that are replies."""
        return self._file.held if self._file is not None else 0

    def close(self) -> None:
        """Close the files; that of reservations is removed if all of them are settled, by what is written."""
        written = self.problem is None
        for file in (self._file, self._batch_file, self._reservation_file):
            if file is not None:
                file.close()
        if self._reservation_file is not None and written and not self.ledger.unaccounted.requests:
            self._reservation_path.unlink(missing_ok=True)
