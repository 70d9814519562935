"""The answers of programs and servers, in a file: what their games are replayed from, and why nobody is asked twice.

Every answer is written before the game uses it. So a game that was cut off goes on at the decision that was open, and a
run is verified without the programs and servers that played in it.
"""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.errors import FaultKind, JournalError, RunHalted
from molt_bench.poker.actions import Action
from molt_bench.poker.observation import Observation
from molt_bench.runs.line_file import LineFile, whole_lines
from molt_bench.specs import GameLabel

FORMAT: Final = 1
_MEANWHILE: Final = "nobody is asked before there is room"


class AnswersHeader(msgspec.Struct, frozen=True, tag="header", tag_field="line", rename="camel"):
    """The first line.

    Attributes:
        format: The format version.
        since: The lines of the journal when recording began; games in those were played by a version that recorded no
            answers.
    """

    format: int
    since: int = 0


class AnswerFault(msgspec.Struct, frozen=True):
    """Why there was no usable answer, as the game was told."""

    kind: FaultKind
    message: str


#: What came of a question.
Outcome: TypeAlias = Action | AnswerFault


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag="answer", tag_field="line", rename="camel"):
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
    fault: AnswerFault | UnsetType = UNSET
    seconds: float = 0.0

    def __post_init__(self) -> None:
        if (self.action is UNSET) is (self.fault is UNSET):
            raise ValueError("expected an action or a fault")

    @property
    def outcome(self) -> Outcome:
        """The action or the fault."""
        return self.action if self.action is not UNSET else self.fault  # type: ignore[return-value]


_encoder: Final = msgspec.json.Encoder()
_decoder: Final = msgspec.json.Decoder(AnswersHeader | Answer)


def answer_key(participant: str, game: GameLabel, observation: Observation, attempt: int) -> str:
    """Return what identifies a question; it differs from that of any other question in the run."""
    place = (participant, game, observation.hand_number, len(observation.log), attempt)
    return sha256(_encoder.encode((place, observation))).hexdigest()


class Answers:
    """The answers in the games of a run that are not finished, held in memory.

    Attributes:
        begun: Whether an earlier session of the run has recorded answers.
        read_only: Whether nobody may be asked: a missing answer is an error.
        on_disk: Whether they are also written to a file.
    """

    def __init__(self) -> None:
        self.begun = False
        self.read_only = False
        self.on_disk = False
        self._known: dict[GameLabel, dict[str, Outcome]] = {}

    def begin(self, journal_lines: int) -> None:
        """Begin to record, unless an earlier session did; `journal_lines` is the length of the journal by now."""

    def covers(self, game: GameLabel) -> bool:
        """Return whether the answers in a game are recorded, or will be."""
        return not self.read_only

    def knows(self, game: GameLabel) -> bool:
        """Return whether somebody has answered in a game before."""
        return game in self._known

    def find(self, game: GameLabel, key: str) -> Outcome | None:
        """Return the outcome of a question, if it has been asked."""
        return self._known.get(game, {}).get(key)

    def add(self, answer: Answer) -> None:
        """Record an answer, which may be used once this has returned; raises RunHalted if it cannot be written."""
        self._known.setdefault(answer.game, {})[answer.key] = answer.outcome

    def forget(self, game: GameLabel) -> None:
        """Drop the answers in a finished game."""
        self._known.pop(game, None)

    def sync(self) -> None:
        """Flush everything to disk."""

    @property
    def problem(self) -> str | None:
        """Why an answer could not be written, if one could not."""
        return None

    def close(self) -> None:
        """Close any open file."""


class AnswerFile(Answers):
    """The answers of a run, in memory and in a file.

    Args:
        path: The file.
        new: Whether to create it.
        read_only: Whether nobody may be asked.
        played: The games of the journal, with the numbers of their lines.
    """

    def __init__(
        self,
        path: str,
        *,
        new: bool = True,
        read_only: bool = False,
        played: Mapping[GameLabel, int] | None = None,
    ) -> None:
        super().__init__()
        self.read_only = read_only
        self.on_disk = not read_only
        self._path = path
        self._played = played or {}
        self._since = 0
        self._problem: str | None = None
        self._file = None if read_only else LineFile(path, new=new, meanwhile=_MEANWHILE)

    @classmethod
    def reopen(
        cls, path: str, *, played: Mapping[GameLabel, int], read_only: bool = False, every_game: bool = False
    ) -> "AnswerFile":
        """Continue a file, or only read it; raises JournalError if it cannot be read, or a line is damaged.

        Args:
            path: The file; it does not exist in runs of versions that recorded no answers.
            played: The games of the journal, with the numbers of their lines.
            read_only: Whether nobody may be asked.
            every_game: Whether the answers in finished games are also needed.
        """
        there = Path(path).exists()
        found = cls(path, new=not there, read_only=read_only, played=played)
        if not there:
            return found
        try:
            lines, size = whole_lines(path)
            for number, text in enumerate(lines, start=1):
                found._take(text, number, every_game=every_game)
        except JournalError:
            found.close()
            raise
        if found._file is not None:
            found._file.cut(size)
        return found

    def _take(self, text: bytes, number: int, *, every_game: bool) -> None:
        where = f"{self._path} line {number}"
        try:
            line: AnswersHeader | Answer = _decoder.decode(text)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise JournalError(f"{where} is damaged: {error}") from error
        if isinstance(line, AnswersHeader) is not (number == 1):
            raise JournalError(f"{where}: expected {'the header of the file' if number == 1 else 'an answer'}")
        if isinstance(line, AnswersHeader):
            if line.format != FORMAT:
                raise JournalError(f"{where} has format {line.format}; this version reads format {FORMAT}")
            self.begun, self._since = True, line.since
        elif every_game or line.game not in self._played:
            if self.find(line.game, line.key) not in (None, line.outcome):
                raise JournalError(f"{where} answers a question that an earlier line answers in another way")
            super().add(line)

    def begin(self, journal_lines: int) -> None:
        """Write the first line, unless it is there; raises RunHalted if it cannot be written."""
        if not self.begun and self._file is not None:
            self._since = journal_lines
            self._write(AnswersHeader(FORMAT, journal_lines))
            self.sync()

    def covers(self, game: GameLabel) -> bool:
        """Return whether the answers in a game are recorded, or will be."""
        if self.read_only and not self.begun:
            return False
        return game not in self._played or self._played[game] > self._since

    def add(self, answer: Answer) -> None:
        """Record an answer; it is handed to the system before this returns. Raises RunHalted if it cannot be."""
        self._write(answer)
        super().add(answer)

    def _write(self, line: AnswersHeader | Answer) -> None:
        if self._file is None:
            raise RunHalted(f"{self._path} is not open for writing")
        self._file.append(_encoder.encode(line))
        self._problem = self._problem or self._file.problem
        if self._problem is not None:
            raise RunHalted(self._problem)

    def sync(self) -> None:
        """Flush everything to disk."""
        if self._file is not None:
            self._file.sync()

    @property
    def problem(self) -> str | None:
        """Why an answer could not be written, if one could not."""
        return self._problem

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
