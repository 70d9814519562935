"""What to do about a request that brought no reply. Pure: deciding needs no network."""

from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.agents.llm.failures import RequestFailed
from molt_bench.specs import MODEL_TIMEOUT_S

#: A provider that asks for a longer pause is not waited for.
LONGEST_PAUSE_S: Final = 600.0
#: The longest pause between two tries, unless the provider asks for more.
_LONGEST_BACKOFF_S: Final = 60.0

#: `retry` after a pause; `step down` to a simpler output mode at once; `give up` on this reply, which is the model's
#: fault; `stop` the run, since no other request would fare better.
StepName: TypeAlias = Literal["retry", "step down", "give up", "stop"]


class RequestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How requests to models are limited and retried.

    Attributes:
        timeout_s: Seconds for one answer.
        transport_retries: How often a request that brought no reply is sent again before its model is paused.
        backoff_s: Seconds before the first of those; doubled for every further one.
        pause_after_s: Seconds after which a run ends that can ask a model nothing, or write nothing.
        max_concurrent: Requests at once, to all models together.
    """

    timeout_s: float = MODEL_TIMEOUT_S
    transport_retries: int = 5
    backoff_s: float = 1.0
    pause_after_s: float = 600.0
    max_concurrent: int = 1000


class Step(msgspec.Struct, frozen=True):
    """What to do next.

    Attributes:
        pause_s: Seconds to wait before anything is sent again.
        counts: Whether this was one of the failures after which the model is paused.
        reason: Why the run stops, if it does.
    """

    name: StepName
    pause_s: float = 0.0
    counts: bool = False
    reason: str = ""


def next_step(
    problem: RequestFailed,
    failures: int,
    limits: RequestLimits,
    *,
    can_step_down: bool,
    ever_answered: bool,
    at_floor: bool,
    troubled_s: float,
) -> Step:
    """Decide what to do about a request that brought no reply. Only an answer that is late is the model's fault.

    Args:
        problem: Why it brought none.
        failures: Earlier failures of this request that counted.
        limits: How often to retry, and how soon.
        can_step_down: Whether there is a simpler output mode, and this one has never worked.
        ever_answered: Whether the model has answered before in this run.
        at_floor: Whether the model is asked one request at a time already, and cannot be asked less.
        troubled_s: Seconds for which nothing has come of this request, or of any request to the model.
    """
    trouble, asked_s = problem.trouble, problem.retry_after_s
    if trouble == "timeout":
        return Step("give up")
    # A refusal that does not say why may be a hiccup: the same form is tried a second time.
    if trouble == "rejected" and can_step_down and (problem.about_form or failures):
        return Step("step down")
    for_good = trouble == "rejected" and not ever_answered and failures > 0
    if trouble == "fatal" or for_good:
        return Step("stop", reason=f"cannot be asked: {problem}")
    if asked_s is not None and asked_s > LONGEST_PAUSE_S:
        return Step("stop", reason=f"asks for a pause of {asked_s:,.0f} s: go on after it")
    backoff_s = min(_LONGEST_BACKOFF_S, limits.backoff_s * 2**failures)
    pause_s = backoff_s if asked_s is None else max(asked_s, 0.001)
    if trouble == "busy" and not at_floor:
        return Step("retry", pause_s)
    if troubled_s >= limits.pause_after_s:
        return Step("stop", reason=f"could not be asked for {troubled_s:,.0f} s: {problem}")
    return Step("retry", min(pause_s, max(0.05, limits.pause_after_s - troubled_s)), counts=True)
