"""One order on every screen and in every file: the one that the run's confidence is about."""

import json
import re
from io import StringIO
from itertools import pairwise

import msgspec
import pytest
from rich.console import Console
from tests.report.said import sentences

from molt_bench import run_benchmark
from molt_bench.bench.result import RunResult
from molt_bench.report.analysis import Analysis
from molt_bench.report.artifacts import ARTIFACTS
from molt_bench.report.explanation import raw_and_corrected
from molt_bench.report.result_tables import print_result
from molt_bench.report.rows import Rows

NAMES = ["tag", "callstation", "maniac", "tight", "random"]


def played(method: str) -> RunResult:
    return run_benchmark(
        {
            "participants": NAMES,
            "seeds": {"perMatch": 2, "masterSeed": 1},
            "game": {"handsPerGame": 10},
            "scheduler": {"policy": "round_robin"},
            "stop": {"budget": {"maxMatches": 10}, "adjacentConfidence": {"method": method, "threshold": 0.999}},
        }
    )


@pytest.fixture(scope="module")
def by_result() -> Analysis:
    return Analysis(played("margin"))


def table_of(found: Analysis) -> list[str]:
    out = StringIO()
    print_result(Rows(found.result), Console(file=out, width=120))
    return [line.split()[1] for line in out.getvalue().splitlines() if re.match(r" *\d+(-\d+)? +\w", line)][
        : len(NAMES)
    ]


def test_by_margins_everything_is_in_the_order_of_results(by_result: Analysis) -> None:
    by_mu = [rating.id for rating in by_result.result.leaderboard]
    order = sorted(by_mu, key=lambda name: -by_result.results[name].mean)
    assert order != by_mu, "or this test shows nothing"
    board = json.loads(ARTIFACTS["leaderboard.json"](Rows(by_result.result)))["participants"]
    assert [row["id"] for row in board] == order
    assert [(each.above, each.below) for each in by_result.verdicts] == list(pairwise(order))
    assert table_of(by_result) == order


def test_mu_stands_last_and_is_said_to_sort_nothing(by_result: Analysis) -> None:
    out = StringIO()
    print_result(Rows(by_result.result), Console(file=out, width=120))
    (heading,) = [line.split() for line in out.getvalue().splitlines() if line.split()[:2] == ["#", "agent"]]
    assert heading[-1] == "mu±sigma"
    assert not any("mu" in line.split() for line in sentences(by_result))


def test_by_openskill_everything_is_in_the_order_of_mu() -> None:
    found = Analysis(played("openskill"))
    by_mu = [rating.id for rating in found.result.leaderboard]
    board = json.loads(ARTIFACTS["leaderboard.json"](Rows(found.result)))["participants"]
    assert [row["id"] for row in board] == by_mu == table_of(found)
    assert [row["mu"] for row in board] == sorted([row["mu"] for row in board], reverse=True)


def test_ties_share_a_range_and_the_next_one_counts_them() -> None:
    """Three that play the same, and one that loses to all of them."""
    same = [{"id": name, "type": "callstation"} for name in ("a", "b", "c")]
    found = Analysis(run_benchmark({"participants": [*same, "folder"], "stop": {"budget": {"maxMatches": 60}}}))
    assert [each.kind for each in found.verdicts] == ["tied", "tied", "ordered"]
    ranks = {row.id: row.rank_range for row in Rows(found.result).agents}
    assert ranks == {"a": (1, 3), "b": (1, 3), "c": (1, 3), "folder": (4, 4)}


def test_one_who_has_not_played_has_no_rank_and_stands_below_those_who_have() -> None:
    config = {
        "participants": ["tight", "folder", "tag"],
        "seeds": {"perMatch": 2},
        "game": {"handsPerGame": 10},
        "scheduler": {"policy": "round_robin"},
        "stop": {"budget": {"maxMatches": 1}, "adjacentConfidence": None},
    }
    found = Analysis(run_benchmark(config))
    (absent,) = [name for name in found.order if not found.model.met(name)]
    rows = Rows(found.result).agents
    assert (rows[-1].id, rows[-1].rank_range) == (absent, None)
    assert rows[0].bb_per_100 > 0 > rows[1].bb_per_100


def test_the_estimator_is_that_of_the_config(by_result: Analysis) -> None:
    assert by_result.estimator == "adjusted"
    assert "(estimator adjusted)." in raw_and_corrected(Rows(by_result.result))
    rating = by_result.result.config.rating.model_copy(update={"estimator": "raw"})
    raw = by_result.result.config.model_copy(update={"rating": rating})
    assert Analysis(msgspec.structs.replace(by_result.result, config=raw)).estimator == "raw"
