"""What to do about a request that brought no reply: retry, slow down, pause, give up, stop. Pure, without network."""

from typing import Final, Literal, TypeAlias

import msgspec

from molt_bench.llm.trouble import RequestFailed, Trouble
from molt_bench.specs import MODEL_TIMEOUT_S

#: A provider that asks for a longer pause is not waited for.
LONGEST_PAUSE_S: Final = 600.0
#: The longest pause between two tries, unless the provider asks for more.
_LONGEST_BACKOFF_S: Final = 60.0

#: Refusals in a row after which a model is not asked any more: where it never answered, and where it did.
REFUSALS_AT_FIRST: Final = 8
REFUSALS_LATER: Final = 20

#: Troubles of a model that was asked too much at once: 429 and the like, and answers that took too long.
_TOO_MUCH: Final[frozenset[Trouble]] = frozenset({"busy", "timeout", "hung"})

#: `retry` after a pause; `give up` on this reply, which is the model's
#: fault; `refused`: so is this prompt, for good; `stop` the run, since no other request would fare better.
StepName: TypeAlias = Literal["retry", "give up", "refused", "stop"]


class RequestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How requests to models are limited and retried.

    Attributes:
        timeout_s: Seconds for one answer.
        transport_retries: How often a request that brought no reply is sent again before its model is paused.
        backoff_s: Seconds before the first of those; doubled for every further one.
        pause_after_s: Seconds after which a run ends that can ask a model nothing, or write nothing.
        on_failure: Whether the model is paused then, or the question is given up, which is the model's fault.
        max_concurrent: Requests at once, to all models together.
    """

    timeout_s: float = MODEL_TIMEOUT_S
    transport_retries: int = 5
    backoff_s: float = 1.0
    pause_after_s: float = 600.0
    on_failure: Literal["pause", "fold"] = "pause"
    max_concurrent: int = 1000


class NextStep(msgspec.Struct, frozen=True):
    """What to do next.

    Attributes:
        pause_s: Seconds to wait before anything is sent again.
        counts: Whether this was one of the failures after which the model is paused.
        pauses: Whether there have been too many by now: one request at a time is sent to the model, until one succeeds.
        slows: Whether the model gets fewer requests at once, since it could not take so many.
        reason: Why the run stops, if it does.
    """

    name: StepName
    pause_s: float = 0.0
    counts: bool = False
    pauses: bool = False
    slows: bool = False
    reason: str = ""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How a model has been doing when a request to it failed.

    Attributes:
        ever_answered: Whether the model has answered before in this run.
        at_floor: Whether the model is asked one request at a time already, and cannot be asked less.
        troubled_s: Seconds for which nothing has come of this request, or of any request to the model.
        answers_others: Whether it has answered a request that was sent after this one.
        refusals: Prompts that it has refused in a row, this one included.
    """

    ever_answered: bool = True
    at_floor: bool = False
    troubled_s: float = 0.0
    answers_others: bool = False
    refusals: int = 0


def next_step(problem: RequestFailed, failures: int, limits: RequestLimits, standing: Standing) -> NextStep:
    """Decide what to do about a request that brought no reply, and whether its model is slowed down or paused.

    Only an answer that comes in too slowly, or a prompt that is refused for good, counts against the model; with
    `on_failure="fold"` so does a request that brought no reply after all retries.

    Args:
        problem: Why it brought none.
        failures: Earlier failures of this request that counted.
        limits: How often to retry, and how soon.
        standing: How the model has been doing.
    """
    step = _step(problem, failures, limits, standing)
    pauses = step.counts and failures >= limits.transport_retries
    return msgspec.structs.replace(step, pauses=pauses, slows=problem.trouble in _TOO_MUCH)


def _step(problem: RequestFailed, failures: int, limits: RequestLimits, standing: Standing) -> NextStep:
    trouble, asked_s, troubled_s = problem.trouble, problem.retry_after_s, standing.troubled_s
    if trouble == "timeout":
        return NextStep("give up")
    # Who answers others at once, and this question never, takes too long over it.
    if trouble == "hung" and standing.answers_others and failures >= limits.transport_retries:
        return NextStep("give up")
    if trouble == "refused":
        return _after_refusal(problem, standing)
    # A refusal that does not say why may be a hiccup: the same is tried a second time.
    for_good = trouble == "rejected" and not standing.ever_answered and failures > 0
    if trouble == "fatal" or for_good:
        return NextStep("stop", reason=f"cannot be asked: {problem}")
    if asked_s is not None and asked_s > LONGEST_PAUSE_S:
        return NextStep("stop", reason=f"asks for a pause of {asked_s:,.0f} s: go on after it")
    backoff_s = min(_LONGEST_BACKOFF_S, limits.backoff_s * 2**failures)
    pause_s = backoff_s if asked_s is None else max(asked_s, 0.001)
    if trouble == "busy" and not standing.at_floor:
        return NextStep("retry", pause_s)
    if limits.on_failure == "fold" and failures >= limits.transport_retries:
        return NextStep("give up")
    slow_here = trouble == "hung" and standing.answers_others
    if troubled_s >= limits.pause_after_s and not slow_here:
        hint = "; game.actionTimeoutS gives it longer" if trouble == "hung" else ""
        return NextStep("stop", reason=f"could not be asked for {troubled_s:,.0f} s: {problem}{hint}")
    return NextStep("retry", min(pause_s, max(0.05, limits.pause_after_s - troubled_s)), counts=True)


def _after_refusal(problem: RequestFailed, standing: Standing) -> NextStep:
    """A prompt that is refused is a fault; a model that refuses all of them cannot be asked."""
    most = REFUSALS_LATER if standing.ever_answered else REFUSALS_AT_FIRST
    if standing.refusals < most:
        return NextStep("refused")
    every = "" if standing.ever_answered else ", and answered none"
    return NextStep("stop", reason=f"refused {standing.refusals:,} prompts in a row{every}: {problem}")
