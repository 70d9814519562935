"""What `plan` says about the whole run: a number where it is known, or else a range and nothing in its middle."""

import re

import pytest
from rich.console import Console

from molt_bench.cli.plan_tables import plan_remarks, plan_table
from molt_bench.config.loader import load_config
from molt_bench.study.planner import Planner
from molt_bench.study.whole_run import WholeRun


@pytest.fixture(scope="module")
def planner():
    config = {"participants": ["tag", "tight", "random"], "seeds": {"perMatch": 10}, "stop": {"budget": None}}
    return Planner(load_config(config))


def whole(planner, *, known, by_pilot=True, pilot=0, advised=None):
    least, middle, most = (planner.taking(None, "decided", matches) for matches in (10, 40, 90))
    return WholeRun(middle if known else None, least, most, by_pilot, pilot, advised)


def said(planner, **settings):
    return plan_remarks([], whole(planner, **settings), planner.assumed, None)[0]


def rows(planner, **settings):
    """Return the rows of the table, cell by cell."""
    screen = Console(width=80)
    with screen.capture() as caught:
        screen.print(plan_table([], whole(planner, **settings), models=False))
    return [line.split() for line in caught.get().splitlines() if "decided" in line]


def test_a_known_number_is_said_with_the_range(planner):
    told = said(planner, known=True, pilot=5)
    assert "That takes about 40k hands: 30 simulated runs" in told
    assert told.endswith("with this line-up as the pilot knows it took 10k to 90k hands.")
    assert [row[4] for row in rows(planner, known=True)] == ["40k"]


def test_where_it_is_not_known_the_middle_is_nowhere(planner):
    told = said(planner, known=False, advised=12)
    assert "took 10k to 90k hands" in told
    shown = rows(planner, known=False, advised=12)
    assert [(row[0], row[4]) for row in shown] == [("least", "10k"), ("most", "90k")]
    assert not re.search(r"\b40", f"{told} {shown}")


def test_the_pilot_that_narrows_it_is_named(planner):
    assert said(planner, known=False, by_pilot=False, advised=12).endswith(
        "players as unlike as usual took 10k to 90k hands. "
        "Play a pilot of 12 matches, which the run can continue, and plan again."
    )
    # A pilot of the line-up in another game is no part of the run.
    assert said(planner, known=False, advised=12).endswith(
        "as the pilot knows it took 10k to 90k hands. "
        "This run cannot continue that pilot: play one of 12 matches with this config and plan again."
    )
    assert said(planner, known=False, pilot=5, advised=40).endswith("Play on to 40 matches and plan again.")


def test_a_run_that_its_pilot_has_decided_does_not_lie_ahead(planner):
    need = planner.taking(None, "decided", 9)
    told = plan_remarks([], WholeRun(need, need, need, True, 9, None), planner.assumed, None)[0]
    assert told == "Decided: every two neighbours are ordered or tied. The pilot has decided it, with 9,000 hands."
