"""The replies of programs and servers on file (`answers.jsonl`): games are replayed from them, nobody is asked twice.

Every reply is written before the game uses it.
"""

from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path
from typing import Final, Self, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.errors import FaultKind, JournalError, RulesError, RunHalted
from molt_bench.poker.actions import Action
from molt_bench.poker.mix import Mix, mix_from_text
from molt_bench.poker.observation import Observation
from molt_bench.runs.line_file import LineStore
from molt_bench.runs.reply_lines import FORMAT, encode, line_reader
from molt_bench.specs import GameLabel


class RepliesHeader(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line.

    Attributes:
        format: The format version.
    """

    format: int


class ReplyFault(msgspec.Struct, frozen=True):
    """Why there was no usable answer, as the game was told."""

    kind: FaultKind
    message: str


#: What came of a question.
Outcome: TypeAlias = Action | Mix | ReplyFault


class RecordedReply(msgspec.Struct, frozen=True, kw_only=True, tag="answer", tag_field="line", rename="camel"):
    """One question to an agent and its outcome, as the file has it: an action, a mix or a fault.

    Attributes:
        key: Identifies the question: participant, game, hand, decision, attempt, and all that was seen.
        decision: Number of actions in the hand before this decision.
        attempt: Number of the attempt at the decision, from 1.
        mix: The mix as text; see `molt_bench.poker.mix`.
        seconds: How long it took.
    """

    key: str
    participant: str
    game: GameLabel
    hand: int
    decision: int
    attempt: int
    action: Action | UnsetType = UNSET
    mix: str | UnsetType = UNSET
    fault: ReplyFault | UnsetType = UNSET
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if [self.action, self.mix, self.fault].count(UNSET) != 2:
            raise ValueError("expected an action, a mix or a fault")
        if self.mix is not UNSET:
            try:
                mix_from_text(self.mix)
            except RulesError as error:
                raise ValueError(str(error)) from None

    @property
    def outcome(self) -> Outcome:
        """The action, the mix or the fault."""
        if self.mix is not UNSET:
            return mix_from_text(self.mix)
        return self.action if self.action is not UNSET else self.fault  # type: ignore[return-value]


def reply_key(participant: str, game: GameLabel, observation: Observation, attempt: int) -> str:
    """Return what identifies a question; it differs from that of any other question in the run."""
    place = (participant, game, observation.hand_number, len(observation.log), attempt)
    return sha256(encode((place, observation))).hexdigest()


#: Parse one line of the file, named by its place.
read_reply: Final[Callable[[bytes, str], RepliesHeader | RecordedReply]] = line_reader(
    RepliesHeader | RecordedReply, RepliesHeader
)


class Replies:
    """The replies of programs and servers in the games of a run that are not finished: in memory, and in a file.

    Attributes:
        begun: Whether an earlier session of the run has recorded replies.
        read_only: Whether nobody may be asked: a missing reply is an error.
        on_disk: Whether they are also written to a file.
        problem: Why a reply could not be written, if one could not.
        written: Lines written in this session.

    Args:
        path: A new file; None keeps them in memory only. To continue a file see `reopen`.
    """

    def __init__(self, path: str | None = None) -> None:
        self.begun = False
        self.read_only = False
        self.on_disk = path is not None
        self.problem: str | None = None
        self.written = 0
        self._known: dict[GameLabel, dict[str, Outcome]] = {}
        self._played: Collection[GameLabel] = ()
        self._store = None if path is None else _reply_store(path, read_only=False)
        if self._store is not None:
            self._store.create()

    @classmethod
    def reopen(
        cls, path: str, *, played: Collection[GameLabel], read_only: bool = False, every_game: bool = False
    ) -> Self:
        """Continue a file, or only read it; with `every_game`, also the replies in finished games.

        `played` are the games of the journal. Raises JournalError if the file cannot be read, or a line is damaged.
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
            self.begun = True
        elif every_game or line.game not in self._played:
            if self.find(line.game, line.key) not in (None, line.outcome):
                raise JournalError(f"{place} answers a question that an earlier line answers in another way")
            self._keep(line)

    def _keep(self, reply: RecordedReply) -> None:
        self._known.setdefault(reply.game, {})[reply.key] = reply.outcome

    def begin(self) -> None:
        """Begin to record, unless an earlier session did; raises RunHalted if that cannot be written."""
        if not self.begun and self.on_disk:
            self._write(RepliesHeader(FORMAT))
            self.sync()

    @property
    def recorded(self) -> bool:
        """Whether replies are recorded, or will be."""
        return self.begun or not self.read_only

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
        self._store.append(encode(line))
        self.problem = self.problem or self._store.problem
        if self.problem is not None:
            raise RunHalted(self.problem)
        self.written += 1

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
