"""An exam in its folder: begun, found again, continued, and checked against its records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from math import ceil
from pathlib import Path

import msgspec
from msgspec import UNSET

from molt_bench._version import __version__
from molt_bench.agents.kinds import ACPC
from molt_bench.agents.llm.exchanges import Exchanges
from molt_bench.agents.permission import BUILT_IN, Permission
from molt_bench.agents.python_import import AgentFactory
from molt_bench.agents.sandbox.visible_files import hide
from molt_bench.arena.status import Observer
from molt_bench.config.loader import load_config
from molt_bench.config.sections import BenchmarkConfig
from molt_bench.errors import ConfigError, JournalError, MoltBenchError
from molt_bench.exam.answer_file import EXAM, AnswerFile, ExamEnd, ExamHeader
from molt_bench.exam.question_sources import (
    QUESTIONS,
    SECRET,
    PublicQuestions,
    QuestionSource,
    SecretQuestions,
    same_questions,
    solved_questions,
)
from molt_bench.exam.questions import Question
from molt_bench.exam.result import ALL_ASKED, ALL_GONE, NOT_ENDED, SURE, ExamResult
from molt_bench.exam.scoring import BLOCK
from molt_bench.exam.session import ExamSession, Guests
from molt_bench.runs.exchange_file import ExchangeFile
from molt_bench.runs.folder import ANSWERS, EXCHANGES, check_entries
from molt_bench.runs.header import source_hashes
from molt_bench.runs.line_file import Warn
from molt_bench.runs.master_seed import SEED_FILE, draw_seed, forget, keep
from molt_bench.runs.program_replies import Replies
from molt_bench.runs.reply_lines import FORMAT
from molt_bench.runs.run_files import RunFiles, remove_empty


def check_depths(config: BenchmarkConfig) -> None:
    """Check that everybody plays at any depth; raises ConfigError for who does not."""
    for each in config.participants:
        if each.kind is ACPC:
            depths = "agents that play any stack: an exam asks with 20, 50, 100 and 200 big blinds"
            raise ConfigError("participants", each.id, depths)


class StoredExam:
    """An exam and its files.

    Attributes:
        folder: The folder.
        answers: The answers so far.
        config: Who is asked, and the limits.
    """

    def __init__(self, folder: Path, answers: AnswerFile, seed: str | None, *, read_only: bool = False) -> None:
        self.folder, self.answers, self._seed = folder, answers, seed
        self.config: BenchmarkConfig = load_config(answers.header.config)
        self._read_only = read_only

    @classmethod
    def begin(cls, folder: Path, config: BenchmarkConfig, count: int, *, secret: bool) -> StoredExam:
        """Begin an exam in a new folder; the seed of a secret set stays in a file that only the user can read."""
        check_depths(config)
        hide(str(folder))
        seed = draw_seed() if secret else None
        problem = keep(seed, folder) if seed is not None else None
        if problem is not None:
            raise JournalError(problem)
        source = PublicQuestions(count) if seed is None else SecretQuestions(seed, count, folder)
        header = ExamHeader(
            format=FORMAT,
            version=__version__,
            config=config.plain(),
            questions=source.name,
            count=source.count if secret else count,
            sha256=source.fingerprint,
            source_hashes=source_hashes(config),
        )
        return cls(folder, AnswerFile.new(folder, header), seed)

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = True) -> StoredExam:
        """Open an exam; raises JournalError if it is damaged, or its secret seed is missing."""
        check_entries(folder)
        hide(str(folder))
        answers = AnswerFile.reopen(folder, read_only=read_only)
        seed = None
        if answers.header.questions == SECRET:
            kept = folder / SEED_FILE
            told = answers.end.seed if answers.end is not None else UNSET
            seed = told if told is not UNSET else kept.read_text().strip() if kept.is_file() else None
            if seed is None:
                raise JournalError(f"{folder}: the seed of its secret questions is not known: {kept} is missing")
        return cls(folder, answers, seed, read_only=read_only)

    def go_on(
        self,
        permission: Permission,
        *,
        agents: Mapping[str, AgentFactory] = {},
        guests: Guests | None = None,
        observer: Observer | None = None,
        warn: Warn | None = None,
        on_block: Callable[[ExamResult], None] = lambda _: None,
        on_solved: Callable[[int], None] = lambda _: None,
    ) -> ExamResult:
        """Ask what is still open, unless the exam has ended, and return the result.

        If somebody cannot be asked at all, an exam in which nothing was answered is removed.
        """
        source = _source(self._seed, self.answers.header, self.folder, on_solved=on_solved)
        if source_hashes(self.config) != self.answers.header.source_hashes and self.answers.end is None:
            raise JournalError("the code of an agent has been changed since the exam began: begin a new one")
        with closing(self.answers), self._files(permission, warn) as files:
            session = ExamSession(
                self.config, source, self.answers, files, agents=agents, guests=guests, observer=observer
            )
            if self.answers.end is not None:
                return session.result(self._asked(), self.answers.end.reason)
            try:
                session.call_everybody()
            except MoltBenchError:
                if not self.answers.answers and not files.exchanges.earlier and not files.replies.begun:
                    self._remove()
                raise
            result = session.run(on_block)
            self.answers.finish(ExamEnd(result.stop_reason, UNSET if self._seed is None else self._seed))
            if self._seed is not None:
                forget(self.folder)
            return result

    def _remove(self) -> None:
        """Remove the exam, as if it had never begun."""
        for name in (EXAM, QUESTIONS):
            (self.folder / name).unlink(missing_ok=True)
        remove_empty(self.folder)

    @property
    def secret(self) -> bool:
        """Whether its questions are not those of the public set."""
        return self.answers.header.questions == SECRET

    def questions(self) -> list[Question]:
        """Return all questions as they are on record; nothing is solved."""
        source = self._recorded()
        return source.first(source.count)

    def _recorded(self) -> QuestionSource:
        return solved_questions(self.folder) if self.secret else _public(self.answers.header)

    def words(self) -> dict[str, dict[tuple[str, int], str]]:
        """Return what models said, by model, by question and sample."""
        found: dict[str, dict[str, dict[int, str]]] = {}
        with self._files() as files:
            for each in files.exchanges.earlier:
                by_question = found.setdefault(each.participant, {})
                by_question.setdefault(str(each.game.seed), {})[each.game.match] = each.text
        said: dict[str, dict[tuple[str, int], str]] = {}
        for name, asked in found.items():
            numbered = [(at, texts, enumerate(sorted(texts))) for at, texts in asked.items()]
            said[name] = {(at, sample): texts[match] for at, texts, matches in numbered for sample, match in matches}
        return said

    def result(self) -> ExamResult:
        """Return what the answers on record show; nobody is asked."""
        source = self._recorded()
        end = self.answers.end
        with self._files() as files:
            session = ExamSession(self.config, source, self.answers, files)
            return session.result(self._asked(), NOT_ENDED if end is None else end.reason)

    def check(self) -> int:
        """Ask again whoever can be asked for free, take the recorded replies of all others, and compare every answer.

        Returns how many answers are identical. Python code is not run. Raises JournalError at the first difference.
        """
        _source(self._seed, self.answers.header, self.folder)  # draws a secret set again, to compare
        coded = {each.id for each in self.config.participants if each.kind.user_code}
        again = AnswerFile(self.folder, read_only=True)
        again.header = self.answers.header
        again.answers = {place: each for place, each in self.answers.answers.items() if each.participant in coded}
        with self._files() as files:
            session = ExamSession(self.config, self._recorded(), again, files)  # nothing is solved for a stranger
            session.ask_again(self.answers.answers, self._asked())
        for place, answer in self.answers.answers.items():
            found = again.answers.get(place)
            same = found is not None and (found.actions, found.faults) == (answer.actions, answer.faults)
            if not same:
                raise JournalError(
                    f"{self.folder / EXAM}: the answer of {place[0]!r} to {place[1]} differs when replayed"
                )
        self._check_end()
        return len(self.answers.answers) - sum(place[0] in coded for place in self.answers.answers)

    def _check_end(self) -> None:
        """Check that an exam which has ended lacks no answer, and that it ended for the reason it says.

        Otherwise somebody's dear answers could be left out, or the last blocks. Raises JournalError.
        """
        end = self.answers.end
        if end is None or end.reason not in (ALL_ASKED, ALL_GONE, SURE):  # else it ran out of money
            return
        with self._files() as files:
            session = ExamSession(self.config, self._recorded(), self.answers, files)
            missing = session.unanswered(self._asked())
            found = session.result(self._asked(), end.reason)
        if missing is not None:
            raise JournalError(f"{self.folder / EXAM}: the answer of {missing[0]!r} to {missing[1]} is missing")
        more = found.asked < min(self.answers.header.count, len(self.questions()))
        undecided = not found.orders or any(each.kind == "open" and each.half_width for each in found.orders)
        if (end.reason == ALL_ASKED and more) or (end.reason == SURE and undecided):
            raise JournalError(f"{self.folder / EXAM} says that it ended since {end.reason}, and its answers do not")

    def _asked(self) -> int:
        """Return how many questions were asked: whole blocks."""
        answered = len({(question, sample) for _, question, sample in self.answers.answers})
        return BLOCK * ceil(answered / BLOCK)

    @contextmanager
    def _files(self, permission: Permission = BUILT_IN, warn: Warn | None = None) -> Iterator[RunFiles]:
        """Open the recorded replies of models, programs and servers, and close them afterwards."""
        read_only = self._read_only
        exchanges: Exchanges = Exchanges()
        if self.config.models():
            path = str(self.folder / EXCHANGES)
            exchanges = ExchangeFile.reopen(path, read_only=read_only, warn=warn, unfinished=lambda _: True)
        replies = Replies()
        if any(each.kind.recorded for each in self.config.participants):
            replies = Replies.reopen(str(self.folder / ANSWERS), played={}, read_only=read_only)
        with closing(RunFiles(exchanges=exchanges, replies=replies, permission=permission)) as files:
            yield files


def _source(
    seed: str | None, header: ExamHeader, folder: Path, *, on_solved: Callable[[int], None] = lambda _: None
) -> QuestionSource:
    if seed is None:
        return _public(header)
    source = SecretQuestions(seed, header.count, folder, on_solved=on_solved)
    same_questions(source, header.sha256)
    return source


def _public(header: ExamHeader) -> PublicQuestions:
    """Return the public questions of an exam; raises ConfigError if this version has others, with other values."""
    source = PublicQuestions(header.count, header.questions)
    same_questions(source, header.sha256)
    return source


def last_exam(config: BenchmarkConfig, count: int, *, secret: bool) -> Path | None:
    """Return the newest exam of this config that has not ended."""
    plain = config.plain()
    for path in sorted(Path(config.output_dir).glob(f"*/{EXAM}"), reverse=True):
        try:
            found = AnswerFile.reopen(path.parent, read_only=True)
        except JournalError:
            continue
        header = found.header
        same = header.config == msgspec.to_builtins(plain) and (header.questions == SECRET) is secret
        if same and header.count <= count and found.end is None:
            return path.parent
    return None
