"""History: the results of each agent from run to run, and who got worse."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from molt_bench.errors import MoltBenchError
from molt_bench.report.analysis import MBB_PER_BB100, Analysis
from molt_bench.study.comparison import Run, compare
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_list import started


class Chapter(msgspec.Struct, frozen=True):
    """One run of the history: when it started, in ISO 8601, and the result of each participant by id."""

    run: Run
    started: str | None
    points: dict[str, dict[str, Any]]


def chapter_of(run: OpenRun) -> Chapter:
    """Return the results of a run for the history."""
    result, began = run.result(), started(run.id)
    found = Analysis(result)
    rows = found.rows if result.matches else ()
    ids = [row.rating.id for row in rows]
    points = {
        row.rating.id: {
            "run": run.id,
            "started": began,
            "bb100": rounded(row.bb_per_100),
            "halfWidth": rounded(row.half_width),
            "estimator": found.estimator,
            "mu": rounded(row.rating.mu),
            "sigma": rounded(row.rating.sigma),
            "codeHash": run.header.source_hashes.get(row.rating.id),
            "name": row.name,
            "opponents": [name for name in ids if name != row.rating.id],
        }
        for row in rows
    }
    compared = Run(run.id, run.config, result, run.header.source_hashes, run.skills)
    return Chapter(compared, began, points)


def history(chapters: Sequence[Chapter]) -> dict[str, Any]:
    """Return the results of each agent, oldest run first, and the change from each run to the next.

    Changes are measured as by `compare`: on the same cards where both runs have them, and only against opponents that
    have not changed. If two runs cannot be compared, the reason is given.
    """
    ordered = sorted(chapters, key=lambda chapter: (chapter.started or "", chapter.run.name))
    appearances: dict[str, list[Chapter]] = defaultdict(list)
    for chapter in ordered:
        for name in chapter.points:
            appearances[name].append(chapter)
    return {
        "agents": [
            {"name": name, "points": [chapter.points[name] for chapter in found]}
            for name, found in sorted(appearances.items())
        ],
        "regressions": [
            _difference(name, old, new) for name, found in sorted(appearances.items()) for old, new in pairwise(found)
        ],
    }


def _difference(name: str, old: Chapter, new: Chapter) -> dict[str, Any]:
    about: dict[str, Any] = {"agent": name, "from": old.run.name, "to": new.run.name}
    try:
        compared = compare(old.run, new.run, agents=[(name, name)])
    except MoltBenchError as error:
        return {**about, "difference": None, "halfWidth": None, "verdict": "unknown", "why": str(error)}
    (found,) = compared.differences
    low, high = found.interval
    return {
        **about,
        "difference": rounded(found.change.mean / MBB_PER_BB100),
        "halfWidth": rounded((high - low) / 2 / MBB_PER_BB100),
        "verdict": found.verdict,
        "paired": found.paired,
        "why": None,
    }
