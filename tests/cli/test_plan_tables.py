"""What `plan` says about the whole run: a number where it is known well, or else a range first."""

import pytest
from msgspec.structs import replace

from molt_bench.cli.plan_tables import plan_remarks
from molt_bench.config.loader import load_config
from molt_bench.study.planner import Planner


@pytest.fixture(scope="module")
def planner():
    config = {"participants": ["tag", "tight", "random"], "seeds": {"perMatch": 10}, "stop": {"budget": None}}
    return Planner(load_config(config))


def said(planner, likely, *, pilot=0):
    """Return what is said about a run of 40 matches, given the range and the seed pairs of a pilot."""
    whole = replace(planner.for_matches(40), outcome="decided", likely_hands=likely)
    assumed = replace(planner.assumed, pilot_seed_pairs=pilot)
    return plan_remarks([whole], assumed, None, known=bool(pilot))[0]


def test_a_range_within_a_factor_of_two_comes_after_the_number(planner):
    told = said(planner, (30_000, 55_000), pilot=100)
    assert "takes about 40k hands with this line-up as the pilot knows it" in told
    assert told.endswith("eight of ten simulated runs took 30k to 55k.")


def test_a_wider_range_comes_first_with_the_pilot_that_narrows_it(planner):
    told = said(planner, (10_000, 90_000))
    assert told.index("between 10k and 90k hands") < told.index("40k in the middle one")
    assert told.endswith("A pilot of 10 matches tells more, and can be continued.")


@pytest.mark.parametrize(("pilot", "matches"), [(20, 10), (100, 20)])
def test_a_pilot_that_has_not_settled_it_is_to_play_on(planner, pilot, matches):
    """To a quarter of the middle run, or to twice as much as there is."""
    assert said(planner, (10_000, 90_000), pilot=pilot).endswith(f"Play on to {matches} matches and plan again.")
