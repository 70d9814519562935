"""Who has left an exam: a live agent that let questions pass without any answer, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final

from molt_bench.config.sections import BenchmarkConfig
from molt_bench.exam.answer_file import Answer

#: Faults of somebody from whom nothing came.
_SILENT: Final = ("timeout", "forfeit")


class Absence:
    """Counts the questions that live agents let pass; the exam goes on without whoever has let too many.

    Attributes:
        most: How many in a row are too many: `live.maxForfeits`.
        gone: Who has left.
    """

    def __init__(self, config: BenchmarkConfig, answers: Iterable[Answer]) -> None:
        self.most = config.live.max_forfeits
        self.gone: set[str] = set()
        self._coming: Collection[str] = {each.id for each in config.participants if each.kind.comes}
        self._passed: Counter[str] = Counter()
        for answer in answers:
            self.take(answer)

    def take(self, answer: Answer) -> bool:
        """Take an answer, in the order in which they came; return whether its participant has just left."""
        name = answer.participant
        if name not in self._coming or name in self.gone:
            return False
        faults = answer.faults
        silent = bool(faults) and faults[-1].forced_fold and all(each.kind in _SILENT for each in faults)
        self._passed[name] = self._passed[name] + 1 if silent else 0
        if self._passed[name] < self.most:
            return False
        self.gone.add(name)
        return True

    def line(self, name: str) -> str:
        """Say that somebody has left."""
        return f"{name} let {self._too_many} pass without an answer: the exam went on without it, and it has no rank"

    @property
    def told(self) -> str:
        """What somebody is told who has left."""
        return f"you let {self._too_many} pass without an answer, so the exam goes on without you"

    @property
    def _too_many(self) -> str:
        return "a question" if self.most == 1 else f"{self.most} questions in a row"
