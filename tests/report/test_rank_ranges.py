"""A rank is a range of ranks: the same one in everything that is printed, shared by those who are not told apart."""

import json
import re
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from msgspec import structs
from tests.e2e.shell import quick_run

from molt_bench.rating.ranks import rank_ranges
from molt_bench.report.analysis import Analysis
from molt_bench.report.rows import Rows
from molt_bench.report.verdict import headline
from molt_bench.runs.run import Run

FLAGS = ("--participants", "tag,tight,maniac,callstation,folder", "--hands", "10", "--seeds", "4", "--quiet")


@pytest.fixture(scope="module")
def run_by(tmp_path_factory) -> Callable[[str], Path]:
    """Return a function that returns the run by a rule, which is played once."""

    @cache
    def played(method: str) -> Path:
        rule = "--set", f"stop.adjacentConfidence.method={method}", "--max-matches", "30"
        return Path(quick_run(tmp_path_factory.mktemp("runs"), *FLAGS, *rule, "--master-seed", "ranks"))

    return played


@pytest.fixture(params=["margin", "openskill"])
def run(request, run_by) -> Path:
    return run_by(request.param)


@pytest.fixture
def ranges(run: Path) -> dict[str, str]:
    """Return everybody's rank as text, by the rule itself."""
    found = Analysis(Run.open(run).result())
    return {name: "-".join(map(str, dict.fromkeys(both))) for name, both in found.rank_ranges.items()}


def test_some_are_told_apart_and_some_are_not_or_nothing_here_shows_anything(ranges):
    assert any("-" in text for text in ranges.values())
    assert len({*ranges.values()}) > 1


def test_the_headline_names_a_leader_only_where_one_is_claimed_and_is_in_the_summary(run):
    found = Analysis(Run.open(run).result())
    said = headline(Rows(found.result))
    assert json.loads((run / "summary.json").read_text())["headline"] == " ".join(said)
    first = [name for name, (best, _) in found.rank_ranges.items() if best == 1]
    if len(first) == 1:
        assert said[0].startswith(f"{first[0]} leads")
    else:
        assert said[0].startswith("No leader can be named: ")
        assert all(name in said[0] for name in first[:3])
    assert 1 <= len(said) <= 2


def test_the_headline_of_a_gauntlet_or_of_a_run_in_progress_is_one_sentence(run, tmp_path):
    result = Run.open(run).result()
    plain = headline(Rows(result))[0]
    (so_far,) = {headline(Rows(structs.replace(result, ending=None)))[0]}
    assert so_far == f"So far: {plain}"
    flags = "--participants", "tag,tight,folder", "--reference", "tight", "--max-matches", "2"
    against = Path(quick_run(tmp_path, *flags, "--hands", "4", "--seeds", "2", "--quiet", "--master-seed", "headline"))
    assert re.match(
        r"Against tight, the reference: (No leader can|\w+ leads with) ",
        headline(Rows(Run.open(against).result()))[0],
    )


def test_brackets_are_around_those_who_are_not_told_apart(run):
    found = Analysis(Run.open(run).result())
    told = {*found._told_apart}
    for first, last in found.open_runs:
        inside = found.order[first : last + 1]
        assert len(inside) > 1
        assert told.isdisjoint(combinations(inside, 2))
    covered = {pair for first, last in found.open_runs for pair in combinations(found.order[first : last + 1], 2)}
    neighbours = [*zip(found.order, found.order[1:], strict=False)]
    assert {pair for pair in neighbours if pair not in told} <= covered


def test_no_page_makes_up_a_rank_of_its_own():
    """Every script prints a rank with `rankText`, from the ranges in the data."""
    for script in (Path(__file__).parents[2] / "src/molt_bench/view/static").glob("*.js"):
        text = script.read_text()
        assert (
            not re.search(r"\.rank\b|\{ rank\b", text.replace("span.rank", "").replace("GLOSSARY.rank", ""))
            or script.name == "pokertable.js"
        ), script.name


def test_those_of_whom_no_order_is_claimed_share_ranks(run):
    found = Analysis(Run.open(run).result())
    for each in found.verdicts:
        (best, worst), (other_best, other_worst) = found.rank_ranges[each.above], found.rank_ranges[each.below]
        if each.kind == "ordered":
            assert best < other_best
            assert worst < other_worst
        else:
            assert worst >= other_best


def test_a_range_is_sorted_by_result_within(run):
    found = Analysis(Run.open(run).result())
    names = [*found.rank_ranges]
    assert names == [row.id for row in Rows(found.result).agents]


def test_a_chain_of_ties_does_not_make_its_ends_equal():
    assert rank_ranges("abc", [("a", "c")]) == {"a": (1, 2), "b": (1, 3), "c": (2, 3)}


def test_all_told_apart_have_a_rank_each_and_none_told_apart_have_all():
    assert rank_ranges("abc", combinations("abc", 2)) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
    assert rank_ranges("abc", []) == dict.fromkeys("abc", (1, 3))
    assert rank_ranges("", []) == {}


def test_what_follows_from_two_orders_counts_too():
    assert rank_ranges("abc", [("a", "b"), ("b", "c")]) == {"a": (1, 1), "b": (2, 2), "c": (3, 3)}
