"""The check of a run's files: each is compared with what follows from the journal, and every other file is named."""

import json
import os
from collections.abc import Callable, Mapping
from math import isclose
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from molt_bench.entry_points import FILES, broken, points
from molt_bench.files import inside
from molt_bench.report.artifacts import ARTIFACTS, NOT_FROM_JOURNAL
from molt_bench.report.card import CARD, card_text
from molt_bench.report.run_rows import Rows
from molt_bench.runs.folder import JOURNAL, LEADERBOARD, REPLIES, SUMMARY, summarized
from molt_bench.runs.run import Run
from molt_bench.visible_text import on_one_line

#: By how much a number may differ, as a share of it: the last digits depend on the machine.
_TOLERANCE: Final = 1e-9

#: What became of a file: it is what the journal gives; it is not; it is what the beginning of the journal gave, before
#: the run went on; a run writes it, and it is not there; or it is another one, such as notes, exports and logs.
Kind: TypeAlias = Literal["same", "differing", "stale", "missing", "unchecked"]


class ArtifactCheck(NamedTuple):
    """What became of the files of a run, by name, and what plug-ins failed to check."""

    kinds: Mapping[str, Kind]
    problems: list[str]

    def of(self, kind: Kind) -> list[str]:
        """Return the files of which that became, the journal first."""
        return [name for name, each in self.kinds.items() if each == kind]


def check_artifacts(run: Run, rows: Rows) -> ArtifactCheck:
    """Compare every file of a run with what follows from its journal, and from the rows of its games.

    The files of plug-ins are checked by these.
    """
    folder, content = run.folder, run.content
    written = summarized(folder)
    behind = written is not None and written[0] < content.line_count
    earlier = Rows(run.until(written[0]).result()) if written is not None and behind else None
    unknown = run.ending is None and written is None  # it is not known when its files were written
    kinds: dict[str, Kind] = {JOURNAL: "same"}
    if run.replies_are_recorded is not None:
        kinds[REPLIES] = "same" if run.replies_are_recorded else "differing"
    files = {**ARTIFACTS, CARD: lambda rows: card_text(rows, run.header)}
    for name, make in files.items():
        if os.path.lexists(folder / name) and not (unknown and name in ARTIFACTS):
            kinds[name] = _kind(folder / name, make, rows, earlier)
        elif run.ending is not None and name in ARTIFACTS:
            kinds[name] = "missing"
    problems = []
    for name, point in points(FILES).items():
        if inside(folder, folder / name):
            try:
                kinds[name] = "same" if point.load()(run, rows) else "differing"
            except Exception as error:  # foreign code: it may raise anything
                problems.append(broken(point, error, f", so {name} is not checked"))
    for name in sorted(os.listdir(folder)):
        kinds.setdefault(on_one_line(name), "unchecked")
    return ArtifactCheck(kinds, problems)


def _kind(file: Path, make: Callable[[Rows], str], rows: Rows, earlier: Rows | None) -> Kind:
    """Return what became of a file: it is what the journal gives, or gave, or something else."""
    try:
        text = file.read_bytes().decode() if inside(file.parent, file) else ""
    except (OSError, ValueError):
        return "differing"
    if _follows(file.name, text, make(rows)):
        return "same"
    if earlier is not None and _follows(file.name, text, make(earlier)):
        return "stale"
    # What models had cost by then is not in the journal.
    dated = earlier is not None and rows.costs and file.name in (LEADERBOARD, SUMMARY, CARD)
    return "unchecked" if dated else "differing"


def _follows(name: str, text: str, made: str) -> bool:
    """Return whether a file says what was made: every word, and every number but for its last digits."""
    if text == made or not name.endswith((".json", ".jsonl")):
        return text == made
    try:
        return _same(_values(name, text), _values(name, made))
    except (ValueError, TypeError, RecursionError):
        return False


def _values(name: str, text: str) -> Any:
    """Return what a file says: objects as all their fields in order, without those that no journal gives."""
    lines = text.splitlines() if name.endswith(".jsonl") else [text]
    found = [json.loads(line, object_pairs_hook=tuple) for line in lines]
    return [tuple(each for each in found[0] if each[0] not in NOT_FROM_JOURNAL)] if name == SUMMARY else found


def _same(there: Any, wanted: Any) -> bool:
    if isinstance(there, float) and isinstance(wanted, float):
        return isclose(there, wanted, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    if isinstance(there, list | tuple) and type(there) is type(wanted):
        return len(there) == len(wanted) and all(map(_same, there, wanted))
    return type(there) is type(wanted) and bool(there == wanted)
