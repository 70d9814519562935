"""What `plan` says: what the budget shows first, and how much is left of a run that the pilot begins."""

import pytest
from rich.console import Console

from molt_bench.cli.plan_tables import plan_remarks, plan_sentences, plan_table
from molt_bench.config.loader import load_config
from molt_bench.study.plan import Plan


class Begun(Plan):
    """A plan with a pilot that begins its run."""

    times = 1.0

    def to_decide(self):
        return 3000, self.times


@pytest.fixture
def plan():
    return Begun(load_config({"participants": ["tag", "tight", "random"], "stop": {"budget": {"maxMatches": 20}}}))


def test_what_the_budget_shows_comes_first(plan):
    assert plan_sentences(plan)[0].startswith("These 20,000 hands can tell apart players about ")


@pytest.mark.parametrize(
    ("times", "said"),
    [
        (1.0, "3,000 hands: every two neighbours are decided."),
        (5.0, "3,000 hands: about 12k more would decide every two neighbours, if every lead stays as it is."),
        (float("inf"), "3,000 hands: too few to say how many more would decide every two neighbours."),
        (1e9, "3,000 hands: more than anybody plays would decide every two neighbours, if every lead stays as it is."),
    ],
)
def test_what_is_left_of_a_run_is_said(plan, times, said):
    plan.times = times
    assert plan_sentences(plan)[1] == f"The pilot begins this run with {said}"


def test_a_row_beyond_the_budget_is_marked(plan):
    screen = Console(width=80)
    with screen.capture() as caught:
        screen.print(plan_table([("opening", plan.price(3)), ("gap 10", plan.price(90))], models=False, most=20))
    assert [line.split()[:3] for line in caught.get().splitlines() if "k" in line or "opening" in line] == [
        ["opening", "3", "60"],
        ["gap", "10*", "90"],
    ]


def test_a_gap_is_said_with_its_outcome(plan):
    remarks = plan_remarks(plan, [(100.0, "tied")], beyond=False)
    assert remarks[1] == "gap 10: until two that are so many bb/100 apart are tied."
