"""How far a run is: the numbers are those of its table, and the time left follows from the budget that ends first."""

import pytest

from molt_bench import run_benchmark
from molt_bench.arena.status import Observer
from molt_bench.cli.progress import _bar, _open, _progress
from molt_bench.config.loader import load_config
from molt_bench.report.progress import Pace, progress_of
from molt_bench.report.run_rows import Rows

CONFIG = {
    "participants": ["tag", "tight", "callstation", "random"],
    "seeds": {"perMatch": 4, "masterSeed": 1},
    "game": {"handsPerGame": 10},
    "stop": {"budget": {"maxMatches": 8}},
}


@pytest.fixture(scope="module")
def run():
    """Return a result, and what an observer saw last."""
    seen = []
    result = run_benchmark(CONFIG, executor="inline", observer=Observer(on_status=seen.append))
    return result, seen[-1]


def test_at_the_end_the_numbers_are_those_of_the_table(run):
    result, last = run
    rows, found = Rows(result), _progress(last, result.config)
    assert [(row.id, row.bb_per_100, row.bb_per_100_half_width) for row in rows.agents] == [
        (each.id, each.bb_per_100, each.bb_per_100_half_width) for each in found.standings
    ]
    open_ = [(lead.above, lead.below, lead.bb_per_100) for lead in rows.leads if lead.verdict == "open"]
    assert [(each.above, each.below, each.bb_per_100) for each in found.open] == open_
    assert (found.complete, found.hands, found.share) == (8, last.hands, 1.0)


def test_what_is_open_is_said_with_what_it_would_take(run):
    result, last = run
    found = _progress(last, result.config)
    assert found.open
    assert _open(found).startswith(f"open: {found.open[0].above} and {found.open[0].below}")
    assert f"{' more hands' if found.more_hands else ''}" in _open(found)


def far(seconds=30.0, matches=2.5, **budget):
    config = load_config({**CONFIG, "stop": {"budget": {"maxMatches": None, **budget}}})
    pace = Pace(complete=int(matches), matches=matches, games=20, hands=200, seconds=seconds)
    return progress_of(config, pace, [], {}.get, ())


def test_the_time_left_is_that_of_the_budget_that_ends_first():
    found = far(maxMatches=10, maxSeconds=100, maxHands=400)
    assert {each.label: each.share for each in found.budgets} == {"matches": 0.25, "hands": 0.5, "seconds": 0.3}
    assert (found.seconds_left, found.spent_first) == (30.0, "hands")


def test_a_match_in_progress_counts_in_the_bar_but_not_among_those_played():
    (only,) = far(maxMatches=10).budgets
    assert (only.used, only.limit, only.share) == (2, 10, 0.25)


def test_without_a_budget_there_is_no_bar_and_no_time_left():
    found = far()
    assert (found.budgets, found.share, found.seconds_left) == ((), None, None)
    assert _bar(found) == "30.00 s"


def test_the_bar_says_how_much_is_used_and_what_is_left():
    assert _bar(far(maxHands=400)) == "[############------------] 50%, 30.00 s, at most about 30 s left"


def test_before_a_hundredth_is_used_no_time_is_guessed():
    assert far(maxHands=100_000).seconds_left is None
