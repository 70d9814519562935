"""Leaderboards over several runs of the same config, as plain JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from molt_bench.report.analysis import Analysis
from molt_bench.study.pooling import Pool, pools
from molt_bench.view.history import Chapter
from molt_bench.view.run_page import leaderboard_data, rule_data


def pooled(chapters: Sequence[Chapter], *, unfit: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return a leaderboard for every config that several runs have.

    Args:
        chapters: The runs, oldest first.
        unfit: The ids of other runs that cannot be used, and why.
    """
    open_ = {each.run.name: "it has not finished" for each in chapters if not each.finished}
    found = pools([each.run for each in chapters if each.finished], unfit={**unfit, **open_})
    return [_pool_data(each) for each in found]


def _pool_data(pool: Pool) -> dict[str, Any]:
    found = Analysis(pool.result)
    matches, config = pool.result.matches, pool.result.config
    return {
        "runs": list(pool.runs),
        "leftOut": [{"id": name, "why": why} for name, why in pool.left_out.items()],
        "matches": len(matches),
        "hands": sum(match.result.hands for match in matches),
        "participants": [
            {
                "id": each.id,
                "name": each.display_name or each.id,
                "anchor": each.anchor,
                "reference": each.id == config.scheduler.reference,
                "color": at,
            }
            for at, each in enumerate(config.participants)
        ],
        "rule": rule_data(found),
        "leaderboard": leaderboard_data(found),
    }
