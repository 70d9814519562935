"""What a gate found, in words, tables, Markdown, JUnit and JSON, and the answers of a comparison by a margin."""

from datetime import UTC, datetime
from math import inf
from xml.etree import ElementTree

import msgspec
import pytest
from tests.study.test_comparison_formats import HOSTILE

from molt_bench.bench.gate import AgainstOne, GateFinding
from molt_bench.study.change import Change
from molt_bench.study.comparison import Difference, Measured
from molt_bench.study.gate import GateOutcome, Speed, junit, markdown, plain

WHEN = datetime(2026, 1, 31, 12, 0, 5, tzinfo=UTC)
LEVEL = 0.95


def against(name="tag", change=-10.0):
    return AgainstOne(name, 40, 100.0, 100.0 + change, change, 300.0)


def outcome(verdict="kept", *, reasons=(), faulty=(), names=("tag",), more=1.0, half=200.0, **known):
    found = GateFinding(
        verdict, 500.0, -10.0, half, tuple(map(against, names)), (*reasons, *faulty), faulty, 0.0, 0.0, 2800, more
    )
    return GateOutcome(found, "the budget of 2,800 hands is spent", "adjusted", **known)


LOST = ("it surely lost more than 50 bb/100 to tag",)
FAULTY = ("it made faults in 90.0% of its hands, and the old version in 0.0%",)


@pytest.mark.parametrize(
    ("found", "status", "said"),
    [
        (outcome(), 0, "The new version is not worse by more than 50 bb/100. The change is -1.0 ± 20.0 bb/100."),
        (outcome("worse", reasons=LOST), 4, "The new version is worse: it surely lost more than 50 bb/100 to tag. The"),
        (outcome("worse", faulty=FAULTY, half=inf), 4, "in 90.0% of its hands, and the old version in 0.0%."),
        (outcome("open", more=3.0), 6, "An answer takes about 9,000 hands in all, if the change stays as it is."),
        (outcome("open", more=3.0, usd=2.0), 6, "about 9,000 hands and $6.00 in all"),
        (outcome("open", more=inf), 6, "too close to the margin for any number of hands."),
    ],
)
def test_the_sentence_and_the_status_say_the_same(found, status, said):
    assert found.status == status
    assert said in found.sentence()


@pytest.mark.parametrize(
    ("new", "old", "status"), [(0.1, 0.01, 4), (0.02, 0.01, 0), (0.0009, 0.0001, 0), (1.0, 2.0, 0)]
)
def test_a_decision_that_takes_several_times_as_long_is_worse_if_anybody_can_feel_it(new, old, status):
    assert outcome(speed=Speed(new, old, slower=3.0)).status == status
    assert outcome(speed=Speed(new, old, slower=0.0)).status == 0


def test_slowness_is_said_in_milliseconds():
    assert (
        "a decision takes 120 ms, and took the old version 15 ms" in outcome(speed=Speed(0.12, 0.015, 3.0)).sentence()
    )


@pytest.mark.parametrize(
    ("found", "failed", "skipped"),
    [
        (outcome(), [], 0),
        (outcome("worse", reasons=LOST), ["against tag"], 0),
        (outcome("worse", faulty=FAULTY), ["faults"], 0),
        (outcome("worse", reasons=("it surely lost more than 50 bb/100",)), ["mean"], 0),
        (outcome(speed=Speed(1.0, 0.1, 3.0)), ["speed"], 0),
        (outcome("open"), [], 3),
    ],
)
def test_a_junit_suite_has_a_test_for_each_way_to_be_worse(found, failed, skipped):
    suite = ElementTree.fromstring(junit(found, WHEN)).find("testsuite")
    assert [case.get("name") for case in suite.findall("testcase") if case.find("failure") is not None] == failed
    assert len(suite.findall("testcase/skipped")) == skipped == int(suite.get("skipped"))
    assert int(suite.get("tests")) == len(suite.findall("testcase"))


def test_every_opponent_and_the_mean_are_rows_of_the_comment_whatever_they_are_called():
    text = markdown(outcome(names=tuple(HOSTILE)))
    assert len([line for line in text.splitlines() if line.startswith("|")]) == len(HOSTILE) + 3
    assert text.startswith("### molt-bench gate: not worse\n")
    assert "<script>" not in text
    ElementTree.fromstring(junit(outcome(names=tuple(HOSTILE)), WHEN))


def test_json_has_nulls_where_nothing_is_known():
    found = plain(outcome("open", half=inf, more=inf))
    assert (found["changeBbPer100"], found["bbPer100HalfWidth"], found["morePlay"]) == (None, None, None)
    assert found["verdict"] == "open"


def known(low, high):
    """Return a change with this interval, from so many seed pairs that nothing is left to be careful about."""
    unit = Change(0.0, 1.0, 1e9, 0.0, 100_000.0)
    return msgspec.structs.replace(unit, mean=(low + high) / 2, error=(high - low) / 2 / unit.half_width(LEVEL))


def change(low, high, *, faults=0.0, **by_opponent):
    found = known(low, high)
    parts = {name: known(*each) for name, each in by_opponent.items()} or {"tight": found}
    return Difference("bot", "bot", Measured(True, (24,), 0.0, found.mean, found, parts), LEVEL, 250.0, faults)


@pytest.mark.parametrize(
    ("found", "answer"),
    [
        (change(-110, -101), "worse"),
        (change(-110, -90), "open"),
        (change(-99, -90), "kept"),
        (change(-99, 800), "kept"),
        (change(-300, 100, tight=(90, 110), maniac=(-310, -290)), "worse"),
        (change(800, 900, faults=0.96), "worse"),
    ],
)
def test_two_finished_runs_are_judged_by_the_same_margin(found, answer):
    assert found.answer(100.0) == answer
    assert (found.reason(100.0) is None) == (answer == "kept")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (change(-300, 100, tight=(90, 110), maniac=(-310, -290)), "certain that it lost more than 10 bb/100 to maniac"),
        (change(-900, 800), "not 95% certain that it did not lose more than 10 bb/100, with 24 seed pairs; to notice"),
        (change(800, 900, faults=0.96), "it gave no usable answer in 96% of its hands"),
    ],
)
def test_a_comparison_says_why_it_fails(found, said):
    assert said in found.reason(100.0)
