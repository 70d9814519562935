"""Where the questions of an exam come from: the public set, or a secret one, drawn from a seed and solved here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.errors import ConfigError, JournalError, MoltBenchError
from molt_bench.exam.answer_file import MOST_QUESTIONS
from molt_bench.exam.question_sampling import Drawn, draw
from molt_bench.exam.questions import VERSION, VERSIONS, Question, public_set
from molt_bench.exam.solving import ranges_at, solved
from molt_bench.poker.actions import Street

#: The name of a set that is drawn from a seed.
SECRET: Final = "secret"
#: What is solved while an exam goes on; a game from the turn on would take minutes.
_STREETS: Final[tuple[Street, ...]] = ("river",)
#: The solved questions of a secret set, in the folder of its exam.
QUESTIONS: Final = "questions.jsonl"
#: Longer than any line of it, in bytes.
_LONGEST: Final = 100_000


class QuestionSource:
    """The questions of an exam in their order.

    Attributes:
        name: The name of the set.
        count: How many there are.
        fingerprint: The hash that the exam's first line has of them.
    """

    def __init__(self, name: str, known: list[Question], fingerprint: str) -> None:
        self.name = name
        self.count = len(known)
        self.fingerprint = fingerprint
        self._known = known

    def first(self, count: int) -> list[Question]:
        """Return the first questions."""
        return self._known[:count]


class PublicQuestions(QuestionSource):
    """The questions that ship with the package.

    Args:
        count: How many.
        name: The name of the set, of this version or of one before; raises ConfigError if there is none of that name.
    """

    def __init__(self, count: int, name: str = f"public-{VERSION}") -> None:
        known = {f"public-{each}": each for each in VERSIONS}
        if name not in known:
            raise ConfigError("questions", name, f"a set that this version of molt-bench has: {', '.join(known)}")
        found = public_set(known[name])
        super().__init__(found.name, list(found.questions)[:count], found.sha256())


class SecretQuestions(QuestionSource):
    """Questions on the river that are drawn from a seed, and solved when they are needed.

    Args:
        seed: The seed.
        count: How many questions.
        folder: Where what is solved is kept.
        on_solved: Called with how many are solved.
    """

    def __init__(
        self, seed: str, count: int, folder: Path, *, on_solved: Callable[[int], None] = lambda _: None
    ) -> None:
        super().__init__(SECRET, [], sha256(seed.encode()).hexdigest())
        self._drawn: list[Drawn] = draw(seed, count, _STREETS)
        self.count = min(count, len(self._drawn))
        self._path = folder / QUESTIONS
        self._on_solved = on_solved
        #: How many of those that were drawn are solved, or not asked.
        self._tried = 0
        for question in recorded_questions(self._path):
            places = [at for at, each in enumerate(self._drawn) if each.decision == question.decision]
            if not places or places[0] < self._tried:
                raise JournalError(f"{self._path}: {question.id} is not what the seed of the exam draws")
            self._tried = places[0] + 1
            self._known.append(question)

    def first(self, count: int) -> list[Question]:
        """Return the first questions, once they are solved; fewer if the solutions come to too few of them."""
        while len(self._known) < count and self._tried < len(self._drawn):
            drawn = self._drawn[self._tried]
            self._tried += 1
            question = solved(f"{SECRET}-{self._tried}", drawn.decision, drawn.weight, ranges_at(drawn.decision))
            if question is None:
                continue
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(question) + b"\n")
            self._known.append(question)
            self._on_solved(len(self._known))
        if self._tried == len(self._drawn):
            self.count = min(self.count, len(self._known))
        return super().first(count)


def solved_questions(folder: Path) -> QuestionSource:
    """Return the questions of a secret set as the folder of an exam has them: nothing is drawn, solved or checked.

    Without a fingerprint, since whoever wants to know whether they are the drawn ones has to draw.
    """
    return QuestionSource(SECRET, recorded_questions(folder / QUESTIONS), "")


def recorded_questions(path: Path) -> list[Question]:
    """Read solved questions; raises JournalError if no exam could have asked them."""
    found: list[Question] = []
    with path.open("rb") if path.exists() else nullcontext(()) as lines:
        for number, line in enumerate(islice(lines, MOST_QUESTIONS), start=1):
            try:
                if len(line) > _LONGEST:
                    raise ValueError("it is too long")
                question = msgspec.json.decode(line, type=Question)
                question.check()
            except (msgspec.MsgspecError, MoltBenchError, ArithmeticError, LookupError, ValueError) as error:
                raise JournalError(f"{path} line {number} is damaged: {error}") from error
            found.append(question)
    return found


def same_questions(source: QuestionSource, fingerprint: str) -> None:
    """Check that questions are those that an exam was begun with; raises ConfigError if not."""
    if source.fingerprint != fingerprint:
        what = "the seed of its questions" if source.name == SECRET else f"the questions of {source.name}"
        raise ConfigError("sha256", fingerprint, f"the hash of {what}, {source.fingerprint}")
