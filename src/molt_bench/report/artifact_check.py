"""The check of a run's files: each is compared with what follows from the journal, and every other file is named."""

import json
import os
from pathlib import Path
from typing import Final

import msgspec

from molt_bench.errors import MoltBenchError
from molt_bench.files import inside
from molt_bench.luck.reference.grade import reference
from molt_bench.records import matches_hash
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifacts import ARTIFACTS, TIMED, TIMES, WORDS, indented, summary
from molt_bench.report.grades import GRADES, Grades, grade_run
from molt_bench.runs.derived_files import is_recorded, vouched_in
from molt_bench.runs.folder import ANSWERS, EXCHANGES, JOURNAL, MATCHES, SUMMARY
from molt_bench.runs.journal import JournalContent
from molt_bench.runs.run import Run
from molt_bench.visible_text import on_one_line

#: What a file that cannot be read as a file of the run counts as: a folder, or a link that leads elsewhere.
_UNREADABLE: Final = "\0"


class ArtifactCheck(msgspec.Struct, frozen=True):
    """What became of the files of a run.

    Attributes:
        same: Those that are what the journal gives, the journal first.
        differing: Those that are not.
        missing: Those that a run writes, and that are not there.
        unchecked: All others: notes, exports, logs, what an unfinished run wrote before its last games, and a
            summary's sentences in other words than this version's.
    """

    same: tuple[str, ...]
    differing: tuple[str, ...]
    missing: tuple[str, ...]
    unchecked: tuple[str, ...]

    def raise_if_wrong(self, folder: str) -> None:
        """Raise MoltBenchError, naming the files that differ, if there are any."""
        if self.differing:
            verb = "differs" if len(self.differing) == 1 else "differ"
            raise MoltBenchError(f"{folder}: {', '.join(self.differing)} {verb} from what the journal gives")

    def notes(self) -> list[str]:
        """Return a line each for what is missing and what was not checked."""
        return [
            *([f"  missing: {', '.join(self.missing)}"] if self.missing else ()),
            *([f"  not checked: {', '.join(self.unchecked)}"] if self.unchecked else ()),
        ]


def check_artifacts(stored: Run, found: Analysis, *, grades: Grades | None = None) -> ArtifactCheck:
    """Compare every file of a run with what follows from its journal, and from the analysis of its games.

    To grade it again takes some milliseconds a hand, unless its grades are given.
    """
    folder, content = stored.folder, stored.content
    ended, vouched = stored.ending is not None, vouched_in(content.lines)
    # The margins that the journal vouches for are those of its games.
    played = matches_hash((match.round, match.margins) for match in found.result.matches)
    results = {JOURNAL: vouched.get(MATCHES) in (None, played)}
    results |= {name: is_recorded(folder, name, content) for name in (EXCHANGES, ANSWERS) if name in vouched}
    current = ended or _written_from(folder, content)
    missing, reworded = [], None
    for name in ARTIFACTS:
        there = os.path.lexists(folder / name)
        if current and there:
            results[name] = _follows(name, stored, found)
        elif ended and ARTIFACTS[name](found) is not None:
            missing.append(name)
    if results.get(SUMMARY) is False and (reworded := _reworded(stored, found)) is not None:
        results[SUMMARY] = True
    if inside(folder, folder / GRADES):
        results[GRADES] = _grades_follow(stored, found, grades)
    names = {on_one_line(entry.name) for entry in os.scandir(folder)}
    others = sorted(names - results.keys())
    return ArtifactCheck(
        tuple(name for name, same in results.items() if same),
        tuple(name for name, same in results.items() if not same),
        tuple(missing),
        (*([reworded] if reworded else ()), *others),
    )


def _written_from(folder: Path, content: JournalContent) -> bool:
    """Return whether the files of an unfinished run were written after its last game."""
    try:
        journal = json.loads(_text_of(folder, SUMMARY))["journal"]
        return bool((journal["lines"], journal["sha256"]) == (content.line_count, content.last_hash))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def _text_of(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_bytes().decode() if inside(folder, folder / name) else _UNREADABLE
    except (OSError, ValueError):
        return _UNREADABLE


def _follows(name: str, stored: Run, found: Analysis) -> bool:
    """Return whether an artifact is what the journal gives."""
    now = ARTIFACTS[name](found)
    return now is not None and _is(name, stored, now)


def _reworded(stored: Run, found: Analysis) -> str | None:
    """Return what is not checked if a summary differs by its words alone, with those that are right; else None.

    Another release may choose other words for the same result. So they prove no change, and are no part of what is
    vouched for.
    """
    now = summary(found)
    try:
        there = json.loads(_text_of(stored.folder, SUMMARY))
        # Words stand for words: where this version says nothing, or the file does, they differ.
        said = {name: there[name] for name in WORDS if type(there.get(name)) is type(now.get(name)) is not type(None)}
    except (ValueError, AttributeError, RecursionError):
        return None
    if not _is(SUMMARY, stored, indented({**now, **said})):
        return None
    right = "; ".join(f"{name}: {now[name]}" for name in said if said[name] != now[name])
    return f"words in {SUMMARY} (this version's are: {on_one_line(right)})"


def _is(name: str, stored: Run, now: str) -> bool:
    """Return whether a file is this text, but for its times."""
    text = _text_of(stored.folder, name)
    return text == now or (name in TIMED and _same_but_times(text, now))


def _same_but_times(text: str, now: str) -> bool:
    try:
        stored, made = json.loads(text), json.loads(now)
        return text == indented({key: stored[key] if key in TIMES else made[key] for key in made})
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


def _grades_follow(stored: Run, found: Analysis, grades: Grades | None) -> bool:
    try:
        written = msgspec.json.decode(_text_of(stored.folder, GRADES), type=Grades)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return written == grades or written == grade_run(stored, reference()).grades(found)
