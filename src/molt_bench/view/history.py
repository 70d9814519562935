"""History: the results of each agent from run to run, and who got worse."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from molt_bench.errors import MoltBenchError
from molt_bench.records import MBB_PER_BB100
from molt_bench.report.rows import Rows
from molt_bench.runs.header import recorded_reply_forms
from molt_bench.study.comparison import ComparedRun, compare
from molt_bench.view import rounded
from molt_bench.view.open_run import OpenRun
from molt_bench.view.run_list import started


class Chapter(msgspec.Struct, frozen=True):
    """One run of the history: what people call it, when it started (ISO 8601), and everybody's result by id."""

    run: ComparedRun
    started: str | None
    points: dict[str, dict[str, Any]]

    def about(self) -> dict[str, Any]:
        """Return what is said of the run where it is named."""
        return {"id": self.run.name, "started": self.started}


def chapter_of(run: OpenRun) -> Chapter:
    """Return the results of a run for the history."""
    result, began = run.result(), started(run.id)
    rows = Rows(result)
    found = rows.found
    # The reference of a gauntlet stands at 0 by definition: that is no result of its own.
    agents = [row for row in rows.agents if row.id != found.reference] if result.matches else []
    points = {
        row.id: {
            "run": run.id,
            "started": began,
            "bb100": row.bb_per_100,
            "halfWidth": row.bb_per_100_half_width,
            "estimator": found.estimator,
            "mu": rounded(row.mu),
            "sigma": rounded(row.sigma),
            "codeHash": run.header.source_hashes.get(row.id),
            "name": row.name,
            "opponents": list(found.model.field_of(row.id)),
        }
        for row in agents
    }
    header = run.header
    compared = ComparedRun(
        run.id,
        run.config,
        result,
        header.source_hashes,
        run.skills,
        reply_forms=recorded_reply_forms(header),
        bench_version=header.bench_version,
    )
    return Chapter(compared, began, points)


def history(chapters: Sequence[Chapter]) -> dict[str, Any]:
    """Return the results of each agent, oldest run first, and the change from each run to the next.

    Changes are measured as by `compare`: on the same cards where both runs have them, and only against opponents that
    have not changed. If two runs cannot be compared, the reason is given.
    """
    # Oldest first; those without a time in their name come first.
    ordered = sorted(chapters, key=lambda chapter: (chapter.started or "", chapter.run.name))
    appearances: dict[str, list[Chapter]] = defaultdict(list)
    for chapter in ordered:
        for name in chapter.points:
            appearances[name].append(chapter)
    return {
        "runs": [chapter.about() for chapter in ordered],
        "agents": [
            {"name": name, "points": [chapter.points[name] for chapter in found]}
            for name, found in sorted(appearances.items())
        ],
        "regressions": [
            {**_agent_change(name, old.run, new.run), "sameField": _same_field(name, old, new)}
            for name, found in sorted(appearances.items())
            for old, new in pairwise(found)
        ],
    }


def _same_field(name: str, old: Chapter, new: Chapter) -> bool:
    """Return whether two results of an agent are against the same opponents: only then a line may join them."""
    one, two = ({*chapter.points[name]["opponents"]} for chapter in (old, new))
    return one == two and all(old.run.identity(each) == new.run.identity(each) for each in one)


def _agent_change(name: str, old: ComparedRun, new: ComparedRun) -> dict[str, Any]:
    """Return how an agent has changed from one run to another, as `compare` measures it; or why that is not known."""
    about: dict[str, Any] = {"agent": name, "from": old.name, "to": new.name}
    try:
        compared = compare(old, new, agents=[(name, name)])
    except MoltBenchError as error:
        return {**about, "difference": None, "halfWidth": None, "verdict": "unknown", "why": str(error)}
    (found,) = compared.differences
    low, high = found.interval
    return {
        **about,
        "difference": rounded(found.change.mean / MBB_PER_BB100),
        "halfWidth": rounded((high - low) / 2 / MBB_PER_BB100),
        "verdict": found.verdict,
        "why": None,
    }
