"""The exams of a folder on its published site: their pages, and the files of those that have ended."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from molt_bench.exam.answer_file import EXAM
from molt_bench.exam.question_sources import QUESTIONS
from molt_bench.runs.folder import ANSWERS, EXCHANGES
from molt_bench.view.library import DAMAGED, Library
from molt_bench.view.publish import copy_files, write_json

_FILES: Final = [EXAM, QUESTIONS, EXCHANGES, ANSWERS]


def publish_exams(library: Library, target: Path, *, warn: Callable[[str], None]) -> Iterator[str]:
    """Add the exams of a library to its site, and yield the name of each that is done.

    `warn` is called with those that are left out, since they cannot be read.
    """
    kept: list[dict[str, Any]] = []
    for line in library.exam_list():
        name = line["id"]
        try:
            page = library.exam_page(name)
        except DAMAGED as error:
            warn(f"{name} is left out: {error}")
            continue
        folder = library.runs.exam(name)
        # Before the end, its questions may still be secret.
        files = copy_files(name, folder, _FILES, target) if folder is not None and line["ended"] else []
        write_json(target / "api" / "exams" / f"{name}.json", {**page, "files": files})
        kept.append(line)
        yield name
    write_json(target / "api" / "exams.json", kept)
