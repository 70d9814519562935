"""The replies of a run on file: what its games are replayed from, and why nobody is asked, or paid, twice.

Every reply is written before the game uses it. So a game that was cut off goes on at the decision that was open, and a
run is verified without the models, programs and servers that played in it. `exchanges.jsonl` holds the replies of
language models, `answers.jsonl` those of programs and servers.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Self, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.agents.llm.money.ledger import Entry, keys_of
from molt_bench.agents.llm.types import Exchange, SentBatch
from molt_bench.errors import FaultKind, JournalError, RunHalted
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.runs.line_file import LineStore, Warn
from molt_bench.specs import GameLabel

#: The format of both files of replies.
FORMAT: Final = 1
#: The file of the batches in which requests were submitted.
BATCHES: Final = "batches.jsonl"
#: The file of what requests can cost, before they are sent. A run that ends with all of them settled has none.
RESERVATIONS: Final = "reservations.jsonl"

T = TypeVar("T")
_encode: Final = msgspec.json.Encoder().encode


class ExchangeHeader(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line: the format version, each participant's system prompt, and its harness with its version."""

    format: int
    skills: dict[str, str]
    harnesses: dict[str, str] = {}


class RepliesHeader(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line.

    Attributes:
        format: The format version.
        since: The lines of the journal when recording began; games in those were played by a version that recorded no
            answers.
    """

    format: int
    since: int = 0


class ReplyFault(msgspec.Struct, frozen=True):
    """Why there was no usable answer, as the game was told."""

    kind: FaultKind
    message: str


#: What came of a question.
Outcome: TypeAlias = Action | ReplyFault


class RecordedReply(msgspec.Struct, frozen=True, kw_only=True, tag="answer", tag_field="line", rename="camel"):
    """One question to an agent and its outcome, as the file has it: an action or a fault.

    Attributes:
        key: Identifies the question: participant, game, hand, decision, attempt, and all that was seen.
        decision: Number of actions in the hand before this decision.
        attempt: Number of the attempt at the decision, from 1.
        seconds: How long it took.
    """

    key: str
    participant: str
    game: GameLabel
    hand: int
    decision: int
    attempt: int
    action: Action | UnsetType = UNSET
    fault: ReplyFault | UnsetType = UNSET
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if (self.action is UNSET) is (self.fault is UNSET):
            raise ValueError("expected an action or a fault")

    @property
    def outcome(self) -> Outcome:
        """The action or the fault."""
        return self.action if self.action is not UNSET else self.fault  # type: ignore[return-value]


def reply_key(participant: str, game: GameLabel, observation: Observation, attempt: int) -> str:
    """Return what identifies a question; it differs from that of any other question in the run."""
    place = (participant, game, observation.hand_number, len(observation.log), attempt)
    return sha256(_encode((place, observation))).hexdigest()


def _reader(lines: Any) -> Callable[[bytes, str], Any]:
    """Return what parses a line of a file, and raises JournalError, naming its place, if that cannot be done."""
    decoder = msgspec.json.Decoder(lines)

    def read(text: bytes, place: str) -> Any:
        try:
            line = decoder.decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise JournalError(f"{place} is damaged: {error}") from error
        if isinstance(line, ExchangeHeader | RepliesHeader) and line.format != FORMAT:
            raise JournalError(f"{place} has format {line.format}; this version reads format {FORMAT}")
        return line

    return read


#: Parse one line of a file, named by its place.
read_exchange: Final[Callable[[bytes, str], ExchangeHeader | Exchange]] = _reader(ExchangeHeader | Exchange)
read_reply: Final[Callable[[bytes, str], RepliesHeader | RecordedReply]] = _reader(RepliesHeader | RecordedReply)


class Replies:
    """The replies of programs and servers in the games of a run that are not finished: in memory, and in a file.

    Attributes:
        begun: Whether an earlier session of the run has recorded replies.
        read_only: Whether nobody may be asked: a missing reply is an error.
        on_disk: Whether they are also written to a file.
        problem: Why a reply could not be written, if one could not.

    Args:
        path: A new file; None keeps them in memory only. To continue a file see `reopen`.
    """

    def __init__(self, path: str | None = None) -> None:
        self.begun = False
        self.read_only = False
        self.on_disk = path is not None
        self.problem: str | None = None
        self._known: dict[GameLabel, dict[str, Outcome]] = {}
        self._played: Mapping[GameLabel, int] = {}
        self._since = 0
        self._store = None if path is None else _reply_store(path, read_only=False)
        if self._store is not None:
            self._store.create()

    @classmethod
    def reopen(
        cls, path: str, *, played: Mapping[GameLabel, int], read_only: bool = False, every_game: bool = False
    ) -> Self:
        """Continue a file, or only read it; with `every_game`, also the replies in finished games.

        Runs of early versions have no such file. `played` are the games of the journal, with the numbers of their
        lines. Raises JournalError if the file cannot be read, or a line is damaged.
        """
        found = cls()
        found.read_only, found.on_disk, found._played = read_only, not read_only, played
        found._store = store = _reply_store(path, read_only=read_only)
        try:
            for number, (place, line) in enumerate(store.earlier(), start=1):
                found._take(line, place, first=number == 1, every_game=every_game)
        except JournalError:
            store.close()
            raise
        store.create()
        return found

    def _take(self, line: RepliesHeader | RecordedReply, place: str, *, first: bool, every_game: bool) -> None:
        if isinstance(line, RepliesHeader) is not first:
            raise JournalError(f"{place}: expected {'the header of the file' if first else 'an answer'}")
        if isinstance(line, RepliesHeader):
            self.begun, self._since = True, line.since
        elif every_game or line.game not in self._played:
            if self.find(line.game, line.key) not in (None, line.outcome):
                raise JournalError(f"{place} answers a question that an earlier line answers in another way")
            self._keep(line)

    def _keep(self, reply: RecordedReply) -> None:
        self._known.setdefault(reply.game, {})[reply.key] = reply.outcome

    def begin(self, journal_lines: int) -> None:
        """Begin to record, unless an earlier session did; `journal_lines` is the length of the journal by now.

        Raises RunHalted if that cannot be written.
        """
        if not self.begun and self.on_disk:
            self._since = journal_lines
            self._write(RepliesHeader(FORMAT, journal_lines))
            self.sync()

    def covers(self, game: GameLabel) -> bool:
        """Return whether the replies in a game are recorded, or will be."""
        if self.read_only and not self.begun:
            return False
        return game not in self._played or self._played[game] > self._since

    def knows(self, game: GameLabel) -> bool:
        """Return whether somebody has replied in a game before."""
        return game in self._known

    def find(self, game: GameLabel, key: str) -> Outcome | None:
        """Return the outcome of a question, if it has been asked."""
        return self._known.get(game, {}).get(key)

    def add(self, reply: RecordedReply) -> None:
        """Record a reply; it is handed to the system before this returns. Raises RunHalted if it cannot be."""
        self._write(reply)
        self._keep(reply)

    def _write(self, line: RepliesHeader | RecordedReply) -> None:
        if self._store is None:
            return
        if self.read_only:
            raise RunHalted(f"{self._store.path} is not open for writing")
        self._store.append(_encode(line))
        self.problem = self.problem or self._store.problem
        if self.problem is not None:
            raise RunHalted(self.problem)

    def forget(self, game: GameLabel) -> None:
        """Drop the replies in a finished game."""
        self._known.pop(game, None)

    def sync(self) -> None:
        """Flush everything to disk."""
        if self._store is not None:
            self._store.sync()

    def close(self) -> None:
        """Close any open file."""
        if self._store is not None:
            self._store.close()


def _reply_store(path: str, *, read_only: bool) -> LineStore[RepliesHeader | RecordedReply]:
    return LineStore(Path(path), read_reply, read_only=read_only, meanwhile="nobody is asked before there is room")


class ExchangeFile(Exchanges):
    """The exchanges with the models of a run: in memory, and in files; `warn` is called if one cannot be written."""

    def __init__(self, path: str, *, read_only: bool = False, new: bool = True, warn: Warn | None = None) -> None:
        super().__init__()
        self.read_only = read_only
        self.on_disk = not read_only

        def store(name: str, read: Callable[[bytes, str], T]) -> LineStore[T]:
            meanwhile = "no model is asked until there is room"
            return LineStore(Path(path).with_name(name), read, read_only=read_only, warn=warn, meanwhile=meanwhile)

        self._lines = store(Path(path).name, read_exchange)
        self._batch_lines = store(BATCHES, _reader(SentBatch))
        self._reservations = store(RESERVATIONS, _reader(Entry))
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
        there = Path(path).exists()
        found = cls(path, read_only=read_only, new=False, warn=warn)
        try:
            found._take(unfinished)
            entries = [entry for _, entry in found._reservations.earlier()]
            if entries:
                found.ledger.take(entries, keys_of(exchange.key for exchange in found.earlier))
            if there and not read_only:
                for _, batch in found._batch_lines.earlier():
                    Exchanges.add_batch(found, batch)
            found._lines.create()
        except JournalError:
            found._close()
            raise
        return found

    def _take(self, unfinished: Callable[[GameLabel], bool]) -> None:
        keys = set()
        for _, line in self._lines.earlier():
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
            self._lines.append(_encode(ExchangeHeader(FORMAT, skills, harnesses)))
            if self.problem is not None:
                raise JournalError(self.problem)

    def add(self, exchange: Exchange) -> None:
        """Record an exchange; it is handed to the operating system before this returns, if there is room."""
        super().add(exchange)
        self._lines.append(_encode(exchange))

    def add_batch(self, batch: SentBatch) -> None:
        """Record a batch; raises JournalError if there is no room, since it might be paid for twice."""
        super().add_batch(batch)
        self._batch_lines.append(_encode(batch))
        if self._batch_lines.opened and not self._batch_lines.sync():
            raise JournalError(self._batch_lines.problem or f"{self._batch_lines.path} cannot be written")

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
        settled = self.problem is None and not self.ledger.unaccounted.requests
        self._close()
        if self._reservations.opened and settled:
            Path(self._reservations.path).unlink(missing_ok=True)

    def _close(self) -> None:
        for store in (self._lines, self._batch_lines, self._reservations):
            store.close()
