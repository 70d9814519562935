"""The results of agents over the runs of a folder, and what changed from one run to the next."""

from collections import defaultdict
from itertools import pairwise
from math import hypot
from typing import Any, Final

from molt_bench.plugins.view import rounded
from molt_bench.plugins.view.pages import started
from molt_bench.plugins.view.results import AgentResult, Results

#: Differences up to this do not matter, in bb/100.
_MATTERS_BB100: Final = 25.0


def history(results: list[Results]) -> dict[str, Any]:
    """Return the results of each agent, and the change from each run to the next, of runs that have results."""
    told = [each for each in results if each.leaderboard is not None and not each.secret]
    played = [each for each in told if each.summary is not None and each.summary.totals.matches]
    # Oldest first; those without a time in their name come first.
    runs = sorted(played, key=lambda each: (started(each.run) or "", each.run))
    appearances: dict[str, list[tuple[Results, AgentResult]]] = defaultdict(list)
    for each in runs:
        reference = each.config.reference
        for agent in each.leaderboard.participants if each.leaderboard is not None else ():
            if agent.id != reference:  # it stands at 0 by definition, which is no result of its own
                appearances[agent.id].append((each, agent))
    ordered = sorted(appearances.items())
    return {
        "runs": [{"id": each.run, "started": started(each.run)} for each in runs],
        "agents": [{"name": name, "points": [_point(*each) for each in found]} for name, found in ordered],
        "regressions": [_change(*old, *new) for _, found in ordered for old, new in pairwise(found)],
    }


def _point(results: Results, agent: AgentResult) -> dict[str, Any]:
    """Return the result of an agent in a run."""
    assert results.leaderboard is not None
    return {
        "run": results.run,
        "started": started(results.run),
        "bb100": agent.bb_per_100,
        "halfWidth": agent.bb_per_100_half_width,
        "estimator": results.leaderboard.estimator,
        "mu": agent.mu,
        "sigma": agent.sigma,
        "codeHash": results.look.header.known("code").get(agent.id),
        "name": agent.name,
        "opponents": results.opponents(agent.id),
    }


def _change(old: Results, before: AgentResult, new: Results, after: AgentResult) -> dict[str, Any]:
    """Return how the result of an agent has changed from one run to another; or why that is not known.

    Both results are taken to be independent. `compare` uses that the same cards were dealt, so it sees more.
    """
    why = _why_not(old, before, new, after)
    about = {"agent": after.id, "from": old.run, "to": new.run, "why": why, "sameField": why is None}
    if why is not None or before.bb_per_100_half_width is None or after.bb_per_100_half_width is None:
        return {**about, "difference": None, "halfWidth": None, "verdict": "unknown"}
    difference = (after.bb_per_100 or 0.0) - (before.bb_per_100 or 0.0)
    half_width = hypot(before.bb_per_100_half_width, after.bb_per_100_half_width)
    verdict = "worse" if difference + half_width < 0 else "better" if difference > half_width else "unknown"
    if abs(difference) + half_width <= _MATTERS_BB100:
        verdict = "within"
    return {**about, "difference": rounded(difference), "halfWidth": rounded(half_width), "verdict": verdict}


def _why_not(old: Results, before: AgentResult, new: Results, after: AgentResult) -> str | None:
    """Return why two results of an agent cannot be compared; None if they can."""
    for key, value in new.config.game.items():
        if old.config.game.get(key) != value:
            return f"game.{key} is {old.config.game.get(key)} in {old.run} and {value} in {new.run}"
    if old.opponents(before.id) != new.opponents(after.id):
        return "the opponents are not the same"
    changed = [each for each in new.opponents(after.id) if old.identity(each) != new.identity(each)]
    if changed:
        return f"the opponent {changed[0]} is not the same"
    assert old.leaderboard is not None
    assert new.leaderboard is not None
    if old.leaderboard.estimator != new.leaderboard.estimator:
        return f"the estimator is {old.leaderboard.estimator} in {old.run} and {new.leaderboard.estimator} in {new.run}"
    if before.bb_per_100_half_width is None or after.bb_per_100_half_width is None:
        return "it has not met all opponents in both runs"
    return None
