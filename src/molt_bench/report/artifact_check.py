"""The check of a run's files: each is compared with what follows from the journal, and every other file is named."""

import json
import os
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any, Final

import msgspec

from molt_bench._version import BENCH_VERSION
from molt_bench.errors import MoltBenchError
from molt_bench.files import inside
from molt_bench.luck.reference.grade import reference
from molt_bench.records import matches_hash
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifacts import ARTIFACTS, CONVERGENCE, LATER, OTHERWISE, TIMED, TIMES, WORDS, indented, summary
from molt_bench.report.convergence import convergence_in_format_1
from molt_bench.report.grades import GRADES, Grades, grade_run, in_format_1
from molt_bench.report.style_file import STYLES, StyleFile, counted_styles, styles_text
from molt_bench.runs.derived_files import is_recorded, vouched_in
from molt_bench.runs.folder import ANSWERS, EXCHANGES, JOURNAL, MATCHES, SUMMARY
from molt_bench.runs.journal import JournalContent
from molt_bench.runs.stored_run import StoredRun
from molt_bench.visible_text import on_one_line

#: A format is at the beginning of a file.
_BEGINNING: Final = 30
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
        written_by: The bench version that wrote the run, if it is another one.
    """

    same: tuple[str, ...]
    differing: tuple[str, ...]
    missing: tuple[str, ...]
    unchecked: tuple[str, ...]
    written_by: int | None = None

    def raise_if_wrong(self, folder: str) -> None:
        """Raise MoltBenchError, naming the files that differ, if there are any."""
        if self.differing:
            verb = "differs" if len(self.differing) == 1 else "differ"
            by = f"; bench version {self.written_by} wrote the run, and this is {BENCH_VERSION}"
            raise MoltBenchError(
                f"{folder}: {', '.join(self.differing)} {verb} from what the journal gives"
                f"{by if self.written_by is not None else ''}"
            )

    def notes(self) -> list[str]:
        """Return a line each for what is missing and what was not checked."""
        return [
            *([f"  missing: {', '.join(self.missing)}"] if self.missing else ()),
            *([f"  not checked: {', '.join(self.unchecked)}"] if self.unchecked else ()),
        ]


def check_artifacts(stored: StoredRun, found: Analysis, *, grades: Grades | None = None) -> ArtifactCheck:
    """Compare every file of a run with what follows from its journal, and from the analysis of its games.

    To grade it again takes some milliseconds a hand, unless its grades are given.
    """
    folder, content = stored.folder, stored.content
    ended, vouched = stored.stop_reason is not None, vouched_in(content.lines)
    # The margins that the journal vouches for are those of its games.
    played = matches_hash((match.round, match.margins) for match in found.result.matches)
    results = {JOURNAL: vouched.get(MATCHES) in (None, played)}
    results |= {name: is_recorded(folder, name, content) for name in (EXCHANGES, ANSWERS) if name in vouched}
    current = ended or _written_from(folder, content)
    missing, reworded = [], None
    for name in (*ARTIFACTS, STYLES):
        there = os.path.lexists(folder / name)
        if current and there:
            results[name] = _follows(name, stored, found)
        elif ended and (name == STYLES or ARTIFACTS[name](found) is not None):
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
        None if stored.header.bench_version == BENCH_VERSION else stored.header.bench_version,
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


def _follows(name: str, stored: StoredRun, found: Analysis) -> bool:
    """Return whether an artifact is what the journal gives."""
    if name == STYLES:
        return _styles_follow(stored)
    now = ARTIFACTS[name](found)
    if name == CONVERGENCE and '"format"' not in _text_of(stored.folder, name)[:_BEGINNING]:
        now = indented(convergence_in_format_1(found.result.convergence))
    return now is not None and _is(name, stored, now)


def _reworded(stored: StoredRun, found: Analysis) -> str | None:
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


def _is(name: str, stored: StoredRun, now: str) -> bool:
    """Return whether a file is this text, or was by the version that wrote it."""
    text = _text_of(stored.folder, name)
    later = frozenset[str]() if stored.header.bench_version == BENCH_VERSION else LATER
    return text == now or same_but_later(name, text, now, later)


def same_but_later(name: str, text: str, now: str, later: frozenset[str] = LATER) -> bool:
    """Return whether a file is the same but for its times, and for `later` fields that its version did not write.

    This version writes them all, so a run of it that lacks one was edited.
    """
    try:
        if not name.endswith(".json"):
            pairs = zip(text.splitlines(), now.splitlines(), strict=True)
            plain = [(json.loads(one), json.loads(other)) for one, other in pairs]
            return text == "".join(
                json.dumps(_as_earlier(one, other, later), ensure_ascii=False) + "\n" for one, other in plain
            )
        stored = json.loads(text)
        made = _as_earlier(stored, json.loads(now), later)
        if later and isinstance(made, dict):
            made, stored = _without(made, OTHERWISE), _without(stored, OTHERWISE)
            text = indented(stored) if text == indented(json.loads(text)) else text
        if name in TIMED:
            made = {key: stored[key] if key in TIMES and key in stored else value for key, value in made.items()}
        return text == indented(made)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return False


def _without(fields: dict[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if key not in names}


def _as_earlier(stored: Any, now: Any, later: frozenset[str]) -> Any:
    """Return a value without the fields that the version which stored it did not write, and with its rounding."""
    if isinstance(stored, dict) and isinstance(now, dict):
        kept = {key: value for key, value in now.items() if key in stored or key not in later}
        return {key: _as_earlier(stored.get(key), value, later) for key, value in kept.items()}
    if isinstance(stored, list) and isinstance(now, list) and len(stored) == len(now):
        return [_as_earlier(one, other, later) for one, other in zip(stored, now, strict=True)]
    return stored if later and _alike(stored, now) else now


def _styles_follow(stored: StoredRun) -> bool:
    text = _text_of(stored.folder, STYLES)
    if sha256(text.encode()).hexdigest() == vouched_in(stored.content.lines).get(STYLES):
        return True
    now = counted_styles(stored.content)
    return text == styles_text(now).decode() or _same_in_format_1(text, now)


def _same_in_format_1(text: str, now: StyleFile) -> bool:
    """Return whether a file of format 1 has the same styles: its winnings were sums of big blinds, as floats."""
    try:
        found = json.loads(text)
        groups = found.get("groups", [])
        return (
            found["format"] == 1
            and _alike(found["styles"], _in_big_blinds(msgspec.to_builtins(now.styles), now.big_blind))
            and (not groups or _alike(groups, _in_big_blinds(msgspec.to_builtins(now.groups), now.big_blind)))
        )
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return False


def _in_big_blinds(styles: Any, big_blind: int) -> Any:
    """Return styles, or rows of groups, with their winnings as floats in big blinds."""
    if isinstance(styles, dict):
        for style in styles.values():
            for name in ("showdownWinnings", "otherWinnings"):
                style[name]["count"] /= big_blind
        return styles
    return [[*row[:4], [*row[4][:-2], *[count / big_blind for count in row[4][-2:]]], [*row[5]]] for row in styles]


def _alike(old: Any, new: Any) -> bool:
    """Return whether values are the same but for the rounding of sums."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(_alike(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(_alike, old, new))
    if isinstance(old, float) and isinstance(new, float):
        return isclose(old, new, rel_tol=1e-8, abs_tol=1e-8)
    return bool(old == new)


def _grades_follow(stored: StoredRun, found: Analysis, grades: Grades | None) -> bool:
    try:
        written = msgspec.json.decode(_text_of(stored.folder, GRADES), type=Grades)
    except (msgspec.MsgspecError, RecursionError):
        return False
    if written == grades:
        return True
    orders = [True] if grades is not None else [False, True]
    by = reference(earlier=written.format == 1)
    again = (grade_run(stored, by, as_finished=each).grades(found) for each in orders)
    return any(written == (in_format_1(each) if written.format == 1 else each) for each in again)
