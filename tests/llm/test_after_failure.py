"""What is done about a request that brought no reply, decided without a network."""

import pytest

from molt_bench.llm.after_failure import (
    LONGEST_PAUSE_S,
    REFUSALS_AT_FIRST,
    REFUSALS_LATER,
    RequestLimits,
    Standing,
    next_step,
)
from molt_bench.llm.trouble import RequestFailed

LIMITS = RequestLimits(backoff_s=2.0, pause_after_s=100.0)


def step(trouble, after_s=None, *, failures=0, limits=LIMITS, **situation):
    problem = RequestFailed(trouble, "why", after_s)
    return next_step(problem, failures, limits, Standing(**situation))


@pytest.mark.parametrize("failures", [0, 9])
def test_an_answer_that_comes_too_slowly_is_the_agents_fault_at_once(failures):
    found = step("timeout", failures=failures)
    assert (found.name, found.pause_s) == ("give up", 0.0)


def test_a_refusal_that_does_not_say_why_may_pass():
    found = step("rejected", ever_answered=False)
    assert (found.name, found.counts) == ("retry", True)


@pytest.mark.parametrize(
    ("trouble", "situation"),
    [("fatal", {}), ("rejected", {"ever_answered": False, "failures": 1})],
)
def test_a_refusal_for_good_stops_the_run(trouble, situation):
    found = step(trouble, **situation)
    assert (found.name, found.reason) == ("stop", "cannot be asked: why")


@pytest.mark.parametrize("trouble", ["transport", "rejected", "hung"])
def test_trouble_is_retried_with_growing_pauses_until_it_has_lasted_too_long(trouble):
    assert [step(trouble, failures=failures).pause_s for failures in range(3)] == [2.0, 4.0, 8.0]
    assert all(step(trouble, failures=failures).counts for failures in range(3))
    assert step(trouble, failures=9, troubled_s=99.0).name == "retry"
    found = step(trouble, failures=9, troubled_s=100.0)
    assert (found.name, found.reason.partition(";")[0]) == ("stop", "could not be asked for 100 s: why")


def test_with_fold_a_question_is_given_up_after_all_retries():
    limits = RequestLimits(transport_retries=2, on_failure="fold")
    found = [step("transport", failures=failures, limits=limits) for failures in range(3)]
    assert [(each.name, each.pauses) for each in found] == [("retry", False), ("retry", False), ("give up", False)]


def test_pauses_end_somewhere_and_never_reach_beyond_the_end():
    assert step("transport", failures=50).pause_s == 60.0
    assert step("transport", failures=50, troubled_s=90.0).pause_s == 10.0


def test_a_busy_model_is_asked_less_before_a_retry_counts():
    first = step("busy", failures=3, troubled_s=1000.0)
    assert (first.name, first.counts) == ("retry", False)
    alone = step("busy", at_floor=True)
    assert (alone.name, alone.counts) == ("retry", True)
    assert step("busy", at_floor=True, troubled_s=100.0).name == "stop"


@pytest.mark.parametrize(
    ("trouble", "slows"), [("busy", True), ("timeout", True), ("hung", True), ("transport", False), ("rejected", False)]
)
def test_a_model_that_could_not_take_so_many_requests_gets_fewer_at_once(trouble, slows):
    assert step(trouble).slows is slows


@pytest.mark.parametrize(("trouble", "at_floor"), [("transport", False), ("hung", False), ("busy", True)])
def test_a_model_is_paused_after_as_many_failures_as_are_retried(trouble, at_floor):
    limits = RequestLimits(transport_retries=2)
    assert [step(trouble, failures=at, limits=limits, at_floor=at_floor).pauses for at in range(4)] == [
        False,
        False,
        True,
        True,
    ]
    assert not step("busy", failures=9, limits=limits).pauses


@pytest.mark.parametrize("trouble", ["busy", "transport"])
def test_a_pause_that_the_provider_asks_for_is_kept_unless_it_is_too_long(trouble):
    assert step(trouble, 17.5).pause_s == 17.5
    assert step(trouble, 0.0).pause_s > 0
    assert step(trouble, LONGEST_PAUSE_S).name == "retry"
    too_long = step(trouble, 3600.0)
    assert (too_long.name, too_long.reason) == ("stop", "asks for a pause of 3,600 s: go on after it")


def test_whoever_never_answers_one_question_and_others_at_once_takes_too_long_over_it():
    limits = RequestLimits(transport_retries=2, pause_after_s=100.0)
    found = [step("hung", failures=at, limits=limits, answers_others=True, troubled_s=1000.0).name for at in range(3)]
    assert found == ["retry", "retry", "give up"]
    assert step("hung", failures=9, limits=limits).name == "retry"


def test_a_refused_prompt_is_a_fault_and_a_model_that_refuses_all_of_them_stops_the_run():
    assert step("refused", refusals=REFUSALS_LATER - 1).name == "refused"
    assert step("refused", refusals=REFUSALS_AT_FIRST - 1, ever_answered=False).name == "refused"
    assert step("refused", refusals=REFUSALS_LATER).reason == f"refused {REFUSALS_LATER} prompts in a row: why"
    at_first = step("refused", refusals=REFUSALS_AT_FIRST, ever_answered=False)
    assert (at_first.name, "answered none" in at_first.reason) == ("stop", True)
