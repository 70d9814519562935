"""Everything about an exam that pages and tables show: the ranking, every question, and every answer to it."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import msgspec

from molt_bench.exam.result import NOT_ENDED
from molt_bench.exam.review import ReviewedAnswer, reviewed
from molt_bench.exam.stored_exam import StoredExam
from molt_bench.exam.table import MISLEADS, lines_of

#: Answers of a model that are shown with its words: those that give away most.
_WITH_WORDS: Final = 30
#: Letters of them, at most.
_MOST_WORDS: Final = 2000
#: What all answers to a question share.
_OF_QUESTION: Final = ("weight", "kind", "cards", "board", "line", "pot", "solution", "best")
_STEPS: Final = ("done", "solution")


def exam_summary(folder: Path) -> dict[str, Any]:
    """Return the line of an exam in a list."""
    stored = StoredExam.open(folder)
    header = stored.answers.header
    return {
        "id": folder.name,
        "questions": header.questions,
        "answers": len(stored.answers.answers),
        "participants": [{"id": each.id, "name": each.display_name} for each in stored.config.participants],
        "ended": stored.answers.end is not None,
    }


def exam_page(folder: Path) -> dict[str, Any]:
    """Return the page of an exam; the solutions of secret questions are shown once it has ended."""
    stored = StoredExam.open(folder)
    result = stored.result()
    names = [each.id for each in stored.config.participants]
    hidden = stored.secret and stored.answers.end is None
    known = {} if hidden else {each.id: each for each in stored.questions()}
    answers: dict[str, list[ReviewedAnswer]] = defaultdict(list)
    for answer in stored.answers.answers.values():
        if answer.question in known and answer.participant in names:
            answers[answer.participant].append(reviewed(known[answer.question], answer))
    spoken = stored.words()
    return {
        "id": folder.name,
        "participants": [{"id": each.id, "name": each.display_name} for each in stored.config.participants],
        "result": {**msgspec.to_builtins(result), "orders": lines_of(result)},
        "ended": result.stop_reason != NOT_ENDED,
        "hidden": hidden,
        "note": MISLEADS,
        "questions": {
            each.question: {key: value for key, value in msgspec.to_builtins(each).items() if key in _OF_QUESTION}
            for found in answers.values()
            for each in found
        },
        "answers": {name: _with_words(answers[name], spoken.get(name, {})) for name in names},
    }


def _with_words(found: list[ReviewedAnswer], spoken: dict[tuple[str, int], str]) -> list[dict[str, Any]]:
    """Return answers, the dearest first, some of them with what the model said."""
    found = sorted(found, key=lambda each: (-each.weight * each.loss, each.question, each.sample))
    rows = []
    for at, each in enumerate(found):
        words = spoken.get((each.question, each.sample)) if at < _WITH_WORDS else None
        own = {key: value for key, value in msgspec.to_builtins(each).items() if key not in _OF_QUESTION}
        rows.append({**own, "words": words[:_MOST_WORDS] if words else None})
    return rows


def exam_rows(folder: Path) -> list[dict[str, Any]]:
    """Return the answers of an exam as the rows of a table."""
    rows, page = [], exam_page(folder)
    for name, answers in page["answers"].items():
        for answer in answers:
            each = {**answer, **page["questions"][answer["question"]]}
            texts = {key: "; ".join(f"{step['text']} {step['chance']:.4g}" for step in each[key]) for key in _STEPS}
            plain = {key: value for key, value in each.items() if key not in (*_STEPS, "words")}
            rows.append({"participant": name, **plain, **texts})
    return rows
