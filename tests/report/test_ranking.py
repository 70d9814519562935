"""One order everywhere, the one that the confidence is about; a rank is a range, shared by those not told apart."""

import re
from io import StringIO
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.report.said import sentences

from molt_bench import run_benchmark
from molt_bench.rating.ranks import rank_ranges
from molt_bench.report.artifacts import leaderboard, summary
from molt_bench.report.result_tables import print_result
from molt_bench.report.rows import Rows
from molt_bench.report.verdict import headline

NAMES = ["tag", "callstation", "maniac", "tight", "random"]
SHORT = {"seeds": {"perMatch": 4, "masterSeed": 1}, "game": {"handsPerGame": 10}}


def played(method, **more):
    rule = {"budget": {"maxMatches": 30}, "adjacentConfidence": {"method": method, "threshold": 0.99}}
    policy = {"scheduler": {"policy": "round_robin"}}
    return Rows(run_benchmark({"participants": NAMES, **SHORT, **policy, "stop": rule, **more}))


@pytest.fixture(scope="module")
def by_result():
    return played("margin")


@pytest.fixture(scope="module")
def by_mu():
    return played("openskill")


@pytest.fixture(params=["by_result", "by_mu"])
def rows(request):
    return request.getfixturevalue(request.param)


def printed(rows):
    out = StringIO()
    print_result(rows, Console(file=out, width=120))
    return [line.split() for line in out.getvalue().splitlines()]


def test_by_margins_everything_is_in_the_order_of_results(by_result):
    by_mu = [rating.id for rating in by_result.found.result.leaderboard]
    order = sorted(by_mu, key=lambda name: -by_result.found.results[name].mean)
    assert order != by_mu, "or this test shows nothing"
    assert [row.id for row in by_result.agents] == order
    assert [(each.above, each.below) for each in by_result.found.verdicts] == list(pairwise(order))


def test_by_openskill_everything_is_in_the_order_of_mu(by_mu):
    means = [row.mu for row in by_mu.agents]
    assert means == sorted(means, reverse=True)


def test_the_file_and_the_table_have_that_order_with_the_same_ranks(rows):
    told = [row.id for row in rows.agents]
    board = leaderboard(rows)["participants"]
    assert [row["id"] for row in board] == told == [*rows.found.rank_ranges]
    table = [line for line in printed(rows) if line[1:2] and line[1] in told and re.match(r"\d", line[0])]
    assert [line[1] for line in table] == told
    assert [line[0] for line in table] == [row.rank_text() for row in rows.agents]
    assert any("-" in line[0] for line in table)
    assert len({line[0] for line in table}) > 1, "or this test shows nothing"


def test_mu_stands_last_and_is_said_to_sort_nothing(by_result):
    (heading,) = [line for line in printed(by_result) if line[:2] == ["#", "agent"]]
    assert heading[-1] == "mu±sigma"
    assert not any("mu" in line.split() for line in sentences(by_result.found))


def test_the_headline_names_a_leader_only_where_one_is_claimed_and_is_in_the_summary(rows):
    said = headline(rows)
    assert summary(rows)["headline"] == " ".join(said)
    first = [name for name, (best, _) in rows.found.rank_ranges.items() if best == 1]
    assert said[0].startswith(f"{first[0]} leads" if len(first) == 1 else "No leader can be named: ")
    assert all(name in said[0] for name in first)
    assert 1 <= len(said) <= 2
    so_far = headline(Rows(replace(rows.found.result, ending=None)))
    assert so_far[0] == f"So far: {said[0]}"


def test_the_headline_of_a_gauntlet_begins_with_its_reference():
    against = played("margin", scheduler={"reference": "tight"})
    said = headline(against)[0]
    assert re.match(r"Against tight, the reference: (No leader can|\w+ leads with) ", said)


def test_brackets_are_around_those_who_are_not_told_apart(rows):
    found, told = rows.found, {*rows.found._told_apart}
    covered = set()
    for first, last in found.open_runs:
        inside = found.order[first : last + 1]
        assert len(inside) > 1
        assert told.isdisjoint(combinations(inside, 2))
        covered |= {*combinations(inside, 2)}
    assert {pair for pair in pairwise(found.order) if pair not in told} <= covered


def test_those_of_whom_no_order_is_claimed_share_ranks(rows):
    for each in rows.found.verdicts:
        (best, worst), (other_best, other_worst) = (rows.by_id[name].rank_range for name in (each.above, each.below))
        claimed = each.kind == "ordered"
        assert (best < other_best and worst < other_worst) if claimed else worst >= other_best


def test_no_page_makes_up_a_rank_of_its_own():
    """Every script prints a rank with `rankText`, from the ranges in the data."""
    for script in (Path(__file__).parents[2] / "src/molt_bench/plugins/view/static").glob("*.js"):
        text = script.read_text().replace("span.rank", "").replace("GLOSSARY.rank", "")
        assert not re.search(r"\.rank\b|\{ rank\b", text) or script.name == "pokertable.js", script.name


@pytest.mark.parametrize(
    ("apart", "ranges"),
    [
        ([("a", "c")], [(1, 2), (1, 3), (2, 3)]),  # a chain of ties does not make its ends equal
        (combinations("abc", 2), [(1, 1), (2, 2), (3, 3)]),
        ([("a", "b"), ("b", "c")], [(1, 1), (2, 2), (3, 3)]),  # what follows from two orders counts, too
        ([], [(1, 3)] * 3),
    ],
)
def test_a_range_has_the_ranks_that_claimed_orders_leave_possible(apart, ranges):
    assert rank_ranges("abc", apart) == dict(zip("abc", ranges, strict=True))


def test_ties_share_a_range_and_the_next_one_counts_them():
    """Three that play the same, and one that loses to all of them."""
    same = [{"id": name, "type": "callstation"} for name in ("a", "b", "c")]
    rows = Rows(run_benchmark({"participants": [*same, "folder"], "stop": {"budget": {"maxMatches": 60}}}))
    assert [each.kind for each in rows.found.verdicts] == ["tied", "tied", "ordered"]
    ranks = {row.id: row.rank_range for row in rows.agents}
    assert ranks == {"a": (1, 3), "b": (1, 3), "c": (1, 3), "folder": (4, 4)}


def test_one_who_has_not_played_has_no_rank_and_stands_below_those_who_have():
    stop = {"budget": {"maxMatches": 1}, "adjacentConfidence": None}
    rows = played("margin", participants=["tight", "folder", "tag"], stop=stop)
    (absent,) = [row.id for row in rows.agents if not row.matches]
    assert (rows.agents[-1].id, rows.agents[-1].rank_range) == (absent, None)
    assert rows.agents[0].bb_per_100 > 0 > rows.agents[1].bb_per_100


def test_the_estimator_is_that_of_the_config(by_result):
    assert by_result.found.estimator == "adjusted"
    result = by_result.found.result
    rating = result.config.rating.model_copy(update={"estimator": "raw"})
    raw = Rows(replace(result, config=result.config.model_copy(update={"rating": rating})))
    assert [row.bb_per_100 for row in raw.agents] == [row.raw_bb_per_100 for row in raw.agents]
