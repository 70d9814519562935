"""What is done about a request that brought no reply, decided without a network."""

import pytest

from molt_bench.llm.after_failure import LONGEST_PAUSE_S, RequestFailed, RequestLimits, Standing, next_step


def step(trouble, after_s=None, *, retries=5, fold=False, **standing):
    limits = RequestLimits(
        backoff_s=2.0, pause_after_s=100.0, transport_retries=retries, on_failure="fold" if fold else "pause"
    )
    return next_step(RequestFailed(trouble, "why", after_s), limits, Standing(**standing))


@pytest.mark.parametrize(
    ("trouble", "standing", "name"),
    [
        # An answer that comes too slowly, and a refused prompt, are the model's fault at once.
        ("timeout", {}, "give up"),
        ("timeout", {"failures": 9}, "give up"),
        ("refused", {}, "give up"),
        # A refusal that does not say why may pass, once.
        ("rejected", {"ever_answered": False}, "retry"),
        ("rejected", {"ever_answered": False, "failures": 1}, "stop: cannot be asked: why"),
        ("rejected", {"failures": 9}, "retry"),
        ("fatal", {}, "stop: cannot be asked: why"),
        # Trouble is retried until it has lasted too long; with `fold` a question is given up after all retries.
        *((trouble, {"failures": 9, "troubled_s": 99.0}, "retry") for trouble in ("transport", "rejected", "hung")),
        ("transport", {"failures": 4, "troubled_s": 100.0}, "retry"),
        ("transport", {"failures": 9, "troubled_s": 100.0}, "stop: could not be asked for 100 s: why"),
        (
            "hung",
            {"failures": 5, "troubled_s": 100.0},
            "stop: could not be asked for 100 s: why; game.actionTimeoutS gives it longer",
        ),
        ("transport", {"fold": True, "failures": 4}, "retry"),
        ("transport", {"fold": True, "failures": 5}, "give up"),
        # A busy model is asked less before a retry counts.
        ("busy", {"failures": 3, "troubled_s": 1000.0}, "retry"),
        ("busy", {"at_floor": True, "failures": 5, "troubled_s": 100.0}, "stop: could not be asked for 100 s: why"),
        # A provider's pause is kept unless it is too long.
        *((trouble, {"after_s": LONGEST_PAUSE_S}, "retry") for trouble in ("busy", "transport")),
        ("busy", {"after_s": 3600.0}, "stop: asks for a pause of 3,600 s: go on after it"),
        # A model that never answers one question, and others at once, takes too long over it.
        ("hung", {"answers_others": True, "troubled_s": 1000.0, "failures": 4}, "retry"),
        ("hung", {"answers_others": True, "troubled_s": 1000.0, "failures": 5}, "give up"),
    ],
)
def test_what_is_done_about_trouble(trouble, standing, name):
    found = step(trouble, **standing)
    assert (f"{found.name}: {found.reason}" if found.reason else found.name) == name


@pytest.mark.parametrize(
    ("trouble", "standing", "pause_s"),
    [
        *(("transport", {"failures": failures}, 2.0 * 2**failures) for failures in range(3)),
        ("transport", {"failures": 50}, 60.0),
        ("transport", {"failures": 50, "troubled_s": 90.0}, 10.0),
        ("busy", {"after_s": 17.5}, 17.5),
        ("busy", {"after_s": 0.0}, 0.001),
        ("timeout", {}, 0.0),
    ],
)
def test_pauses_grow_end_somewhere_and_never_reach_beyond_the_end(trouble, standing, pause_s):
    assert step(trouble, **standing).pause_s == pause_s


@pytest.mark.parametrize(
    ("trouble", "standing", "counts"),
    [
        ("busy", {}, False),
        ("busy", {"at_floor": True}, True),
        ("timeout", {}, False),
        ("hung", {}, True),
        ("transport", {}, True),
        ("rejected", {}, True),
    ],
)
def test_a_busy_model_is_asked_less_before_a_failure_counts(trouble, standing, counts):
    assert step(trouble, **standing).counts == counts
