"""What is done about a request that brought no reply, decided without a network."""

import pytest

from molt_bench.agents.llm.client import RequestFailed
from molt_bench.agents.llm.retries import LONGEST_PAUSE_S, RequestLimits, next_step

LIMITS = RequestLimits(transport_retries=3, backoff_s=2.0)


def step(trouble, after_s=None, *, failures=0, limits=LIMITS, **situation):
    usual = {"can_step_down": False, "ever_answered": True, "at_floor": False, "may_put_back": False}
    return next_step(RequestFailed(trouble, "why", after_s), failures, limits, **{**usual, **situation})


@pytest.mark.parametrize("failures", [0, 9])
def test_no_answer_in_time_is_the_agents_fault_at_once(failures):
    found = step("timeout", failures=failures, can_step_down=True, may_put_back=True)
    assert (found.name, found.pause_s) == ("give up", 0.0)


def test_a_refused_output_mode_is_followed_by_a_simpler_one():
    found = step("rejected", can_step_down=True, ever_answered=False, failures=9)
    assert (found.name, found.counts) == ("step down", False)


@pytest.mark.parametrize(
    ("trouble", "situation"), [("fatal", {"can_step_down": True}), ("rejected", {"ever_answered": False})]
)
def test_a_refusal_for_good_stops_the_run(trouble, situation):
    found = step(trouble, may_put_back=True, **situation)
    assert (found.name, found.reason) == ("stop", "cannot be asked: why")


@pytest.mark.parametrize(("may_put_back", "name"), [(True, "put back"), (False, "give up")])
def test_a_single_refusal_of_a_model_that_has_answered_is_not_retried(may_put_back, name):
    assert step("rejected", may_put_back=may_put_back).name == name
    never_waits = RequestLimits(backoff_s=0.0)
    assert step("rejected", may_put_back=may_put_back, limits=never_waits).name == name


def test_a_lost_connection_is_retried_with_growing_pauses_and_then_given_up():
    assert [step("transport", failures=failures).pause_s for failures in range(3)] == [2.0, 4.0, 8.0]
    assert all(step("transport", failures=failures).counts for failures in range(3))
    assert step("transport", failures=3).name == "give up"
    assert step("transport", failures=3, may_put_back=True).name == "put back"


def test_pauses_end_somewhere():
    assert step("transport", failures=50, limits=RequestLimits(transport_retries=100)).pause_s == 60.0


def test_a_busy_model_is_asked_less_before_a_retry_counts():
    first = step("busy", failures=3)
    assert (first.name, first.counts) == ("retry", False)
    alone = step("busy", at_floor=True)
    assert (alone.name, alone.counts) == ("retry", True)
    assert step("busy", at_floor=True, failures=3).name == "give up"


@pytest.mark.parametrize("trouble", ["busy", "transport"])
def test_a_pause_that_the_provider_asks_for_is_kept_unless_it_is_too_long(trouble):
    assert step(trouble, 17.5).pause_s == 17.5
    assert step(trouble, 0.0).pause_s > 0
    assert step(trouble, LONGEST_PAUSE_S).name == "retry"
    too_long = step(trouble, 3600.0, may_put_back=True)
    assert (too_long.name, too_long.reason) == ("stop", "asks for a pause of 3,600 s: go on after it")
