"""The answers of an exam on file (`exam.jsonl`): written before the next question, so that none is asked twice."""

from __future__ import annotations

import re
from math import fsum
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from molt_bench.errors import ConfigError, JournalError, RunHalted
from molt_bench.files import is_there
from molt_bench.records import Fault
from molt_bench.runs.line_file import LineStore
from molt_bench.runs.reply_lines import encode, line_reader

EXAM: Final = "exam.jsonl"
#: More questions than anybody will ask; a stranger's file may claim any number.
MOST_QUESTIONS: Final = 10_000
_ACTION: Final = re.compile(r"[fFkc]|r[1-9]\d{0,15}")
#: By how much chances may miss 1.
_SLACK: Final = 1e-6
#: An answer's participant, question and number among the same one's answers to it, from 0.
Place: TypeAlias = tuple[str, str, int]


class ExamHeader(msgspec.Struct, frozen=True, kw_only=True, tag="header", tag_field="line", rename="camel"):
    """The first line.

    Attributes:
        format: The format version.
        version: The version of molt-bench.
        config: The config: participants, limits, how models are asked.
        questions: The name of the set of questions.
        count: How many are asked at most; beyond the size of the set, whoever draws is asked again.
        sha256: The hash of the set; of a secret one, of its seed.
        source_hashes: The hashes of the code of agents, by participant.
    """

    format: int
    version: str
    config: dict[str, Any]
    questions: str
    count: int
    sha256: str
    source_hashes: dict[str, str] = {}

    def __post_init__(self) -> None:
        if not 0 < self.count <= MOST_QUESTIONS:
            raise ValueError(f"expected 1 to {MOST_QUESTIONS:,} questions")


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag="answer", tag_field="line", rename="camel"):
    """What one participant answered to one question.

    Attributes:
        participant: Its id.
        question: The id of the question.
        actions: What it does, with the chance of each: one that is certain, or a stated strategy. `F` is a fold that
            was forced on it, since no answer could be used.
        faults: What was wrong with answers.
        seconds: How long it took.
        sample: Which of its answers to the same question this is, from 0.
    """

    participant: str
    question: str
    actions: tuple[tuple[str, float], ...]
    faults: tuple[Fault, ...] = ()
    seconds: float = 0.0
    sample: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.sample < MOST_QUESTIONS:
            raise ValueError(f"expected a sample from 0 to {MOST_QUESTIONS - 1:,}")
        if not all(_ACTION.fullmatch(letter) and 0 < chance <= 1 + _SLACK for letter, chance in self.actions):
            raise ValueError("expected actions such as k or r300, each with its chance")
        if abs(fsum(chance for _, chance in self.actions) - 1) > _SLACK:
            raise ValueError("expected chances that add up to 1")

    @property
    def place(self) -> Place:
        """Which answer it is."""
        return self.participant, self.question, self.sample


class ExamEnd(msgspec.Struct, frozen=True, tag="end", tag_field="line", rename="camel"):
    """The last line: why no more was asked, and the seed of a secret set."""

    reason: str
    seed: str | UnsetType = UNSET


ExamLine: TypeAlias = ExamHeader | Answer | ExamEnd
_read = line_reader(ExamHeader | Answer | ExamEnd, ExamHeader)


class AnswerFile:
    """The answers of one exam: in memory, and in a file.

    Attributes:
        header: The first line.
        answers: By participant, question and sample.
        end: The last line, once it is there.
    """

    def __init__(self, folder: Path, *, read_only: bool) -> None:
        self._store: LineStore[ExamLine] = LineStore(
            folder / EXAM, _read, read_only=read_only, meanwhile="nobody is asked before there is room"
        )
        self._read_only = read_only
        self.answers: dict[Place, Answer] = {}
        self.end: ExamEnd | None = None
        self.header: ExamHeader

    @classmethod
    def new(cls, folder: Path, header: ExamHeader) -> Self:
        """Begin a file."""
        found = cls(folder, read_only=False)
        found.header = header
        found._write(header)
        return found

    @classmethod
    def reopen(cls, folder: Path, *, read_only: bool) -> Self:
        """Continue a file, or only read it; raises JournalError if it is damaged."""
        found = cls(folder, read_only=read_only)
        lines = [*found._store.earlier()]
        if not lines or not isinstance(lines[0][1], ExamHeader):
            raise JournalError(f"{folder / EXAM}: expected the header of an exam on its first line")
        found.header = lines[0][1]
        for place, line in lines[1:]:
            if isinstance(line, ExamHeader) or found.end is not None:
                raise JournalError(
                    f"{place}: expected nothing after the end" if found.end else f"{place}: a second header"
                )
            if isinstance(line, ExamEnd):
                found.end = line
            elif line.place in found.answers:
                raise JournalError(f"{place} answers a question that an earlier line answers")
            else:
                found.answers[line.place] = line
        return found

    def add(self, answer: Answer) -> None:
        """Record an answer; it is handed to the system before this returns."""
        self._write(answer)
        self.answers[answer.place] = answer

    def finish(self, end: ExamEnd) -> None:
        """Record that the exam is over."""
        self._write(end)
        self.end = end

    def _write(self, line: ExamLine) -> None:
        if self._read_only:
            return
        self._store.append(encode(line))
        if self._store.problem is not None:
            raise RunHalted(self._store.problem)

    def close(self) -> None:
        """Close the file."""
        self._store.close()


def exam_in(folder: str) -> Path | None:
    """Return the folder if an exam is in it."""
    path = Path(folder)
    try:
        return path if is_there(path / EXAM) else None
    except OSError as error:
        raise ConfigError("RUN", folder, f"the folder of a run that can be read ({error.strerror})") from error
