"""The check of a run's files: each is compared with what follows from the journal, and every other file is named."""

import json
import os
from collections.abc import Callable
from math import isclose
from pathlib import Path
from typing import Any, Final

import msgspec

from molt_bench.entry_points import FILES, broken, points
from molt_bench.errors import MoltBenchError
from molt_bench.files import inside
from molt_bench.report.artifacts import ARTIFACTS, NOT_FROM_JOURNAL, as_lines, indented
from molt_bench.report.card import CARD, card_text
from molt_bench.report.rows import Rows
from molt_bench.runs.folder import JOURNAL, LEADERBOARD, REPLIES, SUMMARY, summarized
from molt_bench.runs.run import Run
from molt_bench.visible_text import on_one_line

#: By how much a number may differ, as a share of it: the last digits depend on the machine.
_TOLERANCE: Final = 1e-9


class ArtifactCheck(msgspec.Struct, frozen=True):
    """What became of the files of a run.

    Attributes:
        same: Those that are what the journal gives, the journal first.
        differing: Those that are not.
        stale: Those that are what the beginning of the journal gave, before the run went on.
        missing: Those that a run writes, and that are not there.
        unchecked: All others, such as notes, exports and logs.
        problems: What plug-ins failed to check.
    """

    same: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def raise_if_wrong(self, folder: str) -> None:
        """Raise MoltBenchError, naming the files that differ, if there are any."""
        if self.differing:
            verb = "differs" if len(self.differing) == 1 else "differ"
            raise MoltBenchError(f"{folder}: {', '.join(self.differing)} {verb} from what the journal gives")

    def notes(self) -> list[str]:
        """Return a line each for what is missing, from before, or not checked."""
        told = {
            "missing": self.missing,
            "out of date, since the run went on (write them anew with `molt-bench report` or `export`)": self.stale,
            "not checked": self.unchecked,
        }
        return [f"  {what}: {', '.join(names)}" for what, names in told.items() if names]


def check_artifacts(run: Run, rows: Rows) -> ArtifactCheck:
    """Compare every file of a run with what follows from its journal, and from the rows of its games.

    The files of plug-ins are checked by these.
    """
    folder, content = run.folder, run.content
    written = summarized(folder)
    behind = written is not None and written[0] < content.line_count
    earlier = Rows(run.until(written[0]).result()) if written is not None and behind else None
    unknown = run.ending is None and written is None  # nobody knows when its files were written
    kinds = {JOURNAL: "same"}
    if run.replies_are_recorded is not None:
        kinds[REPLIES] = "same" if run.replies_are_recorded else "differing"
    for name, make in ARTIFACTS.items():
        if os.path.lexists(folder / name) and not unknown:
            kinds[name] = _kind(folder / name, make, rows, earlier)
        elif run.ending is not None:
            kinds[name] = "missing"
    if os.path.lexists(folder / CARD):
        kinds[CARD] = _kind(folder / CARD, lambda rows: card_text(rows, run.header), rows, earlier)
    problems = []
    for name, point in points(FILES).items():
        if inside(folder, folder / name):
            try:
                kinds[name] = "same" if point.load()(run, rows) else "differing"
            except Exception as error:  # foreign code: it may raise anything
                problems.append(broken(point, error, f", so {name} is not checked"))
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        kinds.setdefault(on_one_line(entry.name), "unchecked")
    by_kind = {kind: tuple(name for name, each in kinds.items() if each == kind) for kind in set(kinds.values())}
    return ArtifactCheck(**{**by_kind, "problems": tuple(problems)})


def _kind(file: Path, make: Callable[[Rows], str], rows: Rows, earlier: Rows | None) -> str:
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
    """Return whether a file is what was made: every word, and every number but for its last digits."""
    if text == made:
        return True
    write = as_lines if name.endswith(".jsonl") else indented
    try:
        there, wanted = _values(name, text), _values(name, made)
        if name == SUMMARY:
            wanted |= {key: there[key] for key in NOT_FROM_JOURNAL if key in there and key in wanted}
        return text == write(_near(wanted, there))
    except (ValueError, TypeError, RecursionError):
        return False


def _values(name: str, text: str) -> Any:
    return [json.loads(line) for line in text.splitlines()] if name.endswith(".jsonl") else json.loads(text)


def _near(wanted: Any, there: Any) -> Any:
    """Return what is wanted, with those of the numbers that are there that differ in the last digits alone."""
    if isinstance(wanted, dict) and isinstance(there, dict):
        return {key: _near(each, there.get(key)) for key, each in wanted.items()}
    if isinstance(wanted, list) and isinstance(there, list) and len(wanted) == len(there):
        return [*map(_near, wanted, there)]
    if isinstance(wanted, float) and isinstance(there, float):
        return there if isclose(there, wanted, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE) else wanted
    return wanted
